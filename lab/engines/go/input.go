package main

import "encoding/binary"

// splitmix is the input for a seed and a length, from which keys and nonces come too (spec/engine.md, "Inputs").
func splitmix(state uint64, length int) []byte {
	output := make([]byte, 0, length+8)
	for len(output) < length {
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		output = binary.LittleEndian.AppendUint64(output, z^z>>31)
	}
	return output[:length]
}

func keyFor(seed uint64, length int) []byte { return splitmix(seed+1, length) }

// nonceFor has the operation's number in its last eight bytes.
func nonceFor(seed, number uint64) []byte {
	return binary.BigEndian.AppendUint64(splitmix(seed+2, 4), number)
}
