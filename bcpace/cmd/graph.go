package cmd

import (
	"cmp"

	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/store"
)

// graphFlags adds the flags of a controller.
func (a *exportArgs) graphFlags(f *flags) {
	f.section("controller")
	f.value("policy", "FILE", "policy of α-vectors for a model file: what solve --out has saved, or with --model any file that --policy of eval takes", text(&a.saved.policy))
	f.value("model", "FILE", "the model file, where the policy does not name it", text(&a.saved.model))
	propertyFlag(f, &a.saved.property)
	f.value("graph", "FILE", "write a controller with a node for each vector that is followed, at most 10,000: .pg as pomdp-solve does, .json as Storm does, for a .drn model, or .dot for Graphviz. "+
		"What it earns is printed, which may be less than the policy does", text(&a.graph))
}

// writeGraph writes a policy as a controller.
func (a *exportArgs) writeGraph(p program, f *flags) error {
	format := extension(a.graph)
	if err := cmp.Or(
		need(f.given["policy"] && f.given["graph"], "--policy and --graph go together"),
		f.excludes("graph", "run", "samples", "trace"),
		need(format == ".pg" || format == ".json" || format == ".dot", "%q is no name of a controller, want one that ends in .pg, .json or .dot", a.graph),
		need(!sameFile(a.graph, a.saved.policy) && !sameFile(a.graph, a.saved.model), "--graph names the file of another flag"),
		f.checkTarget("graph", a.graph, stormKind, graphKind)); err != nil {
		return err
	}
	s, err := a.saved.open(p, f)
	if err != nil {
		return err
	}
	var vectors *pomdp.VectorPolicy
	if s.found != nil {
		vectors, _ = s.found.Policy.(*pomdp.VectorPolicy)
	}
	if vectors == nil {
		return inputError("--policy", a.saved.policy, "a policy of α-vectors for a model file, as sarsop, pbvi and perseus find: solve --model FILE --algorithm sarsop --out FILE")
	}
	of := problem.ModelFile{Name: a.saved.model, Property: a.saved.property, Tables: s.tables}
	if s.kept != nil {
		of.Name, of.Property = cmp.Or(of.Name, valueOf(s.kept.Params, fileParam)), cmp.Or(of.Property, valueOf(s.kept.Params, propertyParam))
	}
	nodes, value, write, err := of.Controller(p.ctx, s.found.Model, vectors, format)
	if err == nil {
		err = store.WriteFile(a.graph, write)
	}
	if err != nil {
		return interrupted(err)
	}
	return f.printTable(p.stdout, facts{{"model", "model", s.tables.Name}, {"nodes", "nodes", nodes}, {"controller", "controller", number(value)}})
}
