package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSplitmixIsTheSpecs(t *testing.T) {
	if got := hex.EncodeToString(splitmix(1234567, 8)); got != "85fc08fb17d09e59" {
		t.Error(got)
	}
	if long := splitmix(7, 21); !bytes.Equal(splitmix(7, 13), long[:13]) {
		t.Error("a shorter input is not the beginning of a longer one")
	}
}

func TestNonceEndsWithTheNumber(t *testing.T) {
	if got := nonceFor(7, 1<<32+5); !bytes.Equal(got[:4], splitmix(9, 4)) || hex.EncodeToString(got[4:]) != "0000000100000005" {
		t.Errorf("%x", got)
	}
}

// Both shapes must make the same output, which opens to the input and is refused when altered, where the job
// authenticates.
func TestShapesAgreeAndOpen(t *testing.T) {
	for _, algorithm := range allAlgorithms() {
		for _, size := range []int{0, 1, 7, 8, 15, 16, 17, 56, 57, 58, 113, 114, 115, 8404} {
			t.Run(fmt.Sprintf("%s/%d", algorithm[1], size), func(t *testing.T) {
				written, tuned := prepared(t, algorithm, "as-written", size), prepared(t, algorithm, "tuned", size)
				input := splitmix(7, size)
				sealed := output(t, written, 0, input)
				if !bytes.Equal(sealed, output(t, tuned, 0, input)) {
					t.Error("the shapes differ")
				}
				for _, job := range []job{written, tuned} {
					if !bytes.Equal(output(t, job, 1, sealed), input) {
						t.Error("does not open to the input")
					}
				}
			})
		}
	}
}

func TestDamageIsRefused(t *testing.T) {
	for _, algorithm := range allAlgorithms() {
		for _, shape := range []string{"as-written", "tuned"} {
			job := prepared(t, algorithm, shape, 49)
			sealed := append([]byte(nil), output(t, job, 0, splitmix(7, 49))...)
			sealed[0] ^= 1
			if job.authenticated {
				if _, ok := job.operations[1].work(&span{data: sealed, first: 3, count: 1}).(refusedError); !ok {
					t.Error(algorithm, shape, "opened what was altered")
				}
			}
		}
	}
}

func TestMimeLinesHave76Characters(t *testing.T) {
	job := prepared(t, [2]string{"codec", "base64-mime"}, "tuned", 115)
	lines := strings.Split(string(output(t, job, 0, splitmix(7, 115))), "\r\n")
	if len(lines) != 3 || len(lines[0]) != 76 || len(lines[1]) != 76 || len(lines[2]) != 4 {
		t.Errorf("%q", lines)
	}
}

func TestBadNewsKeepsItsDifferences(t *testing.T) {
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	var engine engine
	for _, step := range []struct{ ask, answer string }{
		{`{"ask":"check","operation":"seal","number":1,"input":"x"}`, "unsupported"},
		{`{"ask":"prepare","job":"cipher","algorithm":"RC2","reuse":"tuned","bytes":9,"seed":7}`, "unsupported"},
		{`{"ask":"prepare","job":"cipher","algorithm":"DES","reuse":"odd","bytes":9,"seed":7}`, "unsupported"},
		{`{"ask":"prepare","job":"cipher","algorithm":"DES","reuse":"tuned","bytes":9,"seed":7,"new":"key"}`, "ready"},
		{`{"ask":"check","operation":"open","number":1,"input":"` + short + `"}`, "refused"},
		{`{"ask":"check","operation":"open","number":1,"input":"` + short + `.absent"}`, "failed"},
		{`{"ask":"check","operation":"encode","number":1,"input":"x"}`, "unsupported"},
		{`{"ask":`, "failed"},
		{`{"ask":"run","operation":"seal","input":"x","output":"y"}`, "unsupported"},
		{`{"ask":"time","operation":"seal","first":5,"count":3}`, "timed"},
		{`{"ask":"prepare","job":"payload","algorithm":"AES-128-GCM","mode":"update","bytes":9,"seed":7}`, "unsupported"},
		{`{"ask":"prepare","job":"payload","algorithm":"ChaCha20-Poly1305","mode":"one-shot","bytes":9,"seed":7}`, "unsupported"},
		{`{"ask":"prepare","job":"payload","algorithm":"AES-128-GCM","mode":"one-shot","bytes":9,"seed":7}`, "ready"},
		{`{"ask":"check","operation":"seal","number":1,"input":"x"}`, "unsupported"},
		{`{"ask":"run","operation":"open","input":"` + short + `","output":"` + short + `.out"}`, "refused"},
		{`{"ask":"run","operation":"open","input":"` + short + `.absent","output":"` + short + `.out"}`, "failed"},
		{`{"ask":"run","operation":"seal","input":"` + short + `","output":"` + short + `.out"}`, "done"},
	} {
		answer := string(engine.answer([]byte(step.ask)).line())
		if !strings.HasPrefix(answer, `{"answer":"`+step.answer+`"`) {
			t.Errorf("%s: %s", step.ask, answer)
		}
	}
}

func TestLinesEndAndAreBounded(t *testing.T) {
	for input, expected := range map[string]string{
		"":                                "",
		"{}\n":                            "",
		"{}":                              "the last line has no end",
		strings.Repeat("x", 65536) + "\n": "longer than 65536",
	} {
		_, err := readLine(bufio.NewReader(strings.NewReader(input)))
		if got := fmt.Sprint(err); (err != nil) != (expected != "") || !strings.Contains(got, expected) {
			t.Errorf("%.10q: %s", input, got)
		}
	}
}

func TestTimeCountsWhatItAllocates(t *testing.T) {
	job := prepared(t, [2]string{"codec", "base64"}, "as-written", 8404)
	span := span{data: splitmix(7, 8404), count: 100}
	if err := job.operations[0].work(&span); err != nil {
		t.Fatal(err)
	}
	if span.allocated < 100*11208 || span.wall <= 0 {
		t.Error(span.allocated, span.wall)
	}
}

func allAlgorithms() [][2]string {
	all := [][2]string{{"codec", "base64"}, {"codec", "base64url"}, {"codec", "base64-mime"}, {"cipher", "RC4"}}
	for name := range aeads {
		all = append(all, [2]string{"cipher", name})
	}
	for name := range blocks {
		all = append(all, [2]string{"cipher", name})
	}
	return all
}

func prepared(t *testing.T, algorithm [2]string, shape string, size int) job {
	t.Helper()
	job, err := prepareJob(ask{Job: algorithm[0], Algorithm: algorithm[1], Reuse: shape, Bytes: uint64(size), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func output(t *testing.T, job job, operation int, data []byte) []byte {
	t.Helper()
	span := span{data: data, first: 3, count: 2}
	if operation == 0 {
		// Sealing goes on to the next number, opening keeps to the first.
		span.first, span.count = 3, 1
	}
	if err := job.operations[operation].work(&span); err != nil {
		t.Fatal(err)
	}
	return append([]byte(nil), span.output...)
}
