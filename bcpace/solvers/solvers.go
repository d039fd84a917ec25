// Package solvers lists the solvers of this module: their names, their parameters, and
// the settings that were tuned for a model. Programs that offer all of them import it;
// others import the solver that they name.
package solvers

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/beb"
	"bayescpace/bcpace/baseline/boss"
	"bayescpace/bcpace/baseline/certain"
	"bayescpace/bcpace/baseline/pbvi"
	"bayescpace/bcpace/baseline/perseus"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/bfs3"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/online/sparse"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Info describes a solver.
type Info struct {
	Name, Doc string
	Params    []Param
	// SavesPolicy says that the policy of a POMDP can be written to a .policy file. It must
	// act on the POMDP's own states then, for which there is a parameter of key Unrevealed.
	SavesPolicy bool
	// Begins says what takes the time before there is anything to keep, and Sooner what
	// shortens it, "" where nothing does.
	Begins, Sooner string

	zero  bcpace.Solver
	tuned func(bcpace.Model) bcpace.Solver
}

// Param is a parameter of a solver.
type Param struct {
	Key   string // its name on a command line
	Field string // of the solver's type, which errors name
	Arg   string // stands for its value in a help text; "" for a switch
	Doc   string
	// Want says what would be right instead of an explicit 0; "" where 0 has a meaning
	// of its own, which Doc gives.
	Want string
	// Zero is the switch that an explicit 0 turns on, where 0 in the field is a default.
	Zero string
}

// Names of the solvers that a program names.
const (
	BayesCPACE = "bayes-cpace"
	Certified  = "certified"
	QMDP       = "qmdp"
	SARSOP     = "sarsop"
	PBVI       = "pbvi"
	Perseus    = "perseus"
	POMDPLite  = "pomdp-lite"
	Certain    = "certainty-equivalent"
	POMCP      = "pomcp"
	Lookahead  = "lookahead"
	AdaOPS     = "adaops"
	DESPOT     = "despot"
	POMCPOW    = "pomcpow"
	Sparse     = "sparse"
	Thompson   = "thompson"
	BEB        = "beb"
	BOSS       = "boss"
	BFS3       = "bfs3"
)

// Unrevealed is the key of the parameter of Info.SavesPolicy.
const Unrevealed = "unrevealed"

const (
	// FiniteGap is the ε of a search on a finite model where none is given, in reward
	// units: its bounds close fast enough for more digits than an exploration by samples.
	FiniteGap = 1e-3
	// continuousSamples is how many samples a certified search takes at most on another
	// model where no limit is given: some seconds' worth.
	continuousSamples = 20_000
	// controlSamples is the same for actions with a Box, of which a sample takes longer.
	controlSamples = 5000
)

var (
	epsilon  = Param{Key: "epsilon", Field: "Epsilon", Arg: "E", Doc: "ε, in reward units"}
	seed     = Param{Key: "seed", Field: "Seed", Arg: "N", Doc: "seed of the random numbers"}
	samples  = Param{Key: "max-samples", Field: "MaxSamples", Arg: "N", Doc: "most samples; 0 for no limit"}
	episodes = Param{Key: "max-episodes", Field: "MaxEpisodes", Arg: "N", Doc: "most episodes; 0 for no limit"}
	lipQ     = Param{Key: "lipschitz", Field: "LipQ", Arg: "L", Doc: "L_Q, in reward units per unit of distance; 0 for ½(Vmax − Vmin), which needs no assumption"}
	control  = Param{Key: "control-points", Field: "ControlPoints", Arg: "N", Doc: "points on each axis of a box of actions, in whose place there is a list; 0 for the default"}
	bound    = Param{Key: "bound", Field: "Bound", Arg: "NAME", Doc: "upper bound of the estimate: constant, best-case or qmdp"}
	budget   = Param{Key: "budget", Field: "Budget", Arg: "B", Doc: "of a decision: of an online planner simulations, such as 1000, or a time, such as 100ms (default 1000), where with a time results depend on the machine; of beb, boss and thompson sweeps over the states", Want: "1 simulation or more, or a time above 0"}
	simulate = Param{Key: "certificate-episodes", Field: "CertificateEpisodes", Arg: "N", Doc: "episodes that the policy plays for a statistical certificate (default 2000, of certified 20000); -1 for none", Want: "1 episode or more, or -1 for none"}
	explore  = Param{Key: "exploration", Field: "Exploration", Arg: "C", Doc: "weight c of UCB1's bonus for rarely tried actions, in reward units (default the range of rewards, and a quarter of it where transitions are unknown)", Want: "c > 0"}
	rollout  = Param{Key: "rollout", Field: "Rollout", Arg: "NAME", Doc: "policy of simulations behind the search tree: blind, which repeats an action (the default for a list of actions), random, or told, which takes the best action for the simulation's latent"}
	unreveal = Param{Key: Unrevealed, Field: "Unrevealed", Doc: "have the policy act on the states of a POMDP as it is given"}
	beliefs  = Param{Key: "beliefs", Field: "Beliefs", Arg: "N", Doc: "most beliefs at which pbvi and perseus make backups (default 1000)", Want: "1 belief or more"}
	stages   = Param{Key: episodes.Key, Field: "MaxStages", Arg: "N", Doc: "most stages; 0 for no limit"}
	sweeps   = Param{Key: budget.Key, Field: "Sweeps", Arg: "N", Doc: "most sweeps over the states at a decision (default 1000)", Want: "1 sweep or more"}
	batch    = Param{Key: "batch", Field: "Batch", Arg: "N", Doc: "episodes between two value iterations; 0 for one after every new sample"}
)

var all = []Info{
	{
		Name: BayesCPACE, Doc: "explores optimistically, as the paper does", zero: cpace.Solver{},
		tuned:  func(m bcpace.Model) bcpace.Solver { return envs.Tuned(m) },
		Begins: "bayes-cpace was at the values of the latent MDPs, which take long in a large model or at a discount near 1", Sooner: "--bound constant, which does without",
		Params: []Param{
			{Key: "k", Field: "K", Arg: "N", Doc: "neighbours averaged in an estimate", Want: "a number of neighbours, 1 or more"},
			lipQ,
			{Key: "alpha", Field: "Alpha", Arg: "A", Doc: "weight of the state's distance against the belief's", Want: "α > 0"},
			bound,
			{Key: "seed-one-hot", Field: "SeedOneHot", Doc: "take the values of the latent MDPs near one-hot beliefs; =false for not"},
			{Key: "beta", Field: "Beta", Arg: "B", Doc: "error allowed in value iteration, in reward units; 0 for convergence"},
			batch,
			{Key: "horizon", Field: "Horizon", Arg: "T", Doc: "steps of an episode; 0 for what ε and the discount ask for"},
			{Key: "return", Field: "Policy", Arg: "RULE", Doc: "the policy to return: greedy, as the paper has it, or best, by simulation, of that one, QMDP and the policies of one action (default best; greedy for the environments of envs)"},
			{Key: "patience", Field: "Patience", Arg: "N", Doc: "episodes in a row without a new sample that end the exploration", Want: "a number of episodes, 1 or more"},
			control,
			{Key: "control-tolerance", Field: "ControlTolerance", Arg: "E", Doc: "how much a greedy control of a box may fall short of the best, in reward units; 0 for ε·(1−γ)/10"},
			samples, episodes, simulate, epsilon, seed,
		},
	},
	{
		Name: Certified, Doc: "brackets the optimal value from both sides until it is known to ε, in models that list what follows a state", zero: certified.Solver{},
		tuned: func(m bcpace.Model) bcpace.Solver {
			if _, finite := bcpace.AsFinite(m); finite {
				return certified.Solver{Epsilon: FiniteGap}
			}
			samples := continuousSamples
			if spec := m.Spec(); spec.HasBox() {
				samples = controlSamples
			}
			return certified.Solver{Epsilon: envs.Tuned(m).Epsilon, MaxSamples: samples}
		},
		Begins: "certified was at its first bounds, which take long in a large model or at a discount near 1", Sooner: "--algorithm bayes-cpace --bound constant, which begins at once",
		Params: []Param{
			samples, episodes,
			{Key: "lip-state", Field: "LipState", Arg: "L", Doc: "L_S where states are not numbered, in reward units per unit of the state's distance; 0 for an estimate"},
			control, simulate, epsilon, seed,
		},
	},
	{
		Name: QMDP, Doc: "acts as if the latent were known after the next step", zero: qmdp.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return qmdp.Solver{} },
		Params: []Param{control},
		Begins: "qmdp was at the values of the latent MDPs, which take long in a large model or at a discount near 1",
	},
	{
		Name: SARSOP, Doc: "brackets the optimal value of any POMDP and of finite models, over the beliefs that good policies reach", zero: sarsop.Solver{},
		tuned:       func(bcpace.Model) bcpace.Solver { return sarsop.Solver{Epsilon: FiniteGap} },
		Begins:      "sarsop was at its first bounds, which take long in a large model or at a discount near 1",
		SavesPolicy: true,
		Params: []Param{
			{Key: samples.Key, Field: "MaxBeliefs", Arg: "N", Doc: "most beliefs; 0 for no limit"},
			{Key: episodes.Key, Field: "MaxTrials", Arg: "N", Doc: "most trials; 0 for no limit"},
			unreveal, epsilon,
		},
	},
	{
		Name: PBVI, Doc: "raises the lower bound of any POMDP or finite model at a set of beliefs, which grows by simulated steps", zero: pbvi.Solver{},
		tuned:       func(bcpace.Model) bcpace.Solver { return pbvi.Solver{Epsilon: FiniteGap} },
		Begins:      "pbvi was at its first bounds, which take long in a large model or at a discount near 1",
		SavesPolicy: true,
		Params:      []Param{beliefs, stages, unreveal, epsilon, seed},
	},
	{
		Name: Perseus, Doc: "raises the lower bound at a set of beliefs that random actions reach, with few backups in a stage", zero: perseus.Solver{},
		tuned:       func(bcpace.Model) bcpace.Solver { return perseus.Solver{Epsilon: FiniteGap} },
		Begins:      "perseus was at its first bounds, which take long in a large model or at a discount near 1",
		SavesPolicy: true,
		Params:      []Param{beliefs, stages, unreveal, epsilon, seed},
	},
	{
		Name: POMDPLite, Doc: "plans at every step as if it learned no more, with a bonus for what an action tells", zero: pomdplite.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return pomdplite.Solver{} },
		Begins: "pomdp-lite was at the value of its policy, which takes a plan for every belief that it reaches",
		Params: []Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "weight β of the bonus, in reward units (default 1% of the range of rewards)", Zero: "NoBonus"}, seed},
	},
	{
		Name: Certain, Doc: "takes the best action for the most likely latent", zero: certain.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return certain.Solver{} },
		Begins: "certainty-equivalent was at the values of the latent MDPs, which take long in a large model or at a discount near 1",
		Params: []Param{control},
	},
	{
		Name: POMCP, Doc: "searches at every decision by simulations under latents drawn from the belief, with UCB1 in the tree; it is BAMCP", zero: pomcp.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return pomcp.Solver{} },
		Begins: "pomcp was at the values of the latent MDPs, for --rollout told, which take long in a large model or at a discount near 1", Sooner: "--rollout blind",
		Params: []Param{budget, explore, rollout},
	},
	{
		Name: DESPOT, Doc: "searches at every decision in a tree of what sampled scenarios can lead to", zero: despot.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return despot.Solver{} },
		Begins: "despot was at the values of the latent MDPs, which take long in a large model or at a discount near 1",
		Params: []Param{
			budget,
			{Key: "scenarios", Field: "Scenarios", Arg: "K", Doc: "scenarios of a decision; 0 for 100"},
			{Key: "regularisation", Field: "Regularisation", Arg: "L", Doc: "price of a node of the policy's tree, in reward units"},
		},
	},
	{
		Name: Lookahead, Doc: "searches at every decision with bounds at the leaves, so that each decision brackets the optimal value where it is made", zero: lookahead.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return lookahead.Solver{} },
		Begins: "lookahead was at its first bounds, which take long in a large model or at a discount near 1",
		Params: []Param{budget, epsilon},
	},
	{
		Name: AdaOPS, Doc: "searches as lookahead does, with one node for all that follows an action within a distance, and by draws where a model lists nothing", zero: adaops.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return adaops.Solver{} },
		Begins: "adaops was at its first bounds, which take long in a large model or at a discount near 1",
		Params: []Param{
			budget,
			{Key: "delta", Field: "Delta", Arg: "R", Doc: "distance within which what follows an action shares a node, in L1 where only beliefs differ (default 0.1); 0 for none that share", Zero: "NoPacking"},
			{Key: "width", Field: "Width", Arg: "N", Doc: "next states that are drawn for each action (default all, where the model lists them, and 30 elsewhere)", Want: "1 draw or more"},
			epsilon,
		},
	},
	{
		Name: POMCPOW, Doc: "searches as pomcp does, also in continuous states and boxes of actions, which it widens as it goes", zero: pomcpow.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return pomcpow.Solver{} },
		Begins: "pomcpow was at the values of the latent MDPs, for --rollout told, which take long in a large model or at a discount near 1", Sooner: "--rollout random",
		Params: []Param{
			budget, explore, rollout,
			{Key: "state-k", Field: "StateK", Arg: "K", Doc: "after n visits an action has K·n^A next states at most (default 4)", Want: "K > 0"},
			{Key: "state-alpha", Field: "StateAlpha", Arg: "A", Doc: "A of --state-k, in (0, 1) (default 0.25)", Want: "A in (0, 1)"},
			{Key: "action-k", Field: "ActionK", Arg: "K", Doc: "after n visits a state has K·n^A actions at most, where some have a box (default 4)", Want: "K > 0"},
			{Key: "action-alpha", Field: "ActionAlpha", Arg: "A", Doc: "A of --action-k, in (0, 1) (default 0.33)", Want: "A in (0, 1)"},
		},
	},
	{
		Name: Sparse, Doc: "estimates each action from draws of what follows, and these from draws behind them, to a small depth", zero: sparse.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return sparse.Solver{} },
		Params: []Param{budget, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action behind the first (default 4)", Want: "1 draw or more"}},
	},
	{
		Name: BFS3, Doc: "searches the tree of sparse sampling where it matters, by bounds; learns transitions that are unknown", zero: bfs3.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return bfs3.Solver{} },
		Params: []Param{budget, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action of a node (default 15)", Want: "1 draw or more"}},
	},
	{
		Name: Thompson, Doc: "draws a latent from the belief, or transitions that are unknown, and takes the best action for what it has drawn", zero: thompson.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return thompson.Solver{} },
		Begins: "thompson was at the values of the latent MDPs, which take long in a large model or at a discount near 1",
		Params: []Param{control, {Key: "every", Field: "Every", Arg: "N", Doc: "steps after which thompson draws anew; 0, the default, for once in an episode, or where transitions are learned when a state and action has been seen twice as often, and after 1/(1−γ) steps at most"}, sweeps},
	},
	{
		Name: BEB, Doc: "takes the best action of the mean MDP, with a bonus for what was seen seldom; learns transitions that are unknown", zero: beb.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return beb.Solver{} },
		Begins: "beb was at the lists of what may follow, which take long in a large model or at a discount near 1",
		Params: []Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "bonus β of an action never seen, in reward units (default 10% of the range of rewards)", Zero: "NoBonus"}, sweeps},
	},
	{
		Name: BOSS, Doc: "takes the best action of the most favourable of several drawn MDPs; learns transitions that are unknown", zero: boss.Solver{},
		tuned:  func(bcpace.Model) bcpace.Solver { return boss.Solver{} },
		Begins: "boss was at the lists of what may follow, which take long in a large model or at a discount near 1",
		Params: []Param{
			{Key: "models", Field: "Models", Arg: "K", Doc: "MDPs that boss draws at once (default 5, with --sboss 2)", Want: "1 MDP or more"},
			{Key: "known", Field: "Known", Arg: "B", Doc: "observations of a state and action after which boss draws anew (default 8)", Want: "1 observation or more"},
			{Key: "sboss", Field: "Smarter", Doc: "have boss draw as many MDPs, and as often, as the variance of the posterior asks for"},
			{Key: "variance", Field: "Variance", Arg: "V", Doc: "variance that one draw of --sboss stands for (default 0.02)", Want: "a variance above 0"},
			{Key: "change", Field: "Change", Arg: "Z", Doc: "change of means after which --sboss draws anew, in standard deviations (default 1)", Want: "a number above 0"},
			sweeps,
		},
	},
}

// List returns all solvers.
func List() []Info { return slices.Clone(all) }

// Find returns the solver of that name.
func Find(name string) (Info, bool) {
	i := slices.IndexFunc(all, func(x Info) bool { return x.Name == name })
	if i < 0 {
		return Info{}, false
	}
	return all[i], true
}

// New returns the solver with the settings tuned for m, of which the description is
// enough. The error is an *bcpace.InputError for an unknown name.
func New(name string, m bcpace.Model) (bcpace.Solver, error) {
	x, ok := Find(name)
	if !ok {
		return nil, &bcpace.InputError{Where: "solvers", What: "the name", Got: strconv.Quote(name), Want: "one of " + strings.Join(Names(), ", ")}
	}
	if m == nil {
		return nil, &bcpace.InputError{Where: "solvers", What: "the model", Got: "nil", Want: "a model, or its description"}
	}
	return x.tuned(m), nil
}

// Names returns the names of all solvers.
func Names() []string {
	var names []string
	for _, x := range all {
		names = append(names, x.Name)
	}
	return names
}

// Param returns the parameter of that key.
func (x Info) Param(key string) (Param, bool) {
	i := slices.IndexFunc(x.Params, func(p Param) bool { return p.Key == key })
	if i < 0 {
		return Param{}, false
	}
	return x.Params[i], true
}

// Explores says that the solver is a runs.Explorer, whose solutions have a run.
func (x Info) Explores() bool {
	_, ok := x.zero.(runs.Explorer)
	return ok
}

// Plans says that the policy of the solver is a bcpace.Planner, which has a budget.
func (x Info) Plans() bool {
	p, _ := x.Param(budget.Key)
	return p.Field == budget.Field
}

// Set returns s with a parameter read from text. The error says what the text should
// have been; it is an *bcpace.InputError for a solver that has no such parameter, and
// for an explicit 0 where that means nothing.
func Set(s bcpace.Solver, key, text string) (bcpace.Solver, error) {
	if kind := reflect.TypeOf(s); kind == nil || kind.Kind() != reflect.Struct {
		return nil, &bcpace.InputError{Where: "solvers", What: "the solver", Got: fmt.Sprintf("%T", s), Want: "a value of a solver's type, as New returns it"}
	}
	x, ok := Find(s.Name())
	p, has := x.Param(key)
	if !ok || !has {
		return nil, &bcpace.InputError{Where: "solver " + s.Name(), What: "the parameter", Got: strconv.Quote(key), Want: "one of " + strings.Join(x.keys(), ", ")}
	}
	v := reflect.New(reflect.TypeOf(s)).Elem()
	v.Set(reflect.ValueOf(s))
	f := v.FieldByName(p.Field)
	if err := parse(f, text); err != nil {
		return nil, err
	}
	if p.Want != "" && f.IsZero() {
		return nil, &bcpace.InputError{Where: "options", What: p.Field, Got: text, Want: p.Want}
	}
	if p.Zero != "" {
		v.FieldByName(p.Zero).SetBool(f.IsZero())
	}
	return v.Interface().(bcpace.Solver), nil
}

func (x Info) keys() (keys []string) {
	for _, p := range x.Params {
		keys = append(keys, p.Key)
	}
	return keys
}

// parse sets a number, a text, a switch or a budget.
func parse(f reflect.Value, text string) error {
	bad := func(want string) error { return fmt.Errorf("want %s", want) }
	if f.Type() == reflect.TypeFor[bcpace.Budget]() {
		b, err := parseBudget(text)
		f.Set(reflect.ValueOf(b))
		return err
	}
	switch f.Kind() {
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return bad("a number")
		}
		f.SetFloat(x)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return bad("a whole number")
		}
		f.SetInt(int64(n))
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return bad("a whole number from 0 up")
		}
		f.SetUint(n)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return bad("true or false")
		}
		f.SetBool(b)
	default:
		if text == "" {
			return bad("a name")
		}
		f.SetString(text)
	}
	return nil
}

// parseBudget reads a number of simulations, such as 1000, or a time, such as 100ms.
func parseBudget(text string) (bcpace.Budget, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return bcpace.Budget{Simulations: n}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return bcpace.Budget{}, fmt.Errorf("want a number of simulations, such as 1000, or a time, such as 100ms")
	}
	return bcpace.Budget{Time: d}, nil
}
