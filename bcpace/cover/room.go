package cover

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"

	"bayescpace/bcpace"
)

// maxMemory is how many bytes the coordinates of points that are read may take.
const maxMemory = 4 << 30

// CheckRoom returns an *bcpace.InputError where so many coordinates of points that are read from a file take more than
// 4 GB of memory. Where the environment variable GOMEMLIMIT or debug.SetMemoryLimit sets a limit for the program, half of
// that one holds in its place, be it larger or smaller: a list of coordinates is there twice for a while as it grows.
func CheckRoom(coordinates int) error {
	most := maxMemory
	if own, limited := ownLimit(); limited {
		most = own / 2
	}
	if coordinates <= most/8 {
		return nil
	}
	return bcpace.In("points").Bad("the list", fmt.Sprintf("larger than the memory for its coordinates, %v MB", float64(most)/(1<<20)),
		"fewer rows, such as every tenth, or fewer columns; or a larger limit, twice what the coordinates take, in the environment variable GOMEMLIMIT")
}

// ownLimit returns the limit of the program's memory, if there is one.
func ownLimit() (most int, limited bool) {
	own := debug.SetMemoryLimit(-1)
	return int(own), own < math.MaxInt64
}

// Bytes that nets, orders and bounds take for each point, beside its coordinates once more: measured with ten million
// points of three coordinates, of which Go's collector lets up to twice as much stand.
const bytesEach = 70

// maxWork is how many bytes nets, orders and bounds may take, unless the program has a limit of its own.
const maxWork = 16 << 30

// ready returns an *bcpace.InputError unless the points are valid and there is memory for what is computed of them.
func (p *Points) ready() error {
	most, limited := ownLimit()
	if !limited {
		most = maxWork
	}
	need := p.Len() * (bytesEach + 8*p.Dim)
	return cmp.Or(p.Validate(), bcpace.In("points").Need(need <= most && p.Len() < math.MaxInt32, "the list",
		fmt.Sprintf("%d points, for which some %d MB of memory are needed", p.Len(), need>>20),
		"fewer points, such as every tenth; or a larger limit in the environment variable GOMEMLIMIT"))
}
