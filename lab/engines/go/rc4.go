package main

import "crypto/rc4"

// rc4Operations: both directions are the same XOR.
func rc4Operations(ask ask, size int) ([]operation, error) {
	key := keyFor(ask.Seed, 16)
	fresh, err := rc4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if ask.Reuse == "tuned" {
		tuned := tunedRC4{fresh, make(buffer, size)}
		return []operation{{"seal", tuned.apply}, {"open", tuned.apply}}, nil
	}
	written := rc4AsWritten{key}
	return []operation{{"seal", written.apply}, {"open", written.apply}}, nil
}

type rc4AsWritten struct{ key []byte }

func (r *rc4AsWritten) apply(s *span) error {
	s.start()
	for range s.count {
		stream, err := rc4.NewCipher(r.key)
		if err != nil {
			return err
		}
		s.output = make([]byte, len(s.data))
		stream.XORKeyStream(s.output, s.data)
	}
	s.stop()
	return nil
}

type tunedRC4 struct {
	fresh  *rc4.Cipher
	buffer buffer
}

// apply copies the prepared cipher for each operation: a copy of 1 KB is back at the start of the key stream, for less
// than the key schedule costs.
func (r *tunedRC4) apply(s *span) error {
	s.output = r.buffer.room(len(s.data))[:len(s.data)]
	s.start()
	for range s.count {
		stream := *r.fresh
		stream.XORKeyStream(s.output, s.data)
	}
	s.stop()
	return nil
}
