package main

import (
	"crypto/tls"
	"io"
	"time"
)

// tlsRecord is how much a transfer writes at once: what fits into one record.
const tlsRecord = 16384

// transmit sends the input over one connection, which is there before the span and has carried a byte in both directions:
// whatever follows a handshake is over by then.
func (j *tlsJob) transmit(span *span, upload bool) (*findings, played, error) {
	var found findings
	received := touched(len(span.data))
	send := func(conn *tls.Conn) error { return sendAll(conn, span.data, span.count) }
	receive := func(conn *tls.Conn) error { return receiveAll(conn, received, span.count) }
	atClient, atServer := send, receive
	if !upload {
		atClient, atServer = receive, send
	}
	client := func(end end) error { return j.clientOfTransfer(end, atClient, &found) }
	server := func(end end) error { return j.serverOfTransfer(end, atServer) }
	took, err := j.stage().play(span, client, server, 1)
	span.output = received
	return &found, took, err
}

// touched is a buffer whose pages are there before the span, and which no zeros of an input can hide in.
func touched(length int) []byte {
	buffer := make([]byte, length)
	for i := range buffer {
		buffer[i] = 0xA5
	}
	return buffer
}

func (j *tlsJob) clientOfTransfer(end end, work func(*tls.Conn) error, found *findings) error {
	client, err := j.open(end, j.client)
	if err != nil {
		return err
	}
	defer hangUp(client.NetConn())
	if err := found.add(client.ConnectionState(), time.Now()); err != nil {
		return err
	}
	if _, err := exchange(client, 0); err != nil {
		return err
	}
	if err := inSpan(end, func() error { return work(client) }); err != nil {
		return err
	}
	return leave(client)
}

func (j *tlsJob) serverOfTransfer(end end, work func(*tls.Conn) error) error {
	conn, err := end.accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	if j.peer != "" {
		misbehave(j.peer, conn)
		return nil
	}
	server := tls.Server(conn, j.server)
	if err := sendBack(server); err != nil {
		return err
	}
	if err := inSpan(end, func() error { return work(server) }); err != nil {
		return err
	}
	return server.Close()
}

// inSpan meets the other ends before the work and after it.
func inSpan(end end, work func() error) error {
	if err := end.begin(); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return end.finish()
}

func sendAll(to *tls.Conn, data []byte, count uint64) error {
	for range count {
		for rest := data; len(rest) > 0; {
			length := min(len(rest), tlsRecord)
			if _, err := to.Write(rest[:length]); err != nil {
				return err
			}
			rest = rest[length:]
		}
	}
	return nil
}

// receiveAll asks for all that is missing: Read gives what the next record holds.
func receiveAll(from *tls.Conn, into []byte, count uint64) error {
	for range count {
		if _, err := io.ReadFull(from, into); err != nil {
			return err
		}
	}
	return nil
}
