package pomdpfile

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// big returns a file of n states and two actions in one of three forms.
func big(form string, n int) []byte {
	var b bytes.Buffer
	const tail = `</Parameter></CondProb></StateTransitionFunction><RewardFunction><Func><Var>r</Var><Parent>null</Parent><Parameter></Parameter></Func></RewardFunction></pomdpx>`
	head := fmt.Sprintf(`<pomdpx version="1.0"><Discount>0.9</Discount><Variable><StateVar vnamePrev="s" vnameCurr="t"><NumValues>%d</NumValues></StateVar>
<ActionVar vname="a"><NumValues>2</NumValues></ActionVar><RewardVar vname="r"/></Variable><InitialStateBelief><CondProb><Var>s</Var><Parent>null</Parent>
<Parameter><Entry><Instance>-</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb></InitialStateBelief>
<StateTransitionFunction><CondProb><Var>t</Var><Parent>a s</Parent><Parameter>`, n)
	switch form {
	case "table":
		b.WriteString(head)
		for a := range 2 {
			fmt.Fprintf(&b, "<Entry><Instance>a%d - -</Instance><ProbTable>", a)
			for s := range n {
				b.WriteString(strings.Repeat("0 ", s) + "1.0 " + strings.Repeat("0 ", n-1-s) + "\n")
			}
			b.WriteString("</ProbTable></Entry>")
		}
		b.WriteString(tail)
	case "entries":
		b.WriteString(head)
		for i := range 2 * n {
			for k := range 2 {
				fmt.Fprintf(&b, "<Entry><Instance>a%d s%d s%d</Instance><ProbTable>0.5</ProbTable></Entry>\n", i/n, i%n, (i*7+k)%n)
			}
		}
		b.WriteString(tail)
	case "pomdp":
		fmt.Fprintf(&b, "discount: 0.9\nvalues: reward\nstates: %d\nactions: 2\nobservations: 1\nO: * uniform\n", n)
		for i := range 2 * n {
			for k := range 2 {
				fmt.Fprintf(&b, "T: %d : %d : %d 0.5\n", i/n, i%n, (i*7+k)%n)
			}
		}
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	for form, n := range map[string]int{"table": 1000, "entries": 20_000, "pomdp": 20_000} {
		data := big(form, n)
		b.Run(form, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(b.Context(), bytes.NewReader(data), form); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	m, err := Read(b.Context(), bytes.NewReader(big("entries", 20_000)), "big")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("pomdp", func(b *testing.B) {
		for b.Loop() {
			if err := WritePOMDP(io.Discard, m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pomdpx", func(b *testing.B) {
		for b.Loop() {
			if err := WritePOMDPX(io.Discard, m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Files much longer than the buffer, whose tables have a closed form.
func TestReadBig(t *testing.T) {
	for form, n := range map[string]int{"table": 500, "entries": 5000, "pomdp": 20_000} {
		data := big(form, n)
		if len(data) < 3*bufferSize {
			t.Errorf("%s: %d bytes", form, len(data))
		}
		m, err := Read(t.Context(), bytes.NewReader(data), form)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		for a, move := range m.Move {
			for s := range n {
				i := a*n + s
				first, second := i*7%n, (i*7+1)%n
				col, value := move.At(s)
				if form == "table" {
					first, second = s, s
				}
				if value[0] != 1/float64(len(col)) || int(col[0]) != min(first, second) || int(col[len(col)-1]) != max(first, second) {
					t.Fatal(form, a, s, col, value)
				}
			}
		}
	}
}
