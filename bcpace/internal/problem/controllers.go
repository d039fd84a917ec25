package problem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/disk"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/store"
)

// ModelFile is a model file, of which the property is asked, with its tables.
type ModelFile struct {
	Name, Property string
	Tables         *pomdp.Model
}

// IsGraph says that the name of a file is that of a policy graph of pomdp-solve.
func IsGraph(name string) bool { return strings.EqualFold(filepath.Ext(name), ".pg") }

// OpenController reads a finite-state controller for the tables of f, of a policy graph (IsGraph) or of Storm's JSON. It returns what the controller
// earns, and a policy that earns no less, as pointbased.SolveController does. A policy graph begins at the node whose vector in the .alpha file beside it is highest at
// the first belief; without such a file at the node that earns most, of which the tables get a note.
func (f ModelFile) OpenController(ctx context.Context, name string) (*pomdp.Solution, error) {
	file, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var c *pomdp.Controller
	if IsGraph(name) {
		c, err = f.graph(ctx, file, name)
	} else if m, p, failed := readExplicit(ctx, f.Name, f.Property); failed != nil {
		return nil, failed
	} else {
		c, err = m.ReadController(ctx, file, name, p)
	}
	if err != nil {
		return nil, err
	}
	begins := c.Start != nil
	found, err := pointbased.SolveController(ctx, f.Tables, c, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !begins {
		f.Tables.Notes = append(f.Tables.Notes, fmt.Sprintf("%s has no .alpha file beside it: the controller begins at node %d, which earns most there", filepath.Base(name), c.Start[0].At))
	}
	return found, nil
}

// graph reads a policy graph, and where it begins.
func (f ModelFile) graph(ctx context.Context, r io.Reader, name string) (*pomdp.Controller, error) {
	c, err := pomdpfile.ReadGraph(ctx, r, name, f.Tables)
	beside := strings.TrimSuffix(name, filepath.Ext(name)) + ".alpha"
	file, failed := disk.Open(beside)
	if err != nil || errors.Is(failed, fs.ErrNotExist) {
		return c, err
	}
	if failed != nil {
		return nil, failed
	}
	defer file.Close()
	list, err := pomdpfile.ReadAlpha(ctx, file, beside, f.Tables)
	if err != nil {
		return nil, err
	}
	same := slices.EqualFunc(list, c.Nodes, func(v pomdpfile.Vector, n pomdp.Node) bool { return v.Action == n.Action })
	if err := bcpace.In(beside).Need(same, "the list of actions", fmt.Sprintf("another one, of %d vectors", len(list)), fmt.Sprintf("that of the %d nodes of %s", len(c.Nodes), name)); err != nil {
		return nil, err
	}
	best, most := 0, math.Inf(-1)
	for i, v := range list {
		value := 0.0
		for _, e := range f.Tables.Start {
			value += e.Value * v.Value[e.At]
		}
		if value > most {
			best, most = i, value
		}
	}
	c.Start = []pomdp.Entry{{At: int32(best), Value: 1}}
	return c, nil
}

// Controller makes a controller of α-vectors for f that were found for of, and returns how many nodes it has, what it earns, and what writes it, as the extension of a file
// says: .pg, .dot, or .json for that of Storm.
func (f ModelFile) Controller(ctx context.Context, of *pomdp.Model, p *pomdp.VectorPolicy, extension string) (nodes int, value float64, write store.Content, err error) {
	c, err := pomdp.ControllerOf(ctx, f.Tables, of, p)
	if err != nil {
		return 0, 0, nil, err
	}
	found, err := pointbased.SolveController(ctx, f.Tables, c, 0)
	if err != nil {
		return 0, 0, nil, err
	}
	switch extension {
	case ".pg":
		write = func(w io.Writer) error { return pomdpfile.WriteGraph(w, f.Tables, c) }
	case ".dot":
		write = func(w io.Writer) error { return c.WriteDot(w, f.Tables) }
	default:
		m, p, err := readExplicit(ctx, f.Name, f.Property)
		if err != nil {
			return 0, 0, nil, err
		}
		write = func(w io.Writer) error { return m.WriteController(ctx, w, p, f.Tables, c) }
	}
	return len(c.Nodes), found.Value, write, nil
}
