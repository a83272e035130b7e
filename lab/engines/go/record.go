package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
)

// recordThreads is how many goroutines each value of threads stands for.
var recordThreads = map[string]int{"1-thread": 1, "2-threads": 2, "16-threads": 16, "256-threads": 256}

// prepareRecord seals values as people write it: one GCM for the process, a random nonce, a new string for each value.
func prepareRecord(ask ask) (job, error) {
	threads, ok := recordThreads[ask.Threads]
	if !ok || ask.Algorithm != "AES-256-GCM-base64" {
		return job{}, unsupported("job record with %s on %s", ask.Algorithm, ask.Threads)
	}
	aead, err := newGCM(keyFor(ask.Seed, 32))
	if err != nil {
		return job{}, err
	}
	records := &records{aead: aead, pool: newPool(threads), value: text(splitmix(ask.Seed, int(ask.Bytes)))}
	return job{authenticated: true, code: codeOf(gcmPackages) + ", crypto/rand, encoding/base64", records: records}, nil
}

// text makes a value of a log of the bytes of a recipe.
func text(bytes []byte) []byte {
	for i := range bytes {
		bytes[i] = ' ' + bytes[i]%64
	}
	return bytes
}

type records struct {
	aead   cipher.AEAD
	pool   pool
	value  []byte
	stocks [][]string
}

func (r *records) seal(value []byte) string {
	nonce := make([]byte, r.aead.NonceSize())
	rand.Read(nonce)
	return base64.URLEncoding.EncodeToString(r.aead.Seal(nonce, nonce, value, nil))
}

func (r *records) open(text string) ([]byte, error) {
	sealed, err := base64.URLEncoding.DecodeString(text)
	if err != nil {
		return nil, refused(err)
	}
	if len(sealed) < r.aead.NonceSize() {
		return nil, refused(errors.New("shorter than a nonce"))
	}
	value, err := r.aead.Open(nil, sealed[:r.aead.NonceSize()], sealed[r.aead.NonceSize():], nil)
	return value, refused(err)
}

// time shares the operations of a span among the goroutines, which wait for it already.
func (r *records) time(ask ask) (message, error) {
	var span span
	var last []byte
	var err error
	switch ask.Operation {
	case "seal":
		last, err = r.timeSeal(&span, ask.Count)
	case "open":
		last, err = r.timeOpen(&span, ask.Count)
	default:
		return nil, unsupported("no operation %s here", ask.Operation)
	}
	if err != nil {
		return nil, err
	}
	return append(message{{"answer", "timed"}, {"count", ask.Count}, {"sha256", digest(last)}}, span.figures()...), nil
}

// timeSeal opens what each goroutine made last, after the span.
func (r *records) timeSeal(span *span, count uint64) (last []byte, err error) {
	texts := make([]string, r.pool.size())
	span.start()
	r.pool.all(func(number int) error {
		var text string
		for range r.pool.share(number, count) {
			text = r.seal(r.value)
		}
		texts[number] = text
		return nil
	})
	span.stop()
	for number, text := range texts {
		if r.pool.share(number, count) == 0 {
			continue
		}
		if last, err = r.open(text); err != nil || !bytes.Equal(last, r.value) {
			return nil, errors.New("what a goroutine sealed does not open to the value")
		}
	}
	return last, nil
}

// stockBytes of values, but no fewer texts than 8 and no more than 256, are what each goroutine opens in turn.
const stockBytes = 16384

func (r *records) fillStocks() {
	if r.stocks != nil {
		return
	}
	r.stocks = make([][]string, r.pool.size())
	r.pool.all(func(number int) error {
		stock := make([]string, min(max(stockBytes/max(len(r.value), 1), 8), 256))
		for i := range stock {
			stock[i] = r.seal(r.value)
		}
		r.stocks[number] = stock
		return nil
	})
}

func (r *records) timeOpen(span *span, count uint64) (last []byte, err error) {
	r.fillStocks()
	values := make([][]byte, r.pool.size())
	span.start()
	err = r.pool.all(func(number int) (err error) {
		var value []byte
		stock := r.stocks[number]
		for left := r.pool.share(number, count); left > 0; {
			round := min(left, uint64(len(stock)))
			for _, text := range stock[:round] {
				if value, err = r.open(text); err != nil {
					return err
				}
			}
			left -= round
		}
		values[number] = value
		return nil
	})
	span.stop()
	for number, value := range values {
		if r.pool.share(number, count) == 0 {
			continue
		}
		if last = value; !bytes.Equal(last, r.value) {
			return nil, errors.New("what a goroutine opened is not the value")
		}
	}
	return last, err
}

// run makes a line of each value of a file, or a value of each line, in their order.
func (r *records) run(ask ask) (message, error) {
	data, err := os.ReadFile(ask.Input)
	if err != nil {
		return nil, err
	}
	var span span
	parts := make([][]byte, r.pool.size())
	span.start()
	switch ask.Operation {
	case "seal":
		err = r.sealAll(data, parts)
	case "open":
		err = r.openAll(data, parts)
	default:
		err = unsupported("no operation %s here", ask.Operation)
	}
	span.stop()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(ask.Output, bytes.Join(parts, nil), 0o600); err != nil {
		return nil, err
	}
	return append(message{{"answer", "done"}}, span.figures()...), nil
}

func (r *records) sealAll(data []byte, parts [][]byte) error {
	length := max(len(r.value), 1)
	count := (len(data) + length - 1) / length
	return r.pool.all(func(number int) error {
		from, to := r.pool.part(number, count)
		for at := from; at < to; at++ {
			value := data[at*length : min((at+1)*length, len(data))]
			parts[number] = append(append(parts[number], r.seal(value)...), '\n')
		}
		return nil
	})
}

func (r *records) openAll(data []byte, parts [][]byte) error {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines[len(lines)-1]) > 0 {
		return refused(errors.New("the last line has no end"))
	}
	lines = lines[:len(lines)-1]
	return r.pool.all(func(number int) error {
		from, to := r.pool.part(number, len(lines))
		for _, line := range lines[from:to] {
			value, err := r.open(string(line[:len(line)-1]))
			if err != nil {
				return err
			}
			parts[number] = append(parts[number], value...)
		}
		return nil
	})
}
