package problem

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// WriteVectors writes the α-vectors of a policy as a .policy file.
func WriteVectors(w io.Writer, m *pomdp.Model, p *pomdp.VectorPolicy) error {
	var list []pomdpfile.Vector
	for x, vectors := range p.Vectors {
		for _, v := range vectors {
			list = append(list, pomdpfile.Vector{Action: v.Action, Visible: x, Value: v.Value})
		}
	}
	return pomdpfile.WritePolicy(w, m, list)
}

// visibleValues finds the number of visible states in the head of a .policy file.
var visibleValues = regexp.MustCompile(`numObsValue="([0-9]+)"`)

// OpenVectors reads a policy from a .policy or .alpha file, and returns it with the model that it is
// for and nothing else: m, or m with the steps left among its visible states where the file has so
// many of them. Where an episode can begin there must be a vector.
func OpenVectors(ctx context.Context, name string, m *pomdp.Model) (*pomdp.Solution, error) {
	file, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const enough = 1 << 12
	b := bufio.NewReaderSize(file, enough)
	head, _ := b.Peek(enough) // an error comes back when the file is read
	if found := visibleValues.FindSubmatch(head); found != nil {
		n, err := strconv.Atoi(string(found[1]))
		if steps := n/m.NumVisible() - 1; err == nil && steps > 0 && n%m.NumVisible() == 0 {
			if m, err = pomdp.FiniteHorizon(m, steps); err != nil {
				return nil, err
			}
		}
	}
	read := pomdpfile.ReadPolicy
	if strings.EqualFold(filepath.Ext(name), ".alpha") {
		read = pomdpfile.ReadAlpha
	}
	list, err := read(ctx, b, name, m)
	if err != nil {
		return nil, err
	}
	p := &pomdp.VectorPolicy{Vectors: make([][]pomdp.Vector, m.NumVisible())}
	for _, v := range list {
		p.Vectors[v.Visible] = append(p.Vectors[v.Visible], pomdp.Vector{Action: v.Action, Value: v.Value})
	}
	for _, e := range m.Start {
		if x := int(e.At) / m.NumHidden(); len(p.Vectors[x]) == 0 {
			return nil, bcpace.In("options").Bad(name, fmt.Sprintf("no vector where %s is visible", strings.Join(pomdp.ValueNames(m.Visible, x), ", ")), "at least one where an episode can begin")
		}
	}
	return &pomdp.Solution{Model: m, Policy: p}, nil
}
