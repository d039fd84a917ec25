package main

import (
	"io"
	"os"

	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// policyFile writes the α-vectors of a policy as a .policy file.
type policyFile struct {
	model  *pomdp.Model
	policy *sarsop.Policy
}

// WriteTo implements io.WriterTo.
func (p policyFile) WriteTo(w io.Writer) (int64, error) {
	var list []pomdpfile.Vector
	for x, vectors := range p.policy.Vectors {
		for _, v := range vectors {
			list = append(list, pomdpfile.Vector{Action: v.Action, Visible: x, Value: v.Value})
		}
	}
	c := counter{w: w}
	err := pomdpfile.WritePolicy(&c, p.model, list)
	return c.n, err
}

// counter counts the bytes written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// openPolicy reads the policy of a model from a .policy file.
func openPolicy(name string, m *pomdp.Model) (*sarsop.Policy, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list, err := pomdpfile.ReadPolicy(file, name, m)
	if err != nil {
		return nil, err
	}
	p := &sarsop.Policy{Vectors: make([][]sarsop.Vector, m.NumVisible())}
	for _, v := range list {
		p.Vectors[v.Visible] = append(p.Vectors[v.Visible], sarsop.Vector{Action: v.Action, Value: v.Value})
	}
	for x, vectors := range p.Vectors {
		if len(vectors) == 0 {
			return nil, inputError(name, "no vector for visible state "+m.StateName(x*m.NumHidden()), "at least one vector for each visible state")
		}
	}
	return p, nil
}
