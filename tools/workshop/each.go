package workshop

import (
	"errors"
	"sync"
)

// Each calls f for all, some at a time. After an error no more are begun.
func Each[T any](workers int, all []T, f func(T) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	next := 0
	for range min(workers, len(all)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= len(all) || len(errs) > 0
				mu.Unlock()
				if stop {
					return
				}
				if err := f(all[i]); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}
