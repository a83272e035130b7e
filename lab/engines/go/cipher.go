package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/crypto/blowfish"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/sys/cpu"
)

const (
	gcmPackages     = "crypto/aes and crypto/cipher"
	blowfishPackage = "golang.org/x/crypto/blowfish"
	chachaPackage   = "golang.org/x/crypto/chacha20poly1305"
)

// The constructors take the key alone, as in each operation of the shape as-written.
var aeads = map[string]algorithm[cipher.AEAD]{
	"AES-128-GCM":       {newGCM, 16, gcmPackages},
	"AES-256-GCM":       {newGCM, 32, gcmPackages},
	"ChaCha20-Poly1305": {chacha20poly1305.New, chacha20poly1305.KeySize, chachaPackage},
}

var blocks = map[string]algorithm[cipher.Block]{
	"DES":      {des.NewCipher, 8, "crypto/des"},
	"DESede":   {des.NewTripleDESCipher, 24, "crypto/des"},
	"AES":      {aes.NewCipher, 16, "crypto/aes"},
	"Blowfish": {newBlowfish, 16, blowfishPackage},
}

// algorithm is how to get an instance for a key of so many bytes, from which package.
type algorithm[Instance any] struct {
	create   func(key []byte) (Instance, error)
	keyBytes int
	from     string
}

func prepareCipher(ask ask) (job, error) {
	size := int(ask.Bytes)
	if found, ok := aeads[ask.Algorithm]; ok {
		operations, err := aeadOperations(ask, found, size)
		return job{authenticated: true, code: codeOf(found.from), operations: operations}, err
	}
	if found, ok := blocks[ask.Algorithm]; ok {
		operations, err := blockOperations(ask, found, size)
		return job{code: codeOf(found.from), operations: operations}, err
	}
	if ask.Algorithm == "RC4" {
		operations, err := rc4Operations(ask, size)
		return job{code: codeOf("crypto/rc4"), operations: operations}, err
	}
	return job{}, unsupported("no %s in Go's standard library or golang.org/x/crypto's public packages", ask.Algorithm)
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func newBlowfish(key []byte) (cipher.Block, error) { return blowfish.NewCipher(key) }

// codeOf says what does the work: package, its version and the instructions it picks by itself.
func codeOf(from string) string {
	version := runtime.Version()
	if strings.HasPrefix(from, "golang.org/") {
		version += ", x/crypto " + moduleVersion("golang.org/x/crypto")
	}
	return version + " " + from + ", " + path(from)
}

// compiled names the compiler and what decides how fast its code is.
func compiled() string {
	told := fmt.Sprintf("%s/%s, GOMAXPROCS=%d", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	info, _ := debug.ReadBuildInfo()
	for _, setting := range info.Settings {
		switch setting.Key {
		case "-gcflags", "-tags", "CGO_ENABLED", "GOAMD64", "GOARM64", "GOEXPERIMENT":
			told += ", " + setting.Key + "=" + setting.Value
		}
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GODEBUG"} {
		if value := os.Getenv(name); value != "" {
			told += ", " + name + "=" + value
		}
	}
	return told
}

func moduleVersion(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "of unknown version"
}

// path repeats the conditions under which the packages take their assembly; other packages have none.
func path(from string) string {
	aesNI := cpu.X86.HasAES && cpu.X86.HasSSE41 && cpu.X86.HasSSSE3
	switch {
	case strings.HasPrefix(from, "crypto/aes") && (runtime.GOARCH == "arm64" && cpu.ARM64.HasAES):
		return "ARMv8 AES"
	case strings.HasPrefix(from, "crypto/aes") && aesNI && cpu.X86.HasPCLMULQDQ:
		return "AES-NI and PCLMULQDQ, never VAES"
	case from == chachaPackage && cpu.X86.HasAVX2 && cpu.X86.HasBMI2:
		return "AVX2, never AVX-512"
	case from == chachaPackage && cpu.X86.HasSSSE3:
		return "SSSE3"
	}
	return "no assembly known of on " + runtime.GOARCH
}
