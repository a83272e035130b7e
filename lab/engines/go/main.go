// The engine of the lab for Go's standard library and golang.org/x/crypto: speaks spec/engine.md on its standard input
// and output. The README of engines/ says what is unfair about it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

func main() {
	if err := converse(bufio.NewReader(os.Stdin), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// converse gives one answer to each line until there are no more.
func converse(input *bufio.Reader, output *os.File) error {
	var engine engine
	for {
		line, err := readLine(input)
		if err != nil || line == nil {
			return err
		}
		if _, err := output.Write(engine.answer(line).line()); err != nil {
			return err
		}
	}
}

// engine is one conversation: the jobs do not outlive it.
type engine struct {
	input []byte
	job   job
}

func (e *engine) answer(line []byte) message {
	ask, err := parse(line)
	if err != nil {
		return badNews(err)
	}
	answer, err := e.try(ask)
	if err != nil {
		return badNews(err)
	}
	return answer
}

// try turns a panic into an error: whatever a library thinks of an input, the next ask must be answered.
func (e *engine) try(ask ask) (answer message, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	switch ask.Ask {
	case "hello":
		return hello(), nil
	case "prepare":
		return e.prepare(ask)
	case "check":
		return e.check(ask)
	case "time":
		return e.time(ask)
	case "run":
		return e.run(ask)
	}
	return nil, unsupported("%s is not asked of this engine", ask.Ask)
}

func hello() message {
	return message{
		{"answer", "hello"},
		{"protocol", protocol},
		{"engine", "go"},
		{"version", strings.TrimPrefix(runtime.Version(), "go") + " with x/crypto " + moduleVersion("golang.org/x/crypto") + ", " + compiled()},
	}
}

func (e *engine) prepare(ask ask) (message, error) {
	job, err := prepareJob(ask)
	if err != nil {
		return nil, err
	}
	e.job, e.input = job, nil
	// The input of a job on files is a file, and may be larger than this memory.
	if !job.onFiles {
		e.input = splitmix(ask.Seed, int(ask.Bytes))
	}
	return message{{"answer", "ready"}, {"authenticated", job.authenticated}, {"code", job.code}}, nil
}

func (e *engine) check(ask ask) (message, error) {
	work, err := e.job.work(ask.Operation, false)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(ask.Input)
	if err != nil {
		return nil, err
	}
	span := span{data: data, first: ask.Number, count: 1}
	if err := work(&span); err != nil {
		return nil, err
	}
	return message{{"answer", "checked"}, {"bytes", len(span.output)}, {"sha256", digest(span.output)}}, nil
}

func (e *engine) time(ask ask) (message, error) {
	if e.job.tls != nil {
		return e.job.tls.time(ask, e.input)
	}
	if e.job.records != nil {
		return e.job.records.time(ask)
	}
	work, err := e.job.work(ask.Operation, false)
	if err != nil {
		return nil, err
	}
	data, err := e.job.dataFor(ask.Operation, e.input, ask.First)
	if err != nil {
		return nil, err
	}
	span := span{data: data, first: ask.First, count: ask.Count}
	if err := work(&span); err != nil {
		return nil, err
	}
	return append(message{{"answer", "timed"}, {"count", ask.Count}, {"sha256", digest(span.output)}}, span.figures()...), nil
}

func (e *engine) run(ask ask) (message, error) {
	if e.job.records != nil {
		return e.job.records.run(ask)
	}
	work, err := e.job.work(ask.Operation, true)
	if err != nil {
		return nil, err
	}
	span := span{from: ask.Input, to: ask.Output}
	if err := work(&span); err != nil {
		return nil, err
	}
	return append(message{{"answer", "done"}}, span.figures()...), nil
}

func prepareJob(ask ask) (job, error) {
	switch ask.Job {
	case "payload":
		return preparePayload(ask)
	case "tls-transfer", "tls-connect":
		return prepareTLS(ask)
	case "record":
		return prepareRecord(ask)
	}
	if ask.Job == "empty" {
		return job{code: "Go's for", operations: []operation{{"loop", emptyLoop}}}, nil
	}
	if ask.Reuse != "as-written" && ask.Reuse != "tuned" {
		return job{}, unsupported("no reuse %q", ask.Reuse)
	}
	switch ask.Job {
	case "codec":
		return prepareCodec(ask)
	case "cipher":
		return prepareCipher(ask)
	}
	return job{}, unsupported("no job %s", ask.Job)
}

// job is what prepare leaves behind. Its first operation seals or encodes, its second undoes that; jobs of TLS and
// records have operations of their own.
type job struct {
	authenticated bool
	onFiles       bool
	code          string
	operations    []operation
	tls           *tlsJob
	records       *records
}

type operation struct {
	name string
	work work
}

func (j job) work(name string, onFiles bool) (work, error) {
	for _, operation := range j.operations {
		if operation.name == name && j.onFiles == onFiles {
			return operation.work, nil
		}
	}
	return nil, unsupported("no operation %s here", name)
}

// dataFor is what the operation works on: the input itself, or what the first operation makes of it.
func (j job) dataFor(name string, input []byte, number uint64) ([]byte, error) {
	if name == j.operations[0].name {
		return input, nil
	}
	span := span{data: input, first: number, count: 1}
	err := j.operations[0].work(&span)
	return append([]byte(nil), span.output...), err
}
