package main

import (
	"crypto/cipher"
	"errors"
)

// Go has no ECB, on purpose. Users who must read data of others write this code: a loop over the blocks, in place, with
// PKCS#5 padding put on before and checked after.
func blockOperations(ask ask, algorithm algorithm[cipher.Block], size int) ([]operation, error) {
	key := keyFor(ask.Seed, algorithm.keyBytes)
	block, err := algorithm.create(key)
	if err != nil {
		return nil, err
	}
	if ask.Reuse == "tuned" {
		ecb := tunedECB{block, make(buffer, size+block.BlockSize())}
		return []operation{{"seal", ecb.seal}, {"open", ecb.open}}, nil
	}
	ecb := ecbAsWritten{algorithm.create, key}
	return []operation{{"seal", ecb.seal}, {"open", ecb.open}}, nil
}

type ecbAsWritten struct {
	create func(key []byte) (cipher.Block, error)
	key    []byte
}

func (e *ecbAsWritten) seal(s *span) error {
	s.start()
	for range s.count {
		block, err := e.create(e.key)
		if err != nil {
			return err
		}
		s.output = encryptECB(block, make([]byte, paddedLength(block, len(s.data))), s.data)
	}
	s.stop()
	return nil
}

func (e *ecbAsWritten) open(s *span) error {
	s.start()
	for range s.count {
		block, err := e.create(e.key)
		if err != nil {
			return err
		}
		if s.output, err = decryptECB(block, make([]byte, len(s.data)), s.data); err != nil {
			return refused(err)
		}
	}
	s.stop()
	return nil
}

type tunedECB struct {
	block  cipher.Block
	buffer buffer
}

func (e *tunedECB) seal(s *span) error {
	length := paddedLength(e.block, len(s.data))
	out := e.buffer.room(length)[:length]
	s.start()
	for range s.count {
		s.output = encryptECB(e.block, out, s.data)
	}
	s.stop()
	return nil
}

func (e *tunedECB) open(s *span) (err error) {
	out := e.buffer.room(len(s.data))[:len(s.data)]
	s.start()
	for range s.count {
		if s.output, err = decryptECB(e.block, out, s.data); err != nil {
			return refused(err)
		}
	}
	s.stop()
	return nil
}

func paddedLength(block cipher.Block, length int) int {
	return length - length%block.BlockSize() + block.BlockSize()
}

// encryptECB fills out, which has the padded length.
func encryptECB(block cipher.Block, out, data []byte) []byte {
	for i := copy(out, data); i < len(out); i++ {
		out[i] = byte(len(out) - len(data))
	}
	for size, rest := block.BlockSize(), out; len(rest) > 0; rest = rest[size:] {
		block.Encrypt(rest, rest)
	}
	return out
}

// decryptECB has room for all of data in out and returns what is left of it without the padding.
func decryptECB(block cipher.Block, out, data []byte) ([]byte, error) {
	size := block.BlockSize()
	if len(data) == 0 || len(data)%size != 0 {
		return nil, errors.New("not a whole number of blocks")
	}
	for at := 0; at < len(data); at += size {
		block.Decrypt(out[at:], data[at:])
	}
	padding := out[len(out)-1]
	if padding == 0 || int(padding) > size {
		return nil, errors.New("the padding is damaged")
	}
	plain := out[:len(out)-int(padding)]
	for _, value := range out[len(plain):] {
		if value != padding {
			return nil, errors.New("the padding is damaged")
		}
	}
	return plain, nil
}
