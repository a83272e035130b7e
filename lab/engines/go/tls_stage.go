package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// tlsPatience bounds every wait of an end for the other.
const tlsPatience = 5 * time.Second

// stage is what lies between client and server. It plays the acts of so many pairs of them, each to its end, and says
// what the span took of each.
type stage interface {
	play(span *span, client, server act, concurrency int) (played, error)
}

// act is what one end does. It meets all others twice: where the span begins and where it is over.
type act func(end) error

// end is what a stage is for an act. Clients dial and servers accept.
type end interface {
	dial() (net.Conn, error)
	accept() (net.Conn, error)
	begin() error
	finish() error
}

// played has the ends' times apart where they can be told apart.
type played struct {
	apart          bool
	client, server time.Duration
	wire           uint64
}

// errStopped is what an end gets that has to stop because another failed: it says nothing about this one.
var errStopped = errors.New("stopped")

// blame names the end that an error comes from.
func blame(name string, err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the %s waited for %v: %w", name, tlsPatience, err)
	}
	return fmt.Errorf("the %s: %w", name, err)
}

// hangUp closes without lingering, so that nothing of the connection stays in the system.
func hangUp(conn net.Conn) {
	if lingering, ok := conn.(interface{ SetLinger(int) error }); ok {
		lingering.SetLinger(0)
	}
	conn.Close()
}
