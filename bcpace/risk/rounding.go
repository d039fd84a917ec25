package risk

import (
	"math"
	"slices"
)

// Numbers are equal here where rounding alone can be what they differ by: by a share of the numbers that they were computed from, never by one of
// what the model may pay elsewhere. Two rewards that differ by more tell latents apart, and a return that falls short of a level by more is below it.
const (
	// rounded is the share of a number by which another one may differ that is equal, some 32 of the last bits.
	rounded = 0x1p-47
	// unit is twice the share of a number by which one operation rounds it.
	unit = 0x1p-52
)

// equal reports whether two numbers differ by rounding at most.
func equal(x, y float64) bool { return math.Abs(x-y) <= rounded*max(math.Abs(x), math.Abs(y)) }

// size bounds the size of what a number that several histories may have come to was computed from: the least of theirs, and the most.
type size struct{ least, most float64 }

// after returns the size of what is left of a level after a reward, where z is that before it.
func (z size) after(reward, discount float64) size {
	r := math.Abs(reward)
	return size{(z.least + r) / discount, (z.most + r) / discount}
}

// with returns the size for other histories too.
func (z size) with(y size) size { return size{min(z.least, y.least), max(z.most, y.most)} }

// points are numbers, of which those that are equal but for rounding are one.
type points struct {
	list   []float64
	scales []float64
	near   map[scaled]int32 // by scale and multiple of it
	known  map[scaled]int32 // by scale and number
}

// scaled is a number among those which are equal where they differ by scale.
type scaled struct{ scale, x float64 }

// scaleOf returns a power of 16, x or less.
func scaleOf(x float64) float64 {
	_, e := math.Frexp(max(x, 0x1p-1000))
	return math.Ldexp(1, 4*int(math.Floor(float64(e-1)/4)))
}

// find returns the point for y, which was computed from numbers of a size. Where there is none, it is a new one if that is allowed, and otherwise the
// nearest one. The same y and size have the same point always, whatever points there are by then.
func (p *points) find(y, size float64, allowed bool) int32 {
	own := scaled{scaleOf(rounded * size), y}
	if at, there := p.known[own]; there {
		return at
	}
	at := p.nearest(own)
	switch {
	case at >= 0 && math.Abs(p.list[at]-y) <= own.scale:
	case allowed:
		at = p.add(own)
	default: // no reward of the lists has led here
		return int32(nearest(p.list, y))
	}
	if allowed {
		p.known[own] = at
	}
	return at
}

// nearest returns a point within the scale of y, or −1.
func (p *points) nearest(y scaled) int32 {
	for _, scale := range p.scales {
		if at, there := p.near[scaled{scale, math.Round(y.x / scale)}]; there && math.Abs(p.list[at]-y.x) <= y.scale {
			return at
		}
	}
	return -1
}

func (p *points) add(y scaled) int32 {
	if p.near == nil {
		p.near, p.known = map[scaled]int32{}, map[scaled]int32{}
	}
	if !slices.Contains(p.scales, y.scale) {
		p.scales = append(p.scales, y.scale)
	}
	at := int32(len(p.list))
	p.list = append(p.list, y.x)
	p.near[scaled{y.scale, math.Round(y.x / y.scale)}] = at
	return at
}
