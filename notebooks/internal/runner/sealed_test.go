package runner

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

const word = "a word for this test alone"

func TestSealed(t *testing.T) {
	data := []byte("the answers")
	file, err := seal(word, data)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file, data) {
		t.Error("the file has the data as they are")
	}
	if got, err := unseal(word, file); err != nil || !bytes.Equal(got, data) {
		t.Errorf("opened: %q, %v; want %q", got, err, data)
	}
	again, err := seal(word, data)
	if err != nil || bytes.Equal(again, file) {
		t.Errorf("sealing again gave the same bytes (%v): salt and nonce must be new", err)
	}
	if _, err := unseal(word+" ", file); !errors.Is(err, ErrWord) {
		t.Errorf("another word: %v, want %v", err, ErrWord)
	}
}

// A file that was changed anywhere, or cut anywhere, does not open and does not panic.
func TestChanged(t *testing.T) {
	file, err := seal(word, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, len(sealedHeader) - 1, len(sealedHeader), len(sealedHeader) + saltSize, len(file) - 1} {
		changed := bytes.Clone(file)
		changed[i] ^= 1
		if _, err := unseal(word, changed); err == nil {
			t.Errorf("opened with byte %d of %d changed", i, len(file))
		}
		if _, err := unseal(word, file[:i]); err == nil {
			t.Errorf("opened with %d of %d bytes", i, len(file))
		}
	}
}

// TestOpensWhatWasSealed opens a file of version 1 that was sealed before: a change of the
// rounds, the key or the cipher would lose the files that teachers have.
func TestOpensWhatWasSealed(t *testing.T) {
	file, err := hex.DecodeString("62617965736370616365207365616c656420310a1ce1c772c4ab55523e75f087607caee0299d3557cb4e5a0bf554e106bf6709af2d6a2296d94206854a301edaf6d0c70579210c9d01cc0f")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unseal(word, file); err != nil || string(got) != "the answers" {
		t.Errorf("opened: %q, %v", got, err)
	}
}

func TestShortWord(t *testing.T) {
	for _, word := range []string{"teacher", strings.Repeat("é", minWord-1)} { // which is more bytes than minWord
		if _, err := seal(word, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has %d characters", utf8.RuneCountInString(word))) {
			t.Errorf("sealing with %q, which can be guessed: %v", word, err)
		}
	}
}
