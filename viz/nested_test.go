package viz

import (
	"image/color"
	"testing"
)

// TestMarkersAtOnePlaceAreAllSeen: two actions with the same sample each keep
// most of a marker's pixels.
func TestMarkersAtOnePlaceAreAllSeen(t *testing.T) {
	area := func(both bool) (n [2]int) {
		v := beliefValues{model: "m", latent: "l", other: "o", b: []float64{0, 1}}
		for i := range 2 {
			a := actionValues{name: "a", q: []float64{float64(i), float64(i)}, known: []bool{false, false}}
			if both || i == 0 {
				a.sampleB, a.sampleQ = []float64{0.5}, []float64{0.5}
			}
			v.actions = append(v.actions, a)
		}
		f := must(v.figure())
		f.Legend = nil
		img, err := f.Image(2)
		if err != nil {
			t.Fatal(err)
		}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				for i := range 2 {
					if c := styleOf(i).color; img.At(x, y) == (color.RGBA{c.R, c.G, c.B, 255}) {
						n[i]++
					}
				}
			}
		}
		return n
	}
	alone, both := area(false), area(true)
	if alone[0] == 0 || both[0] < alone[0]*2/3 || both[1] < alone[0]/3 {
		t.Errorf("pixels of the two markers are %v, of the first alone %v", both, alone)
	}
}
