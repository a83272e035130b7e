package main

import (
	"crypto/rand"
	"errors"
	"os"
)

// preparePayload knows whole messages only: Go has no streaming AEAD, on purpose.
func preparePayload(ask ask) (job, error) {
	found, ok := aeads[ask.Algorithm]
	if !ok || found.from != gcmPackages {
		return job{}, unsupported("job payload with %s", ask.Algorithm)
	}
	if ask.Mode != "one-shot" {
		return job{}, unsupported("mode %s: cipher.AEAD takes whole messages only", ask.Mode)
	}
	payload := payload{keyFor(ask.Seed, found.keyBytes)}
	return job{
		authenticated: true,
		onFiles:       true,
		code:          codeOf(found.from),
		operations:    []operation{{"seal", payload.seal}, {"open", payload.open}},
	}, nil
}

type payload struct{ key []byte }

// seal appends to the nonce, as the documentation of cipher.AEAD does: one output, and already in the sealed layout.
func (p *payload) seal(s *span) error {
	s.start()
	plain, err := os.ReadFile(s.from)
	if err != nil {
		return err
	}
	aead, err := newGCM(p.key)
	if err != nil {
		return err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	if err := os.WriteFile(s.to, aead.Seal(nonce, nonce, plain, nil), 0o600); err != nil {
		return err
	}
	s.stop()
	return nil
}

func (p *payload) open(s *span) error {
	s.start()
	sealed, err := os.ReadFile(s.from)
	if err != nil {
		return err
	}
	aead, err := newGCM(p.key)
	if err != nil {
		return err
	}
	if len(sealed) < aead.NonceSize() {
		return refused(errors.New("shorter than a nonce"))
	}
	plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], nil)
	if err != nil {
		return refused(err)
	}
	if err := os.WriteFile(s.to, plain, 0o600); err != nil {
		return err
	}
	s.stop()
	return nil
}
