package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const today = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256"

// ticketBytes is less than any ticket has.
const ticketBytes = 80

// named reads protocol, suite, group and certificate, or "none" of each.
func named(words string) tlsNames {
	all := append(strings.Fields(words), "none", "none", "none")
	return tlsNames{Protocol: all[0], Suite: all[1], Group: all[2], Certificate: all[3]}
}

var tlsAlgorithms = []string{
	today,
	"TLSv1.3 TLS_AES_128_GCM_SHA256 P-256 RSA-2048",
	"TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 Ed25519",
	"TLSv1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 X25519 RSA-2048",
	"TLSv1.2 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 P-256 Ed25519",
	"TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048",
}

func TestConnectionsAreWhatWasAskedFor(t *testing.T) {
	for _, algorithm := range tlsAlgorithms {
		for _, shape := range []string{"memory", "nodelay", "default-sockets"} {
			for operation, count := range map[string][2]uint64{"full": {4, 0}, "resumed": {0, 4}} {
				t.Run(algorithm+"/"+shape+"/"+operation, func(t *testing.T) {
					engine := preparedTLS(t, ask{Job: "tls-connect", tlsNames: named(algorithm), Transport: shape, Bytes: 1})
					answer := timed(t, engine, operation, 254, 4)
					proves(t, answer, algorithm, count)
					if answer["sha256"] != digest([]byte{1}) || answer["bytes"] != 1 {
						t.Error("not the number of the last operation", answer)
					}
					if each := strings.Fields(fmt.Sprint(answer["each_ns"])); shape != "memory" && len(each) != 4 {
						t.Error("not every connection's time", each)
					}
				})
			}
		}
	}
}

func TestTransfersArriveInBothDirections(t *testing.T) {
	for _, algorithm := range tlsAlgorithms {
		for _, shape := range []string{"memory", "nodelay"} {
			for _, size := range []int{1, 16384, 1_000_001} {
				t.Run(fmt.Sprint(algorithm, "/", shape, "/", size), func(t *testing.T) {
					engine := preparedTLS(t, ask{Job: "tls-transfer", tlsNames: named(algorithm), Transport: shape, Bytes: uint64(size)})
					for _, operation := range []string{"upload", "download"} {
						answer := timed(t, engine, operation, 0, 3)
						proves(t, answer, algorithm, [2]uint64{1, 0})
						wire, payload := answer["wire_bytes"].(uint64), uint64(3*size)
						if answer["sha256"] != digest(splitmix(7, size)) || wire <= payload || wire > payload+payload/20+300 {
							t.Error(answer)
						}
					}
				})
			}
		}
	}
}

func TestSeveralConnectionsAtOnce(t *testing.T) {
	engine := preparedTLS(t, ask{Job: "tls-connect", tlsNames: named(today), Transport: "nodelay", Bytes: 1, Concurrency: 8})
	for operation, count := range map[string][2]uint64{"full": {50, 0}, "resumed": {0, 50}} {
		answer := timed(t, engine, operation, 0, 50)
		proves(t, answer, today, count)
		if answer["sha256"] != digest([]byte{49}) || answer["each_ns"] != nil || answer["client_cpu_ns"] != nil {
			t.Error(answer)
		}
	}
}

func TestFullConnectionsGetTicketsAndOfferNone(t *testing.T) {
	for _, algorithm := range tlsAlgorithms {
		engine := preparedTLS(t, ask{Job: "tls-connect", tlsNames: named(algorithm), Transport: "memory", Bytes: 1})
		answer := timed(t, engine, "full", 0, 4)
		proves(t, answer, algorithm, [2]uint64{4, 0})
		engine.job.tls.client.ClientSessionCache = nil
		without := timed(t, engine, "full", 0, 4)
		if more := answer["wire_bytes"].(uint64) - without["wire_bytes"].(uint64); more < 4*ticketBytes || more > 1<<16 {
			t.Error(algorithm, more, "bytes more than without tickets")
		}
	}
}

func TestTimesOfTheEndsAddUp(t *testing.T) {
	for _, shape := range []string{"memory", "nodelay"} {
		engine := preparedTLS(t, ask{Job: "tls-connect", tlsNames: named(today), Transport: shape, Bytes: 1})
		answer := timed(t, engine, "full", 0, 50)
		client, server := answer["client_cpu_ns"].(int64), answer["server_cpu_ns"].(int64)
		if wall := answer["wall_ns"].(int64); client < 50_000 || server < 50_000 || client+server > 2*wall {
			t.Error(shape, client, server, wall)
		}
	}
}

func TestMisbehavingServersAreFailures(t *testing.T) {
	for _, shape := range []string{"memory", "nodelay"} {
		for peer, words := range map[string]string{"stalls": "waited", "resets": "reset", "plain": "does not look like a TLS"} {
			for _, job := range []struct{ name, operation string }{{"tls-connect", "full"}, {"tls-transfer", "upload"}} {
				t.Run(shape+"/"+peer+"/"+job.name, func(t *testing.T) {
					t.Parallel()
					recipe := ask{Job: job.name, tlsNames: named(today), Transport: shape, Bytes: 9, Peer: peer}
					began, engine := time.Now(), preparedTLS(t, recipe)
					_, err := engine.time(ask{Operation: job.operation, Count: 3})
					if err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "the client") {
						t.Error(err)
					}
					if took := time.Since(began); took > 8*time.Second {
						t.Error("only after", took)
					}
				})
			}
		}
	}
}

func TestWhatCannotBeIsUnsupported(t *testing.T) {
	for _, wrong := range []ask{
		{tlsNames: named("none")},
		{tlsNames: named("TLSv1.1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048")},
		{tlsNames: named("TLSv1.2 TLS_RSA_WITH_RC4_128_SHA none RSA-2048")},
		{tlsNames: named("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA X25519 RSA-2048")},
		{tlsNames: named("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none ECDSA-P-256")},
		{tlsNames: named("TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048")},
		{tlsNames: named("TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 X25519MLKEM768 RSA-2048")},
		{tlsNames: named("TLSv1.2 TLS_AES_128_GCM_SHA256 X25519 RSA-2048")},
		{tlsNames: named("TLSv1.3 TLS_AES_128_CCM_SHA256 X25519 RSA-2048")},
		{tlsNames: named("TLSv1.3 TLS_AES_256_GCM_SHA384 X25519 RSA-2048")},
		{tlsNames: named("TLSv1.3 TLS_AES_128_GCM_SHA256 X448 RSA-2048")},
		{tlsNames: named(today), Transport: "tuned"},
		{tlsNames: named(today), Concurrency: 2},
		{tlsNames: named(today), Peer: "sings"},
	} {
		if wrong.Transport == "" {
			wrong.Transport = "memory"
		}
		wrong.Job, wrong.Directory = "tls-connect", credentials(t, wrong.Certificate)
		if _, err := prepareJob(wrong); !isUnsupported(err) {
			t.Error(wrong, err)
		}
	}
	engine := preparedTLS(t, ask{Job: "tls-connect", tlsNames: named(today), Transport: "memory"})
	for _, operation := range []string{"upload", "seal", ""} {
		if _, err := engine.time(ask{Operation: operation, Count: 1}); !isUnsupported(err) {
			t.Error(operation, err)
		}
	}
}

// A key of another kind, an authority that did not sign and no authority at all are somebody's mistake, not this engine's lack.
func TestUnfitCredentialsAreFailures(t *testing.T) {
	foreign := credentials(t, "ECDSA-P-256")
	if err := os.Rename(filepath.Join(credentials(t, "ECDSA-P-256"), "ca.pem"), filepath.Join(foreign, "ca.pem")); err != nil {
		t.Fatal(err)
	}
	for _, directory := range []string{foreign, credentials(t, "Ed25519"), t.TempDir()} {
		_, err := prepareJob(ask{Job: "tls-connect", tlsNames: named(today), Transport: "memory", Directory: directory})
		if err == nil || isUnsupported(err) {
			t.Error(err)
		}
	}
}

func TestSocketsLeaveNothingBehindAndDelayAsAsked(t *testing.T) {
	engine := preparedTLS(t, ask{Job: "tls-connect", tlsNames: named(today), Transport: "nodelay", Bytes: 1})
	timed(t, engine, "resumed", 0, 10)
	before := openFiles(t)
	timed(t, engine, "resumed", 0, 100)
	if after := openFiles(t); after > before {
		t.Error(before, after)
	}
	stage := &sockets{}
	idle := func(end end) error { return inSpan(end, func() error { return nil }) }
	if _, err := stage.play(&span{}, idle, idle, 1); err != nil || stage.listener.SetDeadline(time.Time{}) == nil {
		t.Error("still listens", err)
	}
	for _, noDelay := range []bool{true, false} {
		stage := &sockets{noDelay: noDelay}
		if err := stage.listen(1); err != nil {
			t.Fatal(err)
		}
		client, server := &socketEnd{sockets: stage}, &socketEnd{sockets: stage}
		dialled, err := client.dial()
		accepted, err2 := server.accept()
		if err != nil || err2 != nil || delays(t, dialled) == noDelay || delays(t, accepted) == noDelay {
			t.Error(noDelay, err, err2)
		}
		hangUp(dialled)
		hangUp(accepted)
		stage.listener.Close()
	}
}

func delays(t *testing.T, conn net.Conn) bool {
	t.Helper()
	raw, err := conn.(*socket).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var noDelay int
	raw.Control(func(fd uintptr) {
		noDelay, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY)
	})
	if err != nil {
		t.Fatal(err)
	}
	return noDelay == 0
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	return len(files)
}

func isUnsupported(err error) bool {
	_, is := err.(unsupportedError)
	return is
}

func preparedTLS(t *testing.T, recipe ask) *engine {
	t.Helper()
	recipe.Seed, recipe.Directory = 7, credentials(t, recipe.Certificate)
	var engine engine
	if _, err := engine.prepare(recipe); err != nil || !engine.job.authenticated {
		t.Fatal(err)
	}
	return &engine
}

func timed(t *testing.T, engine *engine, operation string, first, count uint64) map[string]any {
	t.Helper()
	answer, err := engine.time(ask{Operation: operation, First: first, Count: count})
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	for _, field := range answer {
		fields[field.key] = field.value
	}
	return fields
}

func proves(t *testing.T, answer map[string]any, algorithm string, counts [2]uint64) {
	t.Helper()
	found := fmt.Sprint(answer["protocol"], " ", answer["suite"], " ", answer["group"])
	if answer["answer"] != "connected" || !strings.HasPrefix(algorithm, found+" ") {
		t.Error(answer)
	}
	if answer["full"] != counts[0] || answer["resumed"] != counts[1] {
		t.Error(answer["full"], "full,", answer["resumed"], "resumed")
	}
}

// credentials are made as the lab makes them: an authority, and a certificate for localhost under it.
func credentials(t *testing.T, kind string) string {
	t.Helper()
	directory := t.TempDir()
	authority, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent := &x509.Certificate{IsCA: true, BasicConstraintsValid: true, Subject: pkix.Name{CommonName: "authority"}}
	key := newKey(t, kind)
	write(t, filepath.Join(directory, "ca.pem"), "CERTIFICATE", signed(t, parent, parent, authority.Public(), authority))
	leaf := &x509.Certificate{DNSNames: []string{"localhost"}}
	write(t, filepath.Join(directory, "certificate.pem"), "CERTIFICATE", signed(t, leaf, parent, key.Public(), authority))
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(directory, "key.pem"), "PRIVATE KEY", encoded)
	return directory
}

func newKey(t *testing.T, kind string) (key crypto.Signer) {
	t.Helper()
	var err error
	switch kind {
	case "RSA-2048":
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case "Ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signed(t *testing.T, template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) []byte {
	t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	certificate, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

func write(t *testing.T, path, kind string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
		t.Fatal(err)
	}
}
