package tree

// Systematic calls draw for n draws at equal distances of the weights, which sum to 1, from u in [0, 1) on: draw i is of number k, each of which
// is drawn as often as its weight says, up to one more or less.
func Systematic(n int, u float64, weight []float64, draw func(i, k int)) {
	k, sum := 0, weight[0]
	for i := range n {
		for (float64(i)+u)/float64(n) >= sum && k < len(weight)-1 {
			k++
			sum += weight[k]
		}
		for weight[k] == 0 { // by rounding at the end
			k--
		}
		draw(i, k)
	}
}
