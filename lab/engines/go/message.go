package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const longestLine = 65536

// protocol is the version of what spec/engine.md says.
const protocol = 3

// ask holds the keys of every ask; what is not named here is ignored.
type ask struct {
	Ask         string `json:"ask"`
	Job         string `json:"job"`
	Algorithm   string `json:"algorithm"`
	Reuse       string `json:"reuse"`
	Mode        string `json:"mode"`
	Threads     string `json:"threads"`
	Transport   string `json:"transport"`
	Bytes       uint64 `json:"bytes"`
	Concurrency uint64 `json:"concurrency"`
	Seed        uint64 `json:"seed"`
	Directory   string `json:"directory"`
	Peer        string `json:"peer"`
	Operation   string `json:"operation"`
	Number      uint64 `json:"number"`
	Input       string `json:"input"`
	Output      string `json:"output"`
	First       uint64 `json:"first"`
	Count       uint64 `json:"count"`
	tlsNames
}

// tlsNames say what a TLS connection is made of. In hello the protocol is the number of spec/engine.md's.
type tlsNames struct {
	Protocol    any    `json:"protocol"`
	Suite       string `json:"suite"`
	Group       string `json:"group"`
	Certificate string `json:"certificate"`
}

// message is an answer: flat, its keys in the order in which a person would say them.
type message []field

type field struct {
	key   string
	value any
}

// line never fails: the values are strings, integers and booleans of our own.
func (m message) line() []byte {
	var line bytes.Buffer
	for i, field := range m {
		line.WriteByte("{,"[min(i, 1)])
		key, _ := json.Marshal(field.key)
		value, _ := json.Marshal(field.value)
		fmt.Fprintf(&line, "%s:%s", key, value)
	}
	line.WriteString("}\n")
	return line.Bytes()
}

// readLine returns nil at the end of the input.
func readLine(input *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := input.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > longestLine:
			return nil, fmt.Errorf("a line is longer than %d bytes", longestLine)
		case err == nil:
			return line, nil
		case err == io.EOF && len(line) == 0:
			return nil, nil
		case err == io.EOF:
			return nil, errors.New("the last line has no end")
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

func parse(line []byte) (ask, error) {
	var parsed ask
	if err := json.Unmarshal(line, &parsed); err != nil {
		return ask{}, fmt.Errorf("not an ask: %w", err)
	}
	return parsed, nil
}

// unsupportedError is the answer to what this engine does not do.
type unsupportedError string

func (e unsupportedError) Error() string { return string(e) }

func unsupported(format string, values ...any) error {
	return unsupportedError(fmt.Sprintf(format, values...))
}

// refusedError is the answer to data that is not to be trusted.
type refusedError string

func (e refusedError) Error() string { return string(e) }

func refused(err error) error {
	if err == nil {
		return nil
	}
	return refusedError(err.Error())
}

func badNews(err error) message {
	answer := "failed"
	switch err.(type) {
	case unsupportedError:
		answer = "unsupported"
	case refusedError:
		answer = "refused"
	}
	why := strings.Join(strings.Fields(err.Error()), " ")
	return message{{"answer", answer}, {"why", why[:min(len(why), 1000)]}}
}
