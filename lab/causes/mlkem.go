// Measures the post-quantum half of X25519MLKEM768 in Go: CPU time of the two ends of one handshake, beside that of X25519.
package main

import (
	"bytes"
	"crypto/ecdh"
	"crypto/mlkem"
	"crypto/rand"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"slices"
	"syscall"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 21, "rounds of 200 handshakes")
	profile := flag.String("profile", "", "a file for a profile of ML-KEM's part: go tool pprof -top FILE")
	flag.Parse()
	kem, curve := make([]time.Duration, *rounds), make([]time.Duration, *rounds)
	if *profile != "" {
		file, err := os.Create(*profile)
		must(err)
		must(pprof.StartCPUProfile(file))
		defer pprof.StopCPUProfile()
	}
	// In turn, so that a disturbance meets both.
	for round := range *rounds {
		kem[round] = each(mlkem768)
		if *profile == "" {
			curve[round] = each(x25519)
		}
	}
	slices.Sort(kem)
	slices.Sort(curve)
	fmt.Printf("ML-KEM-768, keys, encapsulation and decapsulation: %.1f µs\n", micros(kem[*rounds/2]))
	if *profile == "" {
		fmt.Printf("X25519, two key pairs and two agreements:          %.1f µs\n", micros(curve[*rounds/2]))
	}
}

func each(handshake func()) time.Duration {
	const count = 200
	start := cpu()
	for range count {
		handshake()
	}
	return (cpu() - start) / count
}

// cpu is that of the whole process, the collector included.
func cpu() time.Duration {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func micros(of time.Duration) float64 { return float64(of.Nanoseconds()) / 1e3 }

func mlkem768() {
	client, err := mlkem.GenerateKey768()
	must(err)
	// The server gets the key as bytes, and so pays for parsing it.
	public, err := mlkem.NewEncapsulationKey768(client.EncapsulationKey().Bytes())
	must(err)
	secret, sealed := public.Encapsulate()
	same, err := client.Decapsulate(sealed)
	must(err)
	mustAgree(secret, same)
}

func x25519() {
	client, err := ecdh.X25519().GenerateKey(rand.Reader)
	must(err)
	server, err := ecdh.X25519().GenerateKey(rand.Reader)
	must(err)
	secret, err := server.ECDH(client.PublicKey())
	must(err)
	same, err := client.ECDH(server.PublicKey())
	must(err)
	mustAgree(secret, same)
}

func mustAgree(secret, same []byte) {
	if !bytes.Equal(secret, same) {
		log.Fatal("the two ends do not have the same secret")
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
