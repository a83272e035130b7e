package main

import (
	"crypto/cipher"
	"encoding/binary"
)

func aeadOperations(ask ask, algorithm algorithm[cipher.AEAD], size int) ([]operation, error) {
	key := keyFor(ask.Seed, algorithm.keyBytes)
	instance, err := algorithm.create(key)
	if err != nil {
		return nil, err
	}
	if ask.Reuse == "tuned" {
		aead := tunedAEAD{instance, ask.Seed, make(buffer, size+instance.Overhead())}
		return []operation{{"seal", aead.seal}, {"open", aead.open}}, nil
	}
	aead := aeadAsWritten{algorithm.create, key, ask.Seed}
	return []operation{{"seal", aead.seal}, {"open", aead.open}}, nil
}

type aeadAsWritten struct {
	create func(key []byte) (cipher.AEAD, error)
	key    []byte
	seed   uint64
}

func (a *aeadAsWritten) seal(s *span) error {
	fixed := nonceFor(a.seed, 0)
	s.start()
	for number := s.first; number < s.first+s.count; number++ {
		aead, err := a.create(a.key)
		if err != nil {
			return err
		}
		nonce := make([]byte, len(fixed))
		copy(nonce, fixed[:4])
		binary.BigEndian.PutUint64(nonce[4:], number)
		s.output = aead.Seal(nil, nonce, s.data, nil)
	}
	s.stop()
	return nil
}

func (a *aeadAsWritten) open(s *span) error {
	nonce := nonceFor(a.seed, s.first)
	s.start()
	for range s.count {
		aead, err := a.create(a.key)
		if err != nil {
			return err
		}
		if s.output, err = aead.Open(nil, nonce, s.data, nil); err != nil {
			return refused(err)
		}
	}
	s.stop()
	return nil
}

type tunedAEAD struct {
	aead   cipher.AEAD
	seed   uint64
	buffer buffer
}

func (a *tunedAEAD) seal(s *span) error {
	out := a.buffer.room(len(s.data) + a.aead.Overhead())[:0]
	nonce := nonceFor(a.seed, s.first)
	s.start()
	for number := s.first; number < s.first+s.count; number++ {
		binary.BigEndian.PutUint64(nonce[4:], number)
		s.output = a.aead.Seal(out, nonce, s.data, nil)
	}
	s.stop()
	return nil
}

func (a *tunedAEAD) open(s *span) (err error) {
	out := a.buffer.room(len(s.data))[:0]
	nonce := nonceFor(a.seed, s.first)
	s.start()
	for range s.count {
		if s.output, err = a.aead.Open(out, nonce, s.data, nil); err != nil {
			return refused(err)
		}
	}
	s.stop()
	return nil
}
