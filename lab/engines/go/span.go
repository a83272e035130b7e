package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// work does the operations of a span: it calls start just before the first and stop just after the last, and between
// the two has a loop of its own, so that no call through a variable is in anybody's figure.
type work func(*span) error

// span is the work asked for, its last output and what it took. Work on files is from one to the other.
type span struct {
	data         []byte
	first, count uint64
	output       []byte
	from, to     string

	started   time.Time
	wall      time.Duration
	cpu       time.Duration
	memory    runtime.MemStats
	allocated uint64
	collected uint64
	forgotten bool
}

// start reads the clock last, stop reads it first: asking for memory figures stops the world.
func (s *span) start() {
	s.forgotten = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	runtime.ReadMemStats(&s.memory)
	s.cpu = processTime()
	s.started = time.Now()
}

func (s *span) stop() {
	s.wall = time.Since(s.started)
	s.cpu = processTime() - s.cpu
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	s.allocated = after.TotalAlloc - s.memory.TotalAlloc
	s.collected = after.PauseTotalNs - s.memory.PauseTotalNs
}

func (s *span) figures() message {
	figures := message{
		{"wall_ns", s.wall.Nanoseconds()},
		{"cpu_ns", s.cpu.Nanoseconds()},
		{"allocated_bytes", s.allocated},
		{"gc_ns", s.collected},
	}
	if peak := peakBytes(); s.forgotten && peak > 0 {
		figures = append(figures, field{"peak_bytes", peak})
	}
	return figures
}

// processTime is user plus system time of all threads.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakBytes is 0 where Linux's /proc is not.
func peakBytes() uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, _ := strconv.ParseUint(number, 10, 64)
	return kilobytes << 10
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// emptyLoop is the loop of every other operation with nothing in it.
func emptyLoop(s *span) error {
	s.start()
	for range s.count {
	}
	s.stop()
	return nil
}
