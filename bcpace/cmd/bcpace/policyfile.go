package main

import (
	"io"
	"os"
	"regexp"
	"strconv"

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

// visibleValues finds the number of visible states in the head of a .policy file.
var visibleValues = regexp.MustCompile(`numObsValue="([0-9]+)"`)

// forPolicyFile returns the model that a .policy file is for: m, or m with the steps
// left among its visible states where the file has so many of them.
func forPolicyFile(name string, m *pomdp.Model) (*pomdp.Model, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 1<<12))
	if err != nil {
		return nil, err
	}
	found := visibleValues.FindSubmatch(head)
	if found == nil {
		return m, nil
	}
	n, err := strconv.Atoi(string(found[1]))
	if steps := n/m.NumVisible() - 1; err == nil && steps > 0 && n%m.NumVisible() == 0 {
		return pomdp.Countdown(m, steps)
	}
	return m, nil
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
