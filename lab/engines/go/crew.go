package main

import "sync"

// crew is goroutines that exist before the clock starts, and do their part of a span at once.
type crew []chan func()

func hire(size int) crew {
	crew := make(crew, size)
	for number := range crew {
		parts := make(chan func())
		crew[number] = parts
		go func() {
			for part := range parts {
				part()
			}
		}()
	}
	return crew
}

func (c crew) size() int { return len(c) }

// all has every goroutine do its part, by its number, waits for all of them and returns the first error by number.
func (c crew) all(part func(number int) error) error {
	errs := make([]error, len(c))
	var left sync.WaitGroup
	left.Add(len(c))
	for number, parts := range c {
		parts <- func() {
			defer left.Done()
			errs[number] = part(number)
		}
	}
	left.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// share is how many of so many operations one goroutine does.
func (c crew) share(number int, count uint64) uint64 {
	share, rest := count/uint64(len(c)), count%uint64(len(c))
	if uint64(number) < rest {
		share++
	}
	return share
}

// part is where one goroutine's run of so many items starts and ends.
func (c crew) part(number, items int) (from, to int) {
	return items * number / len(c), items * (number + 1) / len(c)
}
