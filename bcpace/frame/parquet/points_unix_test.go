//go:build unix

package parquet_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"bayescpace/bcpace/frame/parquet"
	"bayescpace/bcpace/internal/disk"
)

// TestReadPointsOfPipe: a pipe is read as CSV, and refused where it begins as a Parquet file.
func TestReadPointsOfPipe(t *testing.T) {
	for text, want := range map[string]error{"1,2\n3,4\n": nil, "PAR1": disk.ErrNotRegular} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			io.WriteString(w, text)
			w.Close()
		}()
		p, err := parquet.ReadPoints(t.Context(), fmt.Sprintf("/dev/fd/%d", r.Fd()))
		r.Close()
		if !errors.Is(err, want) || want == nil && p.Len() != 2 {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}
