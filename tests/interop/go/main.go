// Opens a sealmark/1 file as spec/file.md describes it, with Go's standard library and not a line of sealmark's own
// code. Unlike open.py it has every KEM, and it computes the payload itself instead of leaving it to a library.
//
// usage: opener KEY_FILE < SEALED > PLAINTEXT      the file's last line is a secret key string
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/hpke"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

var kems = map[string]hpke.KEM{
	"x25519":         hpke.DHKEM(ecdh.X25519()),
	"p256":           hpke.DHKEM(ecdh.P256()),
	"mlkem768":       hpke.MLKEM768(),
	"mlkem1024":      hpke.MLKEM1024(),
	"mlkem768x25519": hpke.MLKEM768X25519(),
	"mlkem768p256":   hpke.MLKEM768P256(),
	"mlkem1024p384":  hpke.MLKEM1024P384(),
}

func main() {
	plaintext, err := openFile(os.Args[1], os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Stdout.Write(plaintext)
}

func openFile(keyFile string, input io.Reader) ([]byte, error) {
	lines, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, err
	}
	sealed, err := io.ReadAll(input)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(lines))
	return open(sealed, words[len(words)-1])
}

func open(sealed []byte, key string) ([]byte, error) {
	header, rest, found := bytes.Cut(sealed, []byte("\n--- "))
	mac, payload, complete := bytes.Cut(rest, []byte("\n"))
	if !found || !complete {
		return nil, errors.New("the header has no end")
	}
	fileKey, err := unwrapAny(string(header), key)
	if err != nil {
		return nil, err
	}
	if err := checkMAC(fileKey, string(header)+"\n---", string(mac)); err != nil {
		return nil, err
	}
	return openPayload(derive(fileKey, "payload"), payload)
}

func unwrapAny(header, key string) ([]byte, error) {
	kind, secret, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	stanzas := strings.Split(header, "\n-> ")
	if stanzas[0] != "sealmark/1" {
		return nil, errors.New("not a sealmark/1 file")
	}
	err = errors.New("no stanza is of the key's type")
	for _, stanza := range stanzas[1:] {
		arguments, body, _ := strings.Cut(stanza, "\n")
		name, enc, _ := strings.Cut(arguments, " ")
		if name != kind {
			continue
		}
		// A stanza does not name its key, so each key of its type is tried.
		var fileKey []byte
		if fileKey, err = unwrap(kind, secret, enc, body); err == nil {
			return fileKey, nil
		}
	}
	return nil, err
}

func unwrap(kind string, secret []byte, enc, body string) ([]byte, error) {
	privateKey, err := kems[kind].NewPrivateKey(secret)
	if err != nil {
		return nil, err
	}
	message := append(unbase64(enc), unbase64(body)...)
	return hpke.Open(privateKey, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte("sealmark/1 file "+kind), message)
}

func checkMAC(fileKey []byte, header, mac string) error {
	hash := hmac.New(sha256.New, derive(fileKey, "header"))
	hash.Write([]byte(header))
	if !hmac.Equal(hash.Sum(nil), unbase64(mac)) {
		return errors.New("the header's MAC is wrong")
	}
	return nil
}

func derive(fileKey []byte, use string) []byte {
	key, err := hkdf.Key(sha256.New, fileKey, nil, "sealmark/1 file "+use, 32)
	if err != nil {
		panic(err) // 32 bytes are never too many
	}
	return key
}

const (
	saltSize       = 24
	commitmentSize = 32
	sealedChunk    = 16<<10 + 16
)

// openPayload follows c2sp.org/chunked-encryption with AES-256-GCM ("Cobblestone-256").
func openPayload(key, payload []byte) ([]byte, error) {
	if len(payload) < saltSize+commitmentSize {
		return nil, errors.New("the payload is too short")
	}
	salt, commitment := payload[:saltSize], payload[saltSize:saltSize+commitmentSize]
	info := "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00" + string(salt) + "sealmark/1 file"
	derived, err := hkdf.Expand(sha512.New, key, info, 32+12+commitmentSize)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(derived[44:], commitment) {
		return nil, errors.New("the payload's commitment is wrong")
	}
	return openChunks(derived[:32], derived[32:44], payload[saltSize+commitmentSize:])
}

func openChunks(key, baseNonce, chunks []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	var plaintext []byte
	for counter := uint64(0); ; counter++ {
		chunk := chunks[:min(sealedChunk, len(chunks))]
		plaintext, err = aead.Open(plaintext, nonce(baseNonce, counter), chunk, nil)
		if err != nil {
			return nil, err
		}
		chunks = chunks[len(chunk):]
		if len(chunk) < sealedChunk { // only the final chunk is short, and it always is
			return plaintext, nil
		}
	}
}

func nonce(base []byte, counter uint64) []byte {
	nonce := bytes.Clone(base)
	for i := 0; i < 8; i++ {
		nonce[11-i] ^= byte(counter >> (8 * i))
	}
	return nonce
}

// parseKey reads a bech32 key string. Its checksum guards against typing errors, which a test does not make.
func parseKey(text string) (kind string, secret []byte, err error) {
	separator := strings.LastIndex(text, "1")
	if separator < 0 || len(text) < separator+7 {
		return "", nil, errors.New("not a key string")
	}
	secret = fromFiveBits(strings.ToLower(text[separator+1 : len(text)-6]))
	switch prefix := text[:separator]; prefix {
	case "AGE-SECRET-KEY-":
		return "x25519", secret, nil
	case "AGE-SECRET-KEY-PQ-":
		return "mlkem768x25519", secret, nil
	default:
		kind = strings.TrimSuffix(strings.TrimPrefix(prefix, "SEALMARK-SECRET-KEY-"), "-")
		return strings.ToLower(kind), secret, nil
	}
}

func fromFiveBits(symbols string) (data []byte) {
	var window, bits uint
	for _, symbol := range symbols {
		window = window<<5 | uint(strings.IndexRune("qpzry9x8gf2tvdw0s3jn54khce6mua7l", symbol))
		if bits += 5; bits >= 8 {
			bits -= 8
			data = append(data, byte(window>>bits))
		}
	}
	return data
}

// unbase64 returns nothing for invalid text, which then fails to authenticate.
func unbase64(text string) []byte {
	data, _ := base64.RawStdEncoding.Strict().DecodeString(strings.ReplaceAll(text, "\n", ""))
	return data
}
