package sparse

// longRow is how many entries a row has whose sums are kept for drawing: fewer are added up faster
// than a search takes.
const longRow = 32

// Draws draws entries of rows by their probabilities: the first numbers of their vectors, one for
// each latent.
type Draws struct {
	rows    *SuccessorRows
	vectors *VectorTable
	latents int
	sums    map[int32][]float64 // of a long row: see Sums
}

// NewDraws returns the draws from rows, whose entries have these vectors.
func NewDraws(rows *SuccessorRows, vectors *VectorTable, latents int) Draws {
	d := Draws{rows, vectors, latents, make(map[int32][]float64)}
	var prob []float64
	for r := range int32(rows.Len()) {
		if _, kinds := rows.Row(r); len(kinds) >= longRow {
			prob = prob[:0]
			for _, kind := range kinds {
				prob = append(prob, vectors.At(kind)[:latents]...)
			}
			d.sums[r] = Sums(prob, latents)
		}
	}
	return d
}

// Draw returns the entry of a row that u in [0, 1) stands for under a latent: the first for which
// the probabilities so far sum to more than u, or else the last one that has any.
func (d *Draws) Draw(row int32, latent int, u float64) (entry int) {
	_, kinds := d.rows.Row(row)
	if len(kinds) >= longRow {
		return Draw(d.sums[row], d.latents, latent, u)
	}
	sum := 0.0
	for i, kind := range kinds {
		if p := d.vectors.At(kind)[latent]; p > 0 {
			if entry, sum = i, sum+p; u < sum {
				break
			}
		}
	}
	return entry
}

// Sums returns the sums of the entries of prob, n numbers each, so far; a sum that grows no more
// is 1.
func Sums(prob []float64, n int) []float64 {
	sums := make([]float64, 0, len(prob))
	for i, p := range prob {
		if i >= n {
			p += sums[i-n]
		}
		sums = append(sums, p)
	}
	for k := range n {
		i := len(prob) - n + k
		for sums[i] = 1; prob[i] == 0 && i >= n; i -= n {
			sums[i-n] = 1
		}
	}
	return sums
}

// Draw returns the entry, n numbers each, of which sums are given, that u in [0, 1) stands for at
// number k: the first whose sum exceeds it.
func Draw(sums []float64, n, k int, u float64) int {
	lo, hi := 0, len(sums)/n-1
	for lo < hi {
		if mid := (lo + hi) / 2; u < sums[mid*n+k] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
