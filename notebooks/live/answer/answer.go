// Package answer computes what the live pages of notebooks/live show. A page asks a
// question in JSON and gets an answer in JSON. The pages run this package as WebAssembly
// in the reader's browser, and a test compares their answers with those of a native
// program.
package answer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/envs"
)

// pages has the function that answers the questions of each page, by the page's name.
var pages = map[string]func(question []byte) (any, error){
	"algorithm": of(Algorithm),
	"covers":    of(Covers),
	"room":      of(Room),
	"simplex":   of(Simplex),
	"tiger":     of(Tiger),
}

// To answers a question of a page, both in JSON. The error is an *bcpace.InputError for
// a page that there is not, and for a question that cannot be read or asks for what the
// page does not offer.
func To(page string, question []byte) ([]byte, error) {
	f, ok := pages[page]
	if !ok {
		return nil, bad("page", page, "one of "+strings.Join(slices.Sorted(maps.Keys(pages)), ", "))
	}
	answer, err := f(question)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// of makes a function of JSON from one of a page's question.
func of[Question, Answer any](f func(Question) (*Answer, error)) func([]byte) (any, error) {
	return func(question []byte) (any, error) {
		var q Question
		d := json.NewDecoder(bytes.NewReader(question))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			return nil, fmt.Errorf("reading the question %s: %w", question, err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, bad("the end", string(question), "one value of JSON and nothing after it")
		}
		return f(q)
	}
}

// asked is where the error is for a part of a question that a page does not offer.
const asked = bcpace.In("the question of a live page")

// bad returns that error.
func bad(what, got, want string) error { return asked.Bad(what, got, want) }

// within returns an error unless the number called what is in [from, to].
func within(what string, x, from, to float64) error {
	return asked.Need(x >= from && x <= to, what, x, fmt.Sprintf("a number from %v to %v", from, to))
}

// CoversQuestion asks for a cover of a set of beliefs over three latents, under the L1
// distance. It names one of the two sets.
type CoversQuestion struct {
	Even    *Even
	Reached *ChainBeliefs
	// Epsilon is ε, the radius of the balls, from 0.1 to 2.
	Epsilon float64
	// Cover is which cover: farthest-first, smallest or largest.
	Cover string
}

// Even are beliefs spread evenly over the simplex.
type Even struct {
	// Parts is the number of parts of a side, from 4 to 16.
	Parts int
}

// ChainBeliefs are the beliefs that envs.Chain can reach from the even belief.
type ChainBeliefs struct {
	// Steps is the number of steps, from 1 to 20.
	Steps int
}

// CoversAnswer has a cover and the covering numbers of a set.
type CoversAnswer struct {
	// Points are the beliefs of the set, and Cover lists those that are the centres.
	Points [][3]float64
	Cover  []int
	// Numbers are what is known of the covering numbers at ε.
	Domination, Separated, Independence, Upper cover.Interval
	// Curve are the sizes of farthest-first nets at falling ε, and of those at ½ε.
	Curve cover.Curve
}

// Covers that a question may ask for.
const coverFarthest, coverSmallest, coverLargest = "farthest-first", "smallest", "largest"

// coversCurve is the number of radii of the curve.
const coversCurve = 24

// Covers covers a set of beliefs, and bounds its covering numbers.
func Covers(q CoversQuestion) (*CoversAnswer, error) {
	ctx := context.Background()
	kinds := []string{coverFarthest, coverSmallest, coverLargest}
	if !slices.Contains(kinds, q.Cover) {
		return nil, bad("Cover", q.Cover, fmt.Sprint("one of ", kinds))
	}
	if err := within("Epsilon", q.Epsilon, 0.1, 2); err != nil {
		return nil, err
	}
	a := &CoversAnswer{}
	var err error
	if a.Points, err = q.set(ctx); err != nil {
		return nil, err
	}
	rows := make([][]float64, len(a.Points))
	for i := range a.Points {
		rows[i] = a.Points[i][:]
	}
	points, err := cover.FromRows(rows)
	if err != nil {
		return nil, err
	}
	x, err := cover.Number(ctx, points, q.Epsilon, cover.Options{Orders: 2})
	if err != nil {
		return nil, err
	}
	a.Domination, a.Separated, a.Independence, a.Upper = x.Domination, x.Separated, x.Independence, x.Upper
	switch q.Cover {
	case coverSmallest:
		a.Cover = x.Smallest
	case coverLargest:
		a.Cover = x.Largest
	default:
		t, err := cover.FarthestFirst(ctx, points, cover.TraversalOptions{Radius: q.Epsilon})
		if err != nil {
			return nil, err
		}
		a.Cover = t.Order
	}
	c, err := cover.NewCurve(ctx, points, cover.Decades(2, 0.1, coversCurve), cover.CurveOptions{})
	if err != nil {
		return nil, err
	}
	a.Curve = *c
	return a, nil
}

// set returns the beliefs of a question.
func (q *CoversQuestion) set(ctx context.Context) (points [][3]float64, err error) {
	switch {
	case (q.Even == nil) == (q.Reached == nil):
		return nil, bad("the set", fmt.Sprintf("Even %v, Reached %v", q.Even, q.Reached), "one of the two")
	case q.Even != nil:
		if err := within("Parts", float64(q.Even.Parts), 4, 16); err != nil {
			return nil, err
		}
		return triangle(q.Even.Parts), nil
	}
	if err := within("Steps", float64(q.Reached.Steps), 1, 20); err != nil {
		return nil, err
	}
	r, err := cover.Reach(ctx, envs.Chain{}, cover.ReachOptions{Depth: q.Reached.Steps})
	if err != nil {
		return nil, err
	}
	for i := range r.Len() {
		points = append(points, [3]float64(r.Belief(i)))
	}
	return distinct(points), nil
}

// distinct returns the beliefs that differ, in order, those that differ by rounding alone
// once.
func distinct(points [][3]float64) [][3]float64 {
	compare := func(x, y [3]float64) int {
		return slices.CompareFunc(x[:], y[:], func(a, b float64) int { return cmp.Compare(math.Round(1e9*a), math.Round(1e9*b)) })
	}
	slices.SortFunc(points, compare)
	return slices.CompactFunc(points, func(x, y [3]float64) bool { return compare(x, y) == 0 })
}
