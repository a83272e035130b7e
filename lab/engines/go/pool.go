package main

import "sync"

// pool is goroutines that exist before the clock starts, and do their part of a span at once.
type pool []chan func()

func newPool(size int) pool {
	pool := make(pool, size)
	for number := range pool {
		parts := make(chan func())
		pool[number] = parts
		go func() {
			for part := range parts {
				part()
			}
		}()
	}
	return pool
}

func (c pool) size() int { return len(c) }

// all has every goroutine do its part, by its number, waits for all of them and returns the first error by number.
func (c pool) all(part func(number int) error) error {
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
func (c pool) share(number int, count uint64) uint64 {
	share, rest := count/uint64(len(c)), count%uint64(len(c))
	if uint64(number) < rest {
		share++
	}
	return share
}

// part is where one goroutine's run of so many items starts and ends.
func (c pool) part(number, items int) (from, to int) {
	return items * number / len(c), items * (number + 1) / len(c)
}
