package pomdpfile

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// patience is a context that ends when it is looked at for the last time allowed.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a context ends, a reader returns its error and no model.
func TestReadEnds(t *testing.T) {
	wide := "discount: 0.5\nvalues: reward\nstates: 4000\nactions: 3\nobservations: 2\nT: * identity\nT: 1 : 5 uniform\nO: * uniform\nR: 1 : * : 7 : 1 3\n"
	factored := `<pomdpx version="1.0"><Discount>0.9</Discount><Variable>
<StateVar vnamePrev="s0" vnameCurr="s1"><NumValues>100</NumValues></StateVar><StateVar vnamePrev="t0" vnameCurr="t1"><NumValues>100</NumValues></StateVar>
<ActionVar vname="a"><NumValues>2</NumValues></ActionVar><RewardVar vname="r"/></Variable>
<InitialStateBelief><CondProb><Var>s0</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>t0</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb></InitialStateBelief>
<StateTransitionFunction><CondProb><Var>s1</Var><Parent>a s0</Parent><Parameter><Entry><Instance>* - -</Instance><ProbTable>identity</ProbTable></Entry></Parameter></CondProb>
<CondProb><Var>t1</Var><Parent>t0</Parent><Parameter type="DD"><DAG><SubDAG type="persistent" var="t1"/></DAG></Parameter></CondProb></StateTransitionFunction>
<RewardFunction><Func><Var>r</Var><Parent>t1</Parent><Parameter><Entry><Instance>s3</Instance><ValueTable>2</ValueTable></Entry></Parameter></Func></RewardFunction></pomdpx>`
	for _, text := range []string{wide, factored} {
		finished := false
		for looks := 0; !finished; looks = looks*5/4 + 1 {
			m, err := Read(&patience{t.Context(), looks}, strings.NewReader(text), "f")
			if finished = err == nil; finished {
				if m.NumStates() < 4000 || looks < 5 {
					t.Errorf("%d states after %d looks", m.NumStates(), looks)
				}
				break
			}
			var located *Error
			if m != nil || !errors.Is(err, context.Canceled) || !errors.As(err, &located) || located.Line < 1 {
				t.Fatalf("after %d looks: %v, %v", looks, m, err)
			}
		}
	}
}

// A source that has nothing more to say does not hold a reader up.
func TestReadBlocked(t *testing.T) {
	m := read3(t)
	for name, read := range map[string]func(ctx context.Context, r io.Reader) error{
		"model":  func(ctx context.Context, r io.Reader) error { _, err := Read(ctx, r, "f"); return err },
		"pomdp":  func(ctx context.Context, r io.Reader) error { _, err := ReadPOMDP(ctx, r, "f"); return err },
		"pomdpx": func(ctx context.Context, r io.Reader) error { _, err := Read(ctx, r, "f"); return err },
		"alpha":  func(ctx context.Context, r io.Reader) error { _, err := ReadAlpha(ctx, r, "f", m); return err },
		"policy": func(ctx context.Context, r io.Reader) error { _, err := ReadPolicy(ctx, r, "f", m); return err },
	} {
		r, w := io.Pipe()
		why := errors.New("enough of " + name)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			io.WriteString(w, "  ") // returns once it is read
			cancel(why)
		}()
		err := read(ctx, r)
		if !errors.Is(err, why) || !strings.HasPrefix(err.Error(), "f:1: ") {
			t.Errorf("%s: %v", name, err)
		}
		r.Close()
	}
}

// Reading under a context that could end finds what reading without finds.
func TestReadUnderContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, text := range []string{every, rover, roverDD, minimal} {
		with, err := Read(ctx, strings.NewReader(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		without, err := Read(context.Background(), strings.NewReader(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		if err := compare(with, without, 0); err != nil {
			t.Error(err)
		}
	}
}
