package numtext

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Keys looks at the keys of the objects in text, sound JSON. Its error is about one that an object has twice, of which package json would take
// the last one or mix them, and where small is true about one that is not of small letters, which package json takes for one that is.
func Keys(text []byte, small bool) error {
	type value struct {
		at   string   // the keys that lead to it
		keys []string // of an object, so far
	}
	var open []value
	at := ""     // where a value would stand that begins now
	key := false // a word that begins now is a key
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open, key = append(open, value{at: at}), text[i] == '{'
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			key, at = len(open[len(open)-1].keys) > 0, open[len(open)-1].at
		case '"':
			from := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if !key {
				continue
			}
			var name string
			if err := json.Unmarshal(text[from:i+1], &name); err != nil {
				return err
			}
			in := &open[len(open)-1]
			at, key = strings.TrimPrefix(in.at+"."+name, "."), false
			switch {
			case slices.Contains(in.keys, name):
				return fmt.Errorf("the key %s stands there twice, want it once", at)
			case small && strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }):
				return fmt.Errorf("the key %s stands there, want keys of small letters", at)
			}
			in.keys = append(in.keys, name)
		}
	}
	return nil
}
