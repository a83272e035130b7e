package main

import (
	"encoding/base64"
	"runtime"
)

// A line of base64 in MIME has 76 characters, which are 57 bytes.
const lineBytes, lineCharacters = 57, 76

func prepareCodec(ask ask) (job, error) {
	encoding := map[string]*base64.Encoding{
		"base64":      base64.StdEncoding,
		"base64url":   base64.RawURLEncoding,
		"base64-mime": base64.StdEncoding,
	}[ask.Algorithm]
	if encoding == nil {
		return job{}, unsupported("no %s in encoding/base64", ask.Algorithm)
	}
	codec := codec{encoding, make(buffer, mimeLength(int(ask.Bytes)))}
	operations := []operation{{"encode", codec.encode}, {"decode", codec.decode}}
	if ask.Reuse == "tuned" {
		operations = []operation{{"encode", codec.encodeTuned}, {"decode", codec.decodeTuned}}
	}
	if ask.Algorithm == "base64-mime" {
		operations[0].work = codec.encodeMime
		if ask.Reuse == "tuned" {
			operations[0].work = codec.encodeMimeTuned
		}
	}
	return job{code: runtime.Version() + " encoding/base64, no assembly", operations: operations}, nil
}

type codec struct {
	encoding *base64.Encoding
	buffer   buffer
}

// buffer is the output that the tuned shapes use again and again.
type buffer []byte

// room grows the buffer before the clock starts, for data longer than prepare was told of.
func (b *buffer) room(length int) []byte {
	if len(*b) < length {
		*b = make(buffer, length)
	}
	return *b
}

func (c *codec) encode(s *span) error {
	var text string
	s.start()
	for range s.count {
		text = c.encoding.EncodeToString(s.data)
	}
	s.stop()
	s.output = []byte(text)
	return nil
}

func (c *codec) decode(s *span) (err error) {
	text := string(s.data)
	s.start()
	for range s.count {
		if s.output, err = c.encoding.DecodeString(text); err != nil {
			return refused(err)
		}
	}
	s.stop()
	return nil
}

func (c *codec) encodeTuned(s *span) error {
	length := c.encoding.EncodedLen(len(s.data))
	out := c.buffer.room(length)
	s.start()
	for range s.count {
		c.encoding.Encode(out, s.data)
	}
	s.stop()
	s.output = out[:length]
	return nil
}

func (c *codec) decodeTuned(s *span) (err error) {
	out := c.buffer.room(c.encoding.DecodedLen(len(s.data)))
	var length int
	s.start()
	for range s.count {
		if length, err = c.encoding.Decode(out, s.data); err != nil {
			return refused(err)
		}
	}
	s.stop()
	s.output = out[:length]
	return nil
}

// encodeMime breaks the lines itself, as encoding/base64 does not: the text as a whole, then its lines one by one.
func (c *codec) encodeMime(s *span) error {
	s.start()
	for range s.count {
		text := c.encoding.EncodeToString(s.data)
		out := make([]byte, 0, mimeLength(len(s.data)))
		for len(text) > lineCharacters {
			out = append(append(out, text[:lineCharacters]...), "\r\n"...)
			text = text[lineCharacters:]
		}
		s.output = append(out, text...)
	}
	s.stop()
	return nil
}

func (c *codec) encodeMimeTuned(s *span) error {
	out := c.buffer.room(mimeLength(len(s.data)))
	var length int
	s.start()
	for range s.count {
		length = encodeLines(c.encoding, out, s.data)
	}
	s.stop()
	s.output = out[:length]
	return nil
}

// encodeLines writes each line where it belongs and returns the length of all.
func encodeLines(encoding *base64.Encoding, out, data []byte) int {
	length := 0
	for len(data) > lineBytes {
		encoding.Encode(out[length:], data[:lineBytes])
		length += lineCharacters + copy(out[length+lineCharacters:], "\r\n")
		data = data[lineBytes:]
	}
	encoding.Encode(out[length:], data)
	return length + encoding.EncodedLen(len(data))
}

func mimeLength(length int) int {
	text := base64.StdEncoding.EncodedLen(length)
	return text + 2*(max(text-1, 0)/lineCharacters)
}
