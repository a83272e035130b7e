package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// tlsJob is client and server under one algorithm; stage says what lies between them.
type tlsJob struct {
	algorithm      tlsAlgorithm
	client, server *tls.Config
	concurrency    int
	peer           string
	stage          func() stage
	onSockets      bool
	transfer       bool
}

// prepareTLS makes one trial connection in memory, for crypto/tls lets nobody choose among the suites of TLS 1.3: it
// takes AES-128-GCM first where the CPU has AES.
func prepareTLS(ask ask) (job, error) {
	algorithm, err := parseTLSAlgorithm(ask.tlsNames)
	if err != nil {
		return job{}, err
	}
	prepared := tlsJob{algorithm: algorithm, concurrency: max(int(ask.Concurrency), 1), transfer: ask.Job == "tls-transfer"}
	if err := prepared.setStage(ask.Transport, ask.Peer); err != nil {
		return job{}, err
	}
	if err := prepared.configure(ask.Directory); err != nil {
		return job{}, err
	}
	if err := prepared.tryOut(); err != nil {
		return job{}, err
	}
	code := runtime.Version() + " crypto/tls, " + ask.Transport
	return job{authenticated: true, code: code, tls: &prepared}, nil
}

func (j *tlsJob) setStage(transport, peer string) error {
	switch {
	case transport == "memory" && j.concurrency == 1:
		j.stage = inMemory
	case transport == "nodelay" || transport == "default-sockets":
		j.stage = func() stage { return &sockets{noDelay: transport == "nodelay"} }
		j.onSockets = true
	default:
		return unsupported("no transport %s with %d connections at once", transport, j.concurrency)
	}
	switch peer {
	case "", "stalls", "resets", "plain":
		j.peer = peer
		return nil
	}
	return unsupported("no peer that %s", peer)
}

// configure reads what the lab left in the directory and narrows both ends down to the algorithm.
func (j *tlsJob) configure(directory string) error {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(directory, "certificate.pem"), filepath.Join(directory, "key.pem"))
	if err != nil {
		return err
	}
	if name := certificateName(certificate); name != j.algorithm.certificate {
		return fmt.Errorf("the certificate is %s, not %s", name, j.algorithm.certificate)
	}
	authority, err := os.ReadFile(filepath.Join(directory, "ca.pem"))
	if err != nil {
		return err
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(authority) {
		return errors.New("no certificate in ca.pem")
	}
	j.client, j.server = j.config(), j.config()
	j.client.RootCAs, j.client.ServerName = trusted, "localhost"
	j.client.ClientSessionCache = forgetful{}
	j.server.Certificates = []tls.Certificate{certificate}
	return nil
}

// config names the group even where the suite has none: an empty list would mean the default ones.
func (j *tlsJob) config() *tls.Config {
	groups := []tls.CurveID{j.algorithm.group}
	if j.algorithm.group == 0 {
		groups = []tls.CurveID{tls.X25519}
	}
	return &tls.Config{
		MinVersion:       j.algorithm.protocol,
		MaxVersion:       j.algorithm.protocol,
		CipherSuites:     []uint16{j.algorithm.suite},
		CurvePreferences: groups,
	}
}

// forgetful has no session to offer. A client without any cache would not ask for tickets either, which a server then does
// not make: its full handshake would be another one than that of the clients who resume later.
type forgetful struct{}

func (forgetful) Get(string) (*tls.ClientSessionState, bool) { return nil, false }

func (forgetful) Put(string, *tls.ClientSessionState) {}

func (j *tlsJob) tryOut() error {
	trial := *j
	trial.stage, trial.peer, trial.concurrency = inMemory, "", 1
	found, _, err := trial.connect(&span{count: 1}, trial.client)
	if err != nil {
		return err
	}
	if found.proof != j.algorithm.names {
		return unsupported("crypto/tls negotiates %v, not %v, and cannot be told to", found.proof, j.algorithm.names)
	}
	return nil
}

// time answers a span of the one operation or the other.
func (j *tlsJob) time(ask ask, input []byte) (message, error) {
	span := span{data: input, first: ask.First, count: ask.Count}
	var found *findings
	var took played
	var err error
	switch {
	case ask.Count == 0:
		return nil, errors.New("no connection at all proves nothing")
	case j.transfer && (ask.Operation == "upload" || ask.Operation == "download"):
		found, took, err = j.transmit(&span, ask.Operation == "upload")
	case !j.transfer && ask.Operation == "full":
		found, took, err = j.connect(&span, j.client)
	case !j.transfer && ask.Operation == "resumed":
		found, took, err = j.resume(&span)
	default:
		return nil, unsupported("no operation %s here", ask.Operation)
	}
	if err != nil {
		return nil, err
	}
	return connected(&span, found, took), nil
}

func connected(span *span, found *findings, took played) message {
	answer := message{{"answer", "connected"}, {"count", span.count}}
	answer = append(answer, span.figures()...)
	if took.apart {
		answer = append(answer, field{"client_cpu_ns", took.client.Nanoseconds()}, field{"server_cpu_ns", took.server.Nanoseconds()})
	}
	answer = append(answer, message{
		{"wire_bytes", took.wire},
		{"bytes", len(span.output)},
		{"sha256", digest(span.output)},
		{"protocol", found.protocol},
		{"suite", found.suite},
		{"group", found.group},
		{"full", found.full},
		{"resumed", found.resumed},
	}...)
	if len(found.each) > 0 {
		answer = append(answer, field{"each_ns", found.eachLine()})
	}
	return answer
}
