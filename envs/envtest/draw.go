package envtest

import "pgregory.net/rapid"

// Evenly draws a place, a probability or another number that is as likely in one part of a range as in any other, and the ends of the range
// once in sixteen draws each. rapid.Float64Range and IntRange draw small numbers most: of 0 to 1 they draw more
// than six in ten below 0.001, or in the lowest tenth.
func Evenly(low, high float64) *rapid.Generator[float64] {
	const bits = 16 // those of rapid.Bool are even
	return rapid.Custom(func(t *rapid.T) float64 {
		n := 0
		for _, one := range rapid.SliceOfN(rapid.Bool(), bits, bits).Draw(t, "bits") {
			if n *= 2; one {
				n++
			}
		}
		const end = 1 << (bits - 4)
		switch {
		case n < end:
			return low
		case n >= 1<<bits-end:
			return high
		}
		return min(low+(high-low)*float64(n-end)/(1<<bits-2*end), high)
	})
}
