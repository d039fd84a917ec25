package parquet

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// full takes so many bytes and no more.
type full struct {
	bytes.Buffer
	free int
}

var errFull = errors.New("no space")

func (f *full) Write(p []byte) (int, error) {
	n, _ := f.Buffer.Write(p[:min(len(p), f.free)])
	if f.free -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// WriteTo returns how many bytes have been written, also where an error ends it.
func TestWriteToCounts(t *testing.T) {
	df := table{dataframe.New(series.New([]float64{1, 2, 3}, series.Float, "x"))}
	for _, free := range []int{0, 10, 1 << 20} {
		w := full{free: free}
		n, err := df.WriteTo(&w)
		if n != int64(w.Len()) {
			t.Errorf("with room for %d bytes: %d bytes are counted, %d were written", free, n, w.Len())
		}
		if short := free < 1<<20; errors.Is(err, errFull) != short || !short && (err != nil || n == 0) {
			t.Errorf("with room for %d bytes: %d bytes, %v", free, n, err)
		}
	}
}
