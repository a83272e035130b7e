package main

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A deadline is set anew after so many reads and writes: each time would cost as much as a small record.
const callsPerDeadline = 64

// sockets is TCP on the loopback address. One client and one server have a thread of their own each, for only so can the
// system say what each took. More of them are goroutines like any others: were they bound to threads, which the scheduler
// would have to wake, eight resumed connections at once would take twice their time.
type sockets struct {
	noDelay  bool
	bound    bool
	listener *net.TCPListener

	ready, resting, left sync.WaitGroup
	start, home          chan struct{}

	mutex  sync.Mutex
	failed error
}

func (s *sockets) play(span *span, client, server act, concurrency int) (played, error) {
	if err := s.listen(concurrency); err != nil {
		return played{}, err
	}
	defer s.listener.Close()
	s.bound = concurrency == 1
	clients, servers := make([]socketEnd, concurrency), make([]socketEnd, concurrency)
	for i := range concurrency {
		clients[i] = socketEnd{sockets: s, name: "client"}
		servers[i] = socketEnd{sockets: s, name: "server"}
		go servers[i].act(server)
		go clients[i].act(client)
	}
	s.ready.Wait()
	span.start()
	close(s.start)
	s.resting.Wait()
	span.stop()
	close(s.home)
	s.left.Wait()
	return sum(clients, servers), s.failed
}

func (s *sockets) listen(concurrency int) (err error) {
	s.start, s.home = make(chan struct{}), make(chan struct{})
	for _, group := range []*sync.WaitGroup{&s.ready, &s.resting, &s.left} {
		group.Add(2 * concurrency)
	}
	s.listener, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	return err
}

// fail keeps the first error, of which the others are mostly consequences, and lets nobody wait for a connection.
func (s *sockets) fail(name string, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.failed == nil {
		s.failed = blame(name, err)
		s.listener.Close()
	}
}

func (s *sockets) hasFailed() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.failed != nil
}

func sum(clients, servers []socketEnd) played {
	total := played{apart: len(clients) == 1}
	for i := range clients {
		total.client += clients[i].took
		total.server += servers[i].took
		total.wire += clients[i].wireInSpan
	}
	return total
}

// socketEnd is one goroutine.
type socketEnd struct {
	*sockets
	name             string
	begun, rested    bool
	began, took      time.Duration
	wire, wireInSpan uint64
}

// act ends its thread with it, for it does not unlock it, and is at both meetings whatever happens.
func (e *socketEnd) act(act act) {
	if e.bound {
		runtime.LockOSThread()
	}
	defer e.left.Done()
	if err := withoutPanic(act, e); err != nil {
		e.fail(e.name, err)
	}
	if !e.begun {
		e.ready.Done()
	}
	if !e.rested {
		e.resting.Done()
	}
}

func withoutPanic(act act, end end) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return act(end)
}

func (e *socketEnd) begin() error {
	e.begun = true
	e.ready.Done()
	<-e.start
	e.began, e.wire = threadTime(), 0
	return e.stopIfFailed()
}

func (e *socketEnd) finish() error {
	e.took, e.wireInSpan = threadTime()-e.began, e.wire
	e.rested = true
	e.resting.Done()
	<-e.home
	return e.stopIfFailed()
}

func (e *socketEnd) stopIfFailed() error {
	if e.hasFailed() {
		return errStopped
	}
	return nil
}

func (e *socketEnd) dial() (net.Conn, error) {
	dialer := net.Dialer{Timeout: tlsPatience}
	conn, err := dialer.Dial("tcp4", e.listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return e.prepare(conn.(*net.TCPConn))
}

func (e *socketEnd) accept() (net.Conn, error) {
	if err := e.listener.SetDeadline(time.Now().Add(tlsPatience)); err != nil {
		return nil, err
	}
	conn, err := e.listener.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return e.prepare(conn)
}

// prepare takes back what Go does unasked: its sockets are born with TCP_NODELAY.
func (e *socketEnd) prepare(conn *net.TCPConn) (net.Conn, error) {
	prepared := &socket{TCPConn: conn, wire: &e.wire}
	err := errors.Join(conn.SetNoDelay(e.noDelay), prepared.postpone())
	if err != nil {
		hangUp(conn)
		return nil, err
	}
	return prepared, nil
}

// socket counts what goes through it and has a deadline that moves on while it works.
type socket struct {
	*net.TCPConn
	calls int
	wire  *uint64
}

func (s *socket) Read(into []byte) (int, error) {
	length, err := s.TCPConn.Read(into)
	return length, s.count(length, err)
}

func (s *socket) Write(data []byte) (int, error) {
	length, err := s.TCPConn.Write(data)
	return length, s.count(length, err)
}

func (s *socket) count(length int, err error) error {
	*s.wire += uint64(length)
	if s.calls++; s.calls%callsPerDeadline == 0 && err == nil {
		return s.postpone()
	}
	return err
}

func (s *socket) postpone() error { return s.SetDeadline(time.Now().Add(tlsPatience)) }

// threadTime is user plus system time of this thread.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
