package runner

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"unicode/utf8"
)

// sealedHeader begins a sealed file. A file of another version begins with another one.
const sealedHeader = "bayescpace sealed 1\n"

// saltSize is the number of random bytes after the header.
const saltSize = 16

// minWord is the least number of characters of a word.
const minWord = 20

// rounds make guessing slow: each guess of a word takes this many rounds of HMAC-SHA256,
// about a third of a second.
const rounds = 600_000

// ErrWord says that a sealed file does not open: the word is wrong or the file was changed.
var ErrWord = errors.New("the word is wrong, or the file is not as it was sealed")

// seal encrypts data with a word of minWord characters or more. Each call gives other bytes.
func seal(word string, data []byte) ([]byte, error) {
	if n := utf8.RuneCountInString(word); n < minWord {
		return nil, fmt.Errorf("the word has %d characters, want %d or more that nobody can guess", n, minWord)
	}
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	lock, err := lockOf(word, salt)
	if err != nil {
		return nil, err
	}
	return lock.Seal(append([]byte(sealedHeader), salt...), nil, data, []byte(sealedHeader)), nil
}

// unseal decrypts what seal has made. The error is ErrWord, or says that the file was not made
// by seal.
func unseal(word string, file []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(file, []byte(sealedHeader))
	if !ok || len(rest) < saltSize {
		return nil, fmt.Errorf("the file does not begin with %q and a salt, as a sealed one does", sealedHeader)
	}
	lock, err := lockOf(word, rest[:saltSize])
	if err != nil {
		return nil, err
	}
	data, err := lock.Open(nil, nil, rest[saltSize:], []byte(sealedHeader))
	if err != nil {
		return nil, ErrWord
	}
	return data, nil
}

// lockOf returns AES-256-GCM with the key of a word. It chooses a nonce for each message.
func lockOf(word string, salt []byte) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha256.New, word, salt, rounds, 32)
	if err != nil {
		return nil, fmt.Errorf("making a key of the word: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("making a cipher of the word: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
