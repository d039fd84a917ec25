package sweep

import (
	"runtime"
	"testing"
)

// BenchmarkManyTrials runs a sweep of 100,000 trials that take no time, and reads them back:
// what a trial costs beside its computation.
func BenchmarkManyTrials(b *testing.B) {
	s := Spec{Base: Trial{Env: "tiger", Algorithm: "qmdp"}, Seeds: 100_000}
	for b.Loop() {
		folder := b.TempDir()
		r, err := Run(b.Context(), s, Options{Folder: folder})
		if err != nil || !r.Rows[99_999].Computed() {
			b.Fatal(err)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(r)
		b.ReportMetric(float64(m.HeapAlloc)/100_000, "B/trial")
		kept, err := Kept(b.Context(), s, folder)
		if err != nil || !kept.Rows[99_999].Cached {
			b.Fatal(err)
		}
	}
}
