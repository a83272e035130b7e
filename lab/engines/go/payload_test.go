package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file sealed and opened is the file again; under a second nonce, it is sealed to something else.
func TestPayloadGoesFromFileToFile(t *testing.T) {
	for _, algorithm := range []string{"AES-128-GCM", "AES-256-GCM"} {
		for _, size := range []int{0, 1, 17, 8192, 100_000} {
			t.Run(fmt.Sprintf("%s/%d", algorithm, size), func(t *testing.T) {
				job, plain := preparedPayload(t, algorithm), splitmix(7, size)
				sealed := ran(t, job, "seal", plain)
				if len(sealed) != 12+size+16 || bytes.Equal(sealed[:12], ran(t, job, "seal", plain)[:12]) {
					t.Errorf("%d bytes, nonce %x", len(sealed), sealed[:12])
				}
				if !bytes.Equal(ran(t, job, "open", sealed), plain) {
					t.Error("does not open to the input")
				}
			})
		}
	}
}

func TestDamagedPayloadIsRefusedAndNothingWritten(t *testing.T) {
	job := preparedPayload(t, "AES-256-GCM")
	sealed := ran(t, job, "seal", splitmix(7, 9000))
	damaged := [][]byte{nil, sealed[:11], sealed[:27], sealed[:len(sealed)-1]}
	for _, at := range []int{0, 12, 4500, len(sealed) - 1} {
		flipped := bytes.Clone(sealed)
		flipped[at] ^= 1
		damaged = append(damaged, flipped)
	}
	for i, data := range damaged {
		output, _, err := run(t, job, "open", data)
		if _, ok := err.(refusedError); !ok || output != nil {
			t.Error(i, err, len(output))
		}
	}
}

func TestPayloadCountsWhatItAllocates(t *testing.T) {
	_, span, err := run(t, preparedPayload(t, "AES-128-GCM"), "seal", make([]byte, 1<<20))
	if err != nil || span.allocated < 2<<20 || span.allocated > 3<<20 || span.wall <= 0 || span.wall > time.Minute {
		t.Error(err, span.allocated, span.wall)
	}
}

// preparedPayload promises more bytes than there is memory: no room may be made before the file is there.
func preparedPayload(t *testing.T, algorithm string) job {
	t.Helper()
	var engine engine
	_, err := engine.prepare(ask{Job: "payload", Algorithm: algorithm, Mode: "one-shot", Bytes: math.MaxInt64, Seed: 7})
	if err != nil || !engine.job.authenticated {
		t.Fatal(err, engine.job)
	}
	return engine.job
}

func ran(t *testing.T, job job, operation string, data []byte) []byte {
	t.Helper()
	output, _, err := run(t, job, operation, data)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// run gives a file of these bytes to the operation and returns the output, nil where there is none.
func run(t *testing.T, job job, operation string, data []byte) ([]byte, span, error) {
	t.Helper()
	work, err := job.work(operation, true)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	span := span{from: filepath.Join(directory, "input"), to: filepath.Join(directory, "output")}
	if err := os.WriteFile(span.from, data, 0o600); err != nil {
		t.Fatal(err)
	}
	err = work(&span)
	output, _ := os.ReadFile(span.to)
	return output, span, err
}
