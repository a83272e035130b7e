package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// mostEach is how many connections are timed one by one.
const mostEach = 1000

// resume makes one full connection first, whose session the cache keeps for all that follow: each of those uses the
// newest there is.
func (j *tlsJob) resume(asked *span) (*findings, played, error) {
	config := j.client.Clone()
	config.ClientSessionCache = tls.NewLRUClientSessionCache(j.concurrency)
	alone := *j
	alone.concurrency = 1
	if _, _, err := alone.connect(&span{count: 1}, config); err != nil {
		return nil, played{}, err
	}
	return j.connect(asked, config)
}

// connect opens all connections of the span, whose clients and servers take what numbers are left.
func (j *tlsJob) connect(span *span, config *tls.Config) (*findings, played, error) {
	found := &findings{timed: j.onSockets && j.concurrency == 1}
	var called, answered atomic.Uint64
	span.output = make([]byte, 1)
	client := func(end end) error {
		if err := end.begin(); err != nil {
			return err
		}
		for index := called.Add(1) - 1; index < span.count; index = called.Add(1) - 1 {
			if err := j.call(end, config, span, index, found); err != nil {
				return err
			}
		}
		return end.finish()
	}
	server := func(end end) error {
		if err := end.begin(); err != nil {
			return err
		}
		for answered.Add(1) <= span.count {
			if err := j.answer(end, found); err != nil {
				return err
			}
		}
		return end.finish()
	}
	took, err := j.stage().play(span, client, server, j.concurrency)
	if err == nil {
		err = found.agree(span.count)
	}
	return found, took, err
}

// call is one connection as its client sees it.
func (j *tlsJob) call(end end, config *tls.Config, span *span, index uint64, found *findings) error {
	began, sent := time.Now(), byte(span.first+index)
	client, err := j.open(end, config)
	if err != nil {
		return err
	}
	defer hangUp(client.NetConn())
	echo, err := exchange(client, sent)
	if err != nil {
		return err
	}
	if index == span.count-1 {
		span.output[0] = echo
	}
	if err := leave(client); err != nil {
		return err
	}
	return found.add(client.ConnectionState(), began)
}

// exchange sends one byte and returns the answer, which must be the same.
func exchange(client *tls.Conn, sent byte) (byte, error) {
	echo := []byte{sent}
	if _, err := client.Write(echo); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(client, echo); err != nil {
		return 0, err
	}
	if echo[0] != sent {
		return 0, fmt.Errorf("sent %d and read %d", sent, echo[0])
	}
	return echo[0], nil
}

// sendBack shakes hands first.
func sendBack(server *tls.Conn) error {
	echo := []byte{0}
	if _, err := io.ReadFull(server, echo); err != nil {
		return err
	}
	_, err := server.Write(echo)
	return err
}

// open is the client's half of a connection up to the end of the handshake.
func (j *tlsJob) open(end end, config *tls.Config) (*tls.Conn, error) {
	conn, err := end.dial()
	if err != nil {
		return nil, err
	}
	client := tls.Client(conn, config)
	if err := client.Handshake(); err != nil {
		hangUp(conn)
		return nil, err
	}
	return client, nil
}

// leave reads to the end of the stream: a server that closed first, and then hears of a reset, keeps no state TIME-WAIT.
func leave(client *tls.Conn) error {
	rest, err := io.Copy(io.Discard, client)
	if err == nil && rest > 0 {
		err = fmt.Errorf("%d bytes more than were asked for", rest)
	}
	if lingering, ok := client.NetConn().(interface{ SetLinger(int) error }); ok {
		lingering.SetLinger(0)
	}
	// Its alert may find a server that has gone: nobody waits for it.
	client.Close()
	return err
}

func (j *tlsJob) answer(end end, found *findings) error {
	conn, err := end.accept()
	if err != nil {
		return err
	}
	if j.peer != "" {
		misbehave(j.peer, conn)
		return nil
	}
	defer conn.Close()
	server := tls.Server(conn, j.server)
	if err := sendBack(server); err != nil {
		return err
	}
	if server.ConnectionState().DidResume {
		found.resumedByServer.Add(1)
	}
	return server.Close()
}

// misbehave is a server as no client wants it.
func misbehave(peer string, conn net.Conn) {
	switch peer {
	case "stalls":
		// Longer than the client has patience, which hangs up then.
		conn.SetDeadline(time.Now().Add(2 * tlsPatience))
		io.Copy(io.Discard, conn)
		conn.Close()
	case "resets":
		hangUp(conn)
	case "plain":
		io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
		conn.Close()
	}
}

// findings is what the connections of a span turned out to be.
type findings struct {
	proof
	timed           bool
	mutex           sync.Mutex
	each            []int64
	full, resumed   uint64
	resumedByServer atomic.Uint64
}

func (f *findings) add(state tls.ConnectionState, began time.Time) error {
	took, found := time.Since(began), proofOf(state)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.full+f.resumed == 0 {
		f.proof = found
	}
	if f.proof != found {
		return fmt.Errorf("a connection is %v, another was %v", found, f.proof)
	}
	if state.DidResume {
		f.resumed++
	} else {
		f.full++
	}
	if f.timed && len(f.each) < mostEach {
		f.each = append(f.each, took.Nanoseconds())
	}
	return nil
}

func (f *findings) agree(count uint64) error {
	if f.full+f.resumed != count || f.resumedByServer.Load() != f.resumed {
		return fmt.Errorf("of %d connections the client resumed %d and the server %d", count, f.resumed, f.resumedByServer.Load())
	}
	return nil
}

func (f *findings) eachLine() string {
	line := make([]byte, 0, 8*len(f.each))
	for i, took := range f.each {
		if i > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, took, 10)
	}
	return string(line)
}
