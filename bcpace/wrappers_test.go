package bcpace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/games"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// bare is a finite model of which nothing else is known: what embeds it adds one upgrade.
type bare struct{ bcpace.Finite }

// short is bare, with a horizon.
type short struct{ bare }

func (m short) Spec() bcpace.Spec {
	s := m.Finite.Spec()
	s.Horizon = 4
	return s
}

type (
	tellingStart struct{ bare }
	ranged       struct{ bare }
	lipschitzian struct{ bare }
	finer        struct{ bare }
	keeper       struct{ short }
	drifting     struct{ bare }
	sparse       struct{ drifting }
	mapping      struct{ drifting }
	valued       struct{ bare }
	bounded      struct{ bare }
	told         struct{ bare }
	learning     struct{ bare }
	smooth       struct{ bare }
	validated    struct{ bare }
)

func (tellingStart) StartLogLikelihood([]float64, int) float64 { return -0.25 }
func (ranged) ReturnRange() (lo, hi float64)                   { return -3, 4 }
func (lipschitzian) Lipschitz() bcpace.Lipschitz               { return bcpace.Lipschitz{R: 2, P: 3} }
func (m finer) FinerList() bcpace.Enumerator                   { return tellingStart(m) }
func (keeper) KeepsHorizon() bool                              { return true }
func (drifting) LatentKind() bcpace.LatentKind                 { return bcpace.Redrawn }
func (drifting) LatentTransition(p []float64, _ []float64, _, latent int) bool {
	clear(p)
	p[1-latent] = 1
	return true
}
func (sparse) LatentMoves(to []int32, share []float64, _ []float64, _, latent int) ([]int32, []float64) {
	return append(to, int32(1-latent)), append(share, 1)
}
func (mapping) NextLatent(_ []float64, _, latent int) int     { return 1 - latent }
func (valued) Q([]float64, int, int) float64                  { return 1 }
func (bounded) Lower([]float64, bcpace.Belief) (float64, int) { return 0, 0 }
func (bounded) Upper([]float64, bcpace.Belief) float64        { return 1 }
func (m told) Told() bcpace.Finite                            { return m.Finite }
func (smooth) Smoothness() (bcpace.Smoothness, bool) {
	return bcpace.Smoothness{Sigma: []float64{1, 2}, Mean: func([]float64, []float64, int, int) {}, Reward: func([]float64, int, int) float64 { return 0 }}, true
}
func (learning) TransitionPrior() (prior bcpace.TransitionPrior) { return prior }
func (validated) Validate() error                                { return nil }

// What a wrapper makes of an upgrade of the model inside.
const (
	carried = "carried" // it answers as the model inside does
	dropped = "dropped" // it has not got it: what the upgrade says would be false of it, or needs another form
	refused = "refused" // there is no such wrapper of a model with it
)

// TestWrappersCarryUpgrades: what a model says of itself beyond the methods of Model is known
// behind each wrapper, or refused, or dropped for a reason that stands here.
func TestWrappersCarryUpgrades(t *testing.T) {
	inner := bare{envs.Tiger{Ends: true}}
	orNil := func(m bcpace.Model, err error) bcpace.Model {
		if err != nil {
			return nil
		}
		return m
	}
	wrappers := map[string]func(upgraded func(bare) bcpace.Finite) bcpace.Model{
		"FiniteHorizon": func(m func(bare) bcpace.Finite) bcpace.Model { return orNil(bcpace.FiniteHorizon(m(inner), 3)) },
		"KeepHorizon":   func(m func(bare) bcpace.Finite) bcpace.Model { return bcpace.KeepHorizon(m(bare{short{inner}})) },
		"WithPrior": func(m func(bare) bcpace.Finite) bcpace.Model {
			return orNil(bcpace.WithPrior(m(inner), bcpace.Belief{0.3, 0.7}))
		},
		"OneShot":  func(m func(bare) bcpace.Finite) bcpace.Model { return orNil(games.OneShot(m(inner))) },
		"Repeated": func(m func(bare) bcpace.Finite) bcpace.Model { return orNil(games.Repeated(m(inner))) },
	}
	all := func(what string) map[string]string {
		w := make(map[string]string)
		for name := range wrappers {
			w[name] = what
		}
		return w
	}
	but := func(w map[string]string, what string, names ...string) map[string]string {
		for _, name := range names {
			w[name] = what
		}
		return w
	}
	plain := func(b bare) bcpace.Finite { return b }
	upgrades := map[string]struct {
		model func(b bare) bcpace.Finite
		holds func(m bcpace.Model) bool // that m says what the model does
		want  map[string]string
	}{
		"Enumerator": {plain, func(m bcpace.Model) bool { _, ok := m.(bcpace.Enumerator); return ok }, all(carried)},
		"Finite":     {plain, func(m bcpace.Model) bool { _, ok := bcpace.AsFinite(m); return ok }, all(carried)},
		"StartLikelihood": {func(b bare) bcpace.Finite { return tellingStart{b} }, func(m bcpace.Model) bool {
			l, ok := m.(bcpace.StartLikelihood)
			return ok && l.StartLogLikelihood(make([]float64, len(m.Spec().Axes)), 0) == -0.25
		}, all(carried)},
		// The return of a game is that of many episodes.
		"ReturnRange": {func(b bare) bcpace.Finite { return ranged{b} }, func(m bcpace.Model) bool { lo, hi := solverkit.RangeOfReturns(m); return lo == -3 && hi == 4 },
			but(all(carried), dropped, "OneShot", "Repeated")},
		// The distance of two states is another one with one more axis.
		"Lipschitz": {func(b bare) bcpace.Finite { return lipschitzian{b} }, func(m bcpace.Model) bool { _, ok, _ := solverkit.LipschitzOf(m); return ok },
			but(all(dropped), carried, "WithPrior")},
		// A game and the steps left have an axis without noise.
		"Smoothness": {func(b bare) bcpace.Finite { return smooth{b} }, func(m bcpace.Model) bool {
			stated := bcpace.AbilitiesOf(m).Smoothness
			return stated != nil && len(stated().Sigma) == 2
		}, but(all(dropped), carried, "WithPrior")},
		// A game is finite, and nothing that has a density is.
		"FinerList": {func(b bare) bcpace.Finite { return finer{b} }, func(m bcpace.Model) bool {
			list := bcpace.AbilitiesOf(m).FinerList
			if list == nil {
				return false
			}
			l, ok := list().(bcpace.StartLikelihood) // that of tellingStart
			return ok && l.StartLogLikelihood(make([]float64, len(m.Spec().Axes)), 0) == -0.25
		}, but(all(carried), dropped, "OneShot", "Repeated")},
		"KeepsHorizon": {func(b bare) bcpace.Finite { return keeper{short{b}} }, func(m bcpace.Model) bool { return solverkit.CheckStationary(m, "") == nil },
			but(all(carried), refused, "OneShot", "Repeated")},
		"LatentDynamics": {func(b bare) bcpace.Finite { return drifting{b} }, func(m bcpace.Model) bool {
			d, ok := m.(bcpace.LatentDynamics)
			p := make([]float64, 2)
			return ok && bcpace.KindOf(m) == bcpace.Redrawn && d.LatentTransition(p, stateOf(m), 0, 0) && p[1] == 1
		}, but(all(carried), refused, "OneShot", "Repeated")},
		"SparseLatent":        {func(b bare) bcpace.Finite { return sparse{drifting{b}} }, movesSparsely, but(all(carried), refused, "OneShot", "Repeated")},
		"DeterministicLatent": {func(b bare) bcpace.Finite { return mapping{drifting{b}} }, movesSparsely, but(all(carried), refused, "OneShot", "Repeated")},
		// Values and bounds are of another model than one with steps left or with games.
		"LatentValues":       {func(b bare) bcpace.Finite { return valued{b} }, func(m bcpace.Model) bool { _, ok := m.(bcpace.LatentValues); return ok }, but(all(dropped), refused, "WithPrior")},
		"ValueBounds":        {func(b bare) bcpace.Finite { return bounded{b} }, func(m bcpace.Model) bool { _, ok := m.(bcpace.ValueBounds); return ok }, but(all(dropped), refused, "WithPrior")},
		"ToldModel":          {func(b bare) bcpace.Finite { return told{b} }, func(m bcpace.Model) bool { _, ok := m.(bcpace.ToldModel); return ok }, but(all(dropped), refused, "WithPrior")},
		"UnknownTransitions": {func(b bare) bcpace.Finite { return learning{b} }, func(m bcpace.Model) bool { _, ok := m.(bcpace.UnknownTransitions); return ok }, but(all(refused), dropped, "KeepHorizon")},
		"Validator":          {func(b bare) bcpace.Finite { return validated{b} }, func(m bcpace.Model) bool { v, ok := m.(bcpace.Validator); return ok && v.Validate() == nil }, all(carried)},
	}
	for name, u := range upgrades {
		if !u.holds(u.model(inner)) {
			t.Errorf("%s: the model of this test has it not", name)
		}
		for wrapper, wrap := range wrappers {
			got := refused
			if m := wrap(u.model); m != nil {
				if got = dropped; u.holds(m) {
					got = carried
				}
			}
			if got != u.want[wrapper] {
				t.Errorf("%s of a model with %s: it is %s, want %s", wrapper, name, got, u.want[wrapper])
			}
		}
	}
	// A new interface is an upgrade of models, which belongs above, or one of these.
	others := strings.Fields("Model UpperBound Policy Solver Explorer Values Snapshotter")
	for _, name := range interfacesOf(t, ".") {
		if _, ok := upgrades[name]; !ok && !slices.Contains(others, name) {
			t.Errorf("the interface %s is not looked at: what do wrappers of models make of it?", name)
		}
	}
}

// TestDiscretisedCarriesUpgrades is the same for a list in the place of boxes of controls.
func TestDiscretisedCarriesUpgrades(t *testing.T) {
	given, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := bcpace.Discretised(given, 3)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]func(m bcpace.Model) bool{
		"Enumerator": func(m bcpace.Model) bool { _, ok := m.(bcpace.Enumerator); return ok },
		"Smoothness": func(m bcpace.Model) bool {
			a := bcpace.AbilitiesOf(m)
			if a.Smoothness == nil {
				return false
			}
			s, mean := a.Smoothness(), []float64{0}
			s.Mean(mean, []float64{1}, 0, 2) // the largest control, of gain 1
			return mean[0] == 2
		},
		"Lipschitz": func(m bcpace.Model) bool { _, ok, _ := solverkit.LipschitzOf(m); return ok },
		"FinerList": func(m bcpace.Model) bool {
			finer := bcpace.AbilitiesOf(m).FinerList
			return finer != nil && finer() != nil
		},
		"StartLikelihood": func(m bcpace.Model) bool { _, ok := m.(bcpace.StartLikelihood); return ok },
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if !kept[name](listed) {
			t.Errorf("a list in the place of boxes has lost %s", name)
		}
	}
}

// TestFinerListKeepsTheHorizon: the list behind FiniteHorizon is that of the finer model.
func TestFinerListKeepsTheHorizon(t *testing.T) {
	given, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := bcpace.Discretised(given, 3)
	if err != nil {
		t.Fatal(err)
	}
	m := bcpace.KeepHorizon(withHorizon{listed.(finerLister)}).(finerLister)
	finer := m.FinerList()
	if finer == nil {
		t.Fatal("there is no finer list")
	}
	if solverkit.CheckStationary(finer, "") != nil || finer.Spec().Horizon != 5 {
		t.Error("the finer list has no steps left")
	}
	count := func(m bcpace.Enumerator) int {
		l := bcpace.NewLister(m)
		if err := l.List([]float64{0, 5}, 0); err != nil {
			t.Fatal(err)
		}
		return l.Successors.Len()
	}
	if few, many := count(m), count(finer); many < few*3/2 {
		t.Errorf("%d successors, and %d of the finer list", few, many)
	}
}

type finerLister interface {
	bcpace.Enumerator
	FinerList() bcpace.Enumerator
}

// withHorizon is a model that is cut after five steps.
type withHorizon struct{ finerLister }

func (m withHorizon) Spec() bcpace.Spec {
	s := m.finerLister.Spec()
	s.Horizon = 5
	return s
}
func (m withHorizon) FinerList() bcpace.Enumerator {
	return withHorizon{m.finerLister.FinerList().(finerLister)}
}

// stateOf returns a state of m in which steps are left.
func stateOf(m bcpace.Model) []float64 {
	s := make([]float64, len(m.Spec().Axes))
	if len(s) > 1 {
		s[len(s)-1] = 2
	}
	return s
}

func movesSparsely(m bcpace.Model) bool {
	can := bcpace.AbilitiesOf(m)
	if can.LatentMoves == nil {
		return false
	}
	to, share := can.LatentMoves(nil, nil, stateOf(m), 0, 0)
	return len(to) == 1 && to[0] == 1 && math.Abs(share[0]-1) < 1e-12
}

// interfacesOf returns the names of the exported interfaces of the package in a folder.
func interfacesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	pkgs, err := parser.ParseDir(token.NewFileSet(), dir, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		ast.Inspect(p, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() {
				if _, ok := s.Type.(*ast.InterfaceType); ok {
					names = append(names, s.Name.Name)
				}
			}
			return true
		})
	}
	return names
}

// TestDeriveHandsOnEverything: a model made of another by a change of nothing can do all that the
// other one can, and does the same.
func TestDeriveHandsOnEverything(t *testing.T) {
	b := bare{envs.Tiger{Ends: true}}
	given, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(bcpace.Model, *bcpace.Abilities) {}
	had := map[string]bool{}
	for name, m := range map[string]bcpace.Model{"telling start": tellingStart{b}, "ranged": ranged{b}, "smooth": smooth{b}, "lipschitzian": lipschitzian{b}, "finer": finer{b},
		"keeper": keeper{short{b}}, "validated": validated{b}, "drifting": drifting{b}, "sparse": sparse{drifting{b}}, "mapping": mapping{drifting{b}}, "dual control": given,
		"discretised": must(bcpace.Discretised(given, 3)), "with steps left": must(bcpace.FiniteHorizon(b, 3))} {
		was, is := reflect.ValueOf(bcpace.AbilitiesOf(m)), reflect.ValueOf(bcpace.AbilitiesOf(bcpace.Derive(m, nothing)))
		for i := range was.NumField() {
			field := was.Type().Field(i).Name
			if slices.Contains([]string{"Behind", "Points", "IDs", "StepsLeft"}, field) { // which Derive forgets
				had[field] = true
				continue
			}
			x, y := was.Field(i), is.Field(i)
			if field == "FinerList" && x.IsNil() == y.IsNil() { // a function of its own, which derives from the finer list
				continue
			}
			if x.IsZero() != y.IsZero() || x.Kind() != reflect.Func && !reflect.DeepEqual(x.Interface(), y.Interface()) {
				t.Errorf("%s: %s is %v, and derived %v", name, field, x, y)
			}
			had[field] = had[field] || !x.IsZero()
		}
	}
	kind := reflect.TypeFor[bcpace.Abilities]()
	for i := range kind.NumField() {
		if name := kind.Field(i).Name; !had[name] && name != "FinerList" {
			t.Errorf("no model of this test has the ability %s", name)
		}
	}
}

func must(m bcpace.Model, err error) bcpace.Model {
	if err != nil {
		panic(err)
	}
	return m
}
