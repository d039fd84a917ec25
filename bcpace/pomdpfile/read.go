package pomdpfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"path/filepath"
	"strings"

	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
)

// ReadFile reads the model in a .pomdp, .mdp or .pomdpx file, or in one of these
// that gzip has compressed. The file may be a pipe: neither its opening nor a read
// from it keeps ReadFile beyond the end of ctx. For errors see Read.
func ReadFile(ctx context.Context, path string) (*pomdp.Model, error) {
	file, err := disk.OpenAny(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(ctx, file, path)
}

// Read reads a model in the format its content shows: .pomdpx if the first thing
// in it is a '<', .pomdp or .mdp otherwise. What gzip has compressed is read as it
// is decompressed, which takes no memory to speak of; lines of errors are those of
// the text. Where there is nothing in it, the name decides of which format something
// is missing. Name is the file's name for errors; its base without extension, and
// without a .gz behind that, is the model's name.
//
// Errors about the content are of type *Error, and so is the error where ctx has
// ended: it wraps the context's. A read from r may then still be under way.
func Read(ctx context.Context, r io.Reader, name string) (*pomdp.Model, error) {
	const enough = 1 << 12
	b := bufio.NewReaderSize(disk.Within(ctx, r), enough)
	if first, _ := b.Peek(len(gzipMark)); string(first) == gzipMark {
		text, err := gzip.NewReader(b)
		if err != nil {
			return nil, &Error{File: name, Line: 1, Err: err}
		}
		b = bufio.NewReaderSize(text, enough)
	}
	first, _ := b.Peek(enough) // an error comes back when the format is read
	first = bytes.TrimLeft(bytes.TrimPrefix(first, []byte(byteOrderMark)), " \t\r\n")
	if len(first) > 0 && first[0] == '<' || len(first) == 0 && strings.EqualFold(filepath.Ext(uncompressed(name)), ".pomdpx") {
		return readPOMDPX(ctx, b, name, standard())
	}
	return readPOMDP(ctx, b, name, standard())
}

// gzipMark is how a file begins that gzip has compressed.
const gzipMark = "\x1f\x8b"

// uncompressed is a path without the extension of gzip.
func uncompressed(path string) string {
	if ext := filepath.Ext(path); strings.EqualFold(ext, ".gz") {
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// modelName is the base of a path without its extension, and without that of gzip.
func modelName(path string) string {
	base := uncompressed(filepath.Base(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// blank names the only observation of a model whose file has none.
const blank = "none"
