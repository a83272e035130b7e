package main

import (
	"errors"
	"io"
	"iter"
	"net"
	"syscall"
	"time"
)

// A memory pipe that holds more than this makes its writer wait, as a socket would.
const pipeBytes = 64 << 10

// memory is both ends in one thread: the server is a coroutine, which runs while the client waits for it and yields
// while it waits for the client. So the time between two changes is one end's alone, and nothing wakes a thread.
type memory struct {
	span  *span
	next  func() (struct{}, bool)
	yield func(struct{}) bool

	dialled          *memoryConn
	ready, resting   bool
	started, stopped bool

	changed time.Time
	took    played
	wire    uint64
}

var errSilent = errors.New("waited for the server, which neither answers nor closes")

func inMemory() stage { return &memory{} }

func (m *memory) play(span *span, client, server act, _ int) (played, error) {
	var serverFailed error
	m.span = span
	var stop func()
	m.next, stop = iter.Pull(func(yield func(struct{}) bool) {
		m.yield = yield
		serverFailed = server(memoryServer{m})
	})
	clientFailed := client(memoryClient{m})
	stop()
	if serverFailed != nil && !errors.Is(serverFailed, errStopped) {
		return played{}, blame("server", serverFailed)
	}
	if clientFailed != nil {
		return played{}, blame("client", clientFailed)
	}
	return m.took, nil
}

// letServerRun returns when the server waits for the client or has ended.
func (m *memory) letServerRun() error {
	m.lap(&m.took.client)
	m.next()
	m.lap(&m.took.server)
	return nil
}

func (m *memory) letClientRun() error {
	if !m.yield(struct{}{}) {
		return errStopped
	}
	return nil
}

func (m *memory) lap(took *time.Duration) {
	now := time.Now()
	*took += now.Sub(m.changed)
	m.changed = now
}

type memoryClient struct{ *memory }

func (c memoryClient) dial() (net.Conn, error) {
	up, down := &memoryPipe{}, &memoryPipe{}
	c.dialled = &memoryConn{in: up, out: down, wait: c.letClientRun}
	return &memoryConn{in: down, out: up, wait: c.letServerRun, wire: &c.wire, waitsOnce: true}, nil
}

func (c memoryClient) accept() (net.Conn, error) { return nil, errors.ErrUnsupported }

func (c memoryClient) begin() error {
	c.letServerRun()
	if !c.ready {
		return errors.New("the server is not ready")
	}
	c.started, c.took, c.wire = true, played{apart: true}, 0
	c.span.start()
	c.changed = time.Now()
	return nil
}

func (c memoryClient) finish() error {
	c.letServerRun()
	if !c.resting {
		return errors.New("the server is not done")
	}
	c.span.stop()
	c.stopped, c.took.wire = true, c.wire
	return nil
}

type memoryServer struct{ *memory }

func (s memoryServer) dial() (net.Conn, error) { return nil, errors.ErrUnsupported }

func (s memoryServer) accept() (net.Conn, error) {
	for s.dialled == nil {
		if err := s.letClientRun(); err != nil {
			return nil, err
		}
	}
	conn := s.dialled
	s.dialled = nil
	return conn, nil
}

func (s memoryServer) begin() error  { return s.waitUntil(&s.ready, &s.started) }
func (s memoryServer) finish() error { return s.waitUntil(&s.resting, &s.stopped) }

func (s memoryServer) waitUntil(here, there *bool) error {
	*here = true
	for !*there {
		if err := s.letClientRun(); err != nil {
			return err
		}
	}
	return nil
}

// memoryPipe is one direction of a connection: what was written, and how much of it was read.
type memoryPipe struct {
	store  []byte
	read   int
	closed bool
	reset  bool
}

func (p *memoryPipe) left() []byte { return p.store[p.read:] }

// memoryConn is one end's view of two pipes; wait lets the other end run. A client waits once: a server that has nothing
// to say by then waits for the client, and both would for ever.
type memoryConn struct {
	in, out   *memoryPipe
	wait      func() error
	waitsOnce bool
	wire      *uint64
}

func (c *memoryConn) Read(into []byte) (int, error) {
	if err := c.waitForBytes(); err != nil {
		return 0, err
	}
	length := copy(into, c.in.left())
	c.in.read += length
	c.count(length)
	return length, nil
}

func (c *memoryConn) waitForBytes() error {
	for len(c.in.left()) == 0 && !c.in.closed {
		if err := c.wait(); err != nil {
			return err
		}
		if c.waitsOnce {
			break
		}
	}
	switch {
	case len(c.in.left()) == 0 && !c.in.closed:
		return errSilent
	case c.in.reset:
		return syscall.ECONNRESET
	case len(c.in.left()) == 0:
		return io.EOF
	}
	return nil
}

func (c *memoryConn) Write(data []byte) (int, error) {
	if len(c.out.left()) > pipeBytes {
		if err := c.wait(); err != nil {
			return 0, err
		}
	}
	if len(c.out.left()) == 0 {
		c.out.store, c.out.read = c.out.store[:0], 0
	}
	c.out.store = append(c.out.store, data...)
	c.count(len(data))
	return len(data), nil
}

func (c *memoryConn) count(length int) {
	if c.wire != nil {
		*c.wire += uint64(length)
	}
}

func (c *memoryConn) Close() error {
	c.out.closed = true
	return nil
}

// SetLinger makes Close a reset, of which the other end hears before it has read everything.
func (c *memoryConn) SetLinger(int) error {
	c.out.reset = true
	return nil
}

func (c *memoryConn) LocalAddr() net.Addr              { return memoryAddress{} }
func (c *memoryConn) RemoteAddr() net.Addr             { return memoryAddress{} }
func (c *memoryConn) SetDeadline(time.Time) error      { return nil }
func (c *memoryConn) SetReadDeadline(time.Time) error  { return nil }
func (c *memoryConn) SetWriteDeadline(time.Time) error { return nil }

type memoryAddress struct{}

func (memoryAddress) Network() string { return "memory" }
func (memoryAddress) String() string  { return "memory" }
