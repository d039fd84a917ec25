package data_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/stop"
	"bayescpace/data"
	"bayescpace/envs"
)

// TestModels: what is read is what the environments are. A .pomdp file has the
// state and what is seen of it in one, under the same numbers.
func TestModels(t *testing.T) {
	for name, m := range map[string]bcpace.Finite{"tiger": envs.Tiger{}, "chain": envs.Chain{}, "light-dark-tiger": envs.LightDarkTiger{}} {
		want, err := pomdp.FromBAMDP(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{".pomdp", ".pomdpx"} {
			b, err := os.ReadFile(name + kind)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pomdpfile.Read(t.Context(), bytes.NewReader(b), name+kind)
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
			if kind == ".pomdpx" && got.NumVisible() != want.NumVisible() {
				t.Errorf("%s%s: %d visible states, want %d", name, kind, got.NumVisible(), want.NumVisible())
			}
			if got.Discount != want.Discount || !slices.Equal(got.Actions, want.Actions) || got.NumStates() != want.NumStates() {
				t.Fatalf("%s%s: γ = %v, actions %v, %d states", name, kind, got.Discount, got.Actions, got.NumStates())
			}
			for a := range want.Actions {
				if !equal(got.Move[a], want.Move[a]) || !slices.Equal(got.Reward[a], want.Reward[a]) {
					t.Errorf("%s%s: the tables of action %s differ", name, kind, want.Actions[a])
				}
			}
			same := func(a, b pomdp.Entry) bool { return a.At == b.At && math.Abs(a.Value-b.Value) < 1e-14 }
			if !slices.EqualFunc(got.Start, want.Start, same) {
				t.Errorf("%s%s: start %v, want %v", name, kind, got.Start, want.Start)
			}
		}
	}
}

// TestMaze: the maze without a discount has the value that others have found.
func TestMaze(t *testing.T) {
	b, err := os.ReadFile("maze.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	m, err := pomdpfile.Read(t.Context(), bytes.NewReader(b), "maze.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sarsop.Solver{Epsilon: 1e-6}.SolvePOMDP(t.Context(), m, bcpace.Control{})
	const want = -74. / 13
	if err != nil || r.Certificate.Lower > want+1e-9 || r.Certificate.Upper < want-1e-9 || r.Stop != stop.Certified {
		t.Errorf("%+v, %v, want %v", r, err, want)
	}
}

// TestOptima: package eval, which had no part in them, finds the same values, to the
// digits given. Noise is not Finite, no environment takes γ = 1, and Chain without a
// horizon at γ = 0.99 has too many beliefs.
func TestOptima(t *testing.T) {
	all := optima(t)
	ctx, checked := context.Background(), 0
	for _, o := range all {
		if o.QMDP > o.Value || o.Discount <= 0 || o.Discount > 1 || o.Environment == "" {
			t.Errorf("%+v cannot be", o)
		}
		if strings.Contains(o.Setting, "sigma") || o.Discount == 1 || o.Environment == "chain" && o.Discount > 0.95 && o.Horizon == 0 {
			continue
		}
		params := []bcpace.Param{{Key: "discount", Value: fmt.Sprint(o.Discount)}}
		for _, setting := range strings.Fields(o.Setting) {
			key, value, _ := strings.Cut(setting, "=")
			params = append(params, bcpace.Param{Key: key, Value: value})
		}
		m, err := envs.New(o.Environment, params)
		if err != nil {
			t.Fatal(err)
		}
		p, err := dp.QMDPPolicy(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		exact := eval.ExactOptions{Horizon: o.Horizon, Tolerance: 1e-5}
		best, err := eval.Optimal(ctx, m, exact)
		if err != nil {
			t.Fatal(err)
		}
		blind, err := eval.Evaluate(ctx, m, p, exact)
		if err != nil {
			t.Fatal(err)
		}
		const half = 5.1e-4 // of the last of three digits
		if math.Abs(best.Value-o.Value) > half || math.Abs(blind.Value-o.QMDP) > half {
			t.Errorf("%+v: optimum %v, QMDP %v", o, best.Value, blind.Value)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("%d values were checked", checked)
	}
	for i, want := range []exactOptimum{{"tiger", "accuracy=0.85", 0.95, 0, 19.3714, 19.3714}, {"tiger", "accuracy=0.85", 0.95, 100, 19.247, 19.243}} {
		if all[i] != want {
			t.Errorf("row %d is %+v", i, all[i])
		}
	}
}

// exactOptimum is an exact value at the start of an environment.
type exactOptimum struct {
	Environment string  // as in Spec.Name
	Setting     string  // parameters as on the command line, beside the discount
	Discount    float64 // γ
	Horizon     int     // T, 0 for infinite
	Value       float64 // of an optimal policy
	QMDP        float64 // of the QMDP policy
}

// optima returns exact values of the environments, computed by dynamic
// programming over sufficient statistics (Tiger, Chain), by value iteration
// (Light-Dark Tiger) and by dynamic programming on a fine grid, steps 0.01 and
// 0.02 agreeing to 1e-4 (Light-Dark Tiger with noise).
func optima(t *testing.T) (out []exactOptimum) {
	f, err := os.Open("optima.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment, r.FieldsPerRecord = '#', 6
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		var x [4]float64
		for j := range x {
			if x[j], err = strconv.ParseFloat(r[2+j], 64); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, exactOptimum{Environment: r[0], Setting: r[1], Discount: x[0], Horizon: int(x[1]), Value: x[2], QMDP: x[3]})
	}
	return out
}

func equal(a, b *pomdp.Matrix) bool {
	return slices.Equal(a.Row, b.Row) && slices.Equal(a.Col, b.Col) &&
		slices.EqualFunc(a.Value, b.Value, func(x, y float64) bool { return math.Abs(x-y) < 1e-14 })
}

func TestTable1(t *testing.T) {
	table, err := data.Table1()
	if err != nil || len(table) != 4 {
		t.Fatalf("%d rows, %v", len(table), err)
	}
	if f := table[3]; f != (data.Features{"bayes-cpace", true, true, true}) {
		t.Errorf("row 3 is %+v", f)
	}
}
