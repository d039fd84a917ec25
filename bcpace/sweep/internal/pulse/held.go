package pulse

import "sync"

// Held are the keys of the trials that goroutines have. It may be used from any of them.
type Held struct{ keys sync.Map }

// Begin and End say that a trial has begun and ended.
func (h *Held) Begin(key string) { h.keys.Store(key, true) }
func (h *Held) End(key string)   { h.keys.Delete(key) }

// Keys returns those that have begun and not ended, in no order.
func (h *Held) Keys() (keys []string) {
	h.keys.Range(func(key, _ any) bool {
		keys = append(keys, key.(string))
		return true
	})
	return keys
}
