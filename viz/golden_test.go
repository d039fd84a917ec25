package viz

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

var update = flag.Bool("update", false, "write the golden images anew")

// goldens are one of each kind of figure, and the variants that look
// different. Their values are made here, so that the images change with the
// drawing only.
func goldens() map[string]Chart {
	return map[string]Chart{
		"qbelief":           must(tigerValues(true).figure()),
		"qbelief_plain":     must(tigerValues(false).figure()),
		"room_cells":        gridRoom(),
		"room":              noisyRoom(),
		"exploration_20":    explorationOf(20, false),
		"exploration_20000": explorationOf(20_000, false),
		"exploration_log":   explorationOf(20_000, true),
		"simplex":           must(threeActions().figure()),
		"belief_cover":      coveredBeliefs(),
		"bounds":            oneBounds(),
		"bounds_gaps":       manyBounds(),
		"beliefs_2":         tigerBeliefs(),
		"belief_points":     twoClouds(),
		"belief_quantiles":  positionQuantiles(),
		"beliefs_3":         chainBeliefs(),
		"returns": Returns{
			Title: "Return of the greedy policy: tiger", Values: returnsOf(20_000),
			References: []Reference{{"optimum", 19.4}, {"QMDP", 16.5}},
		},
		"returns_20": Returns{Values: returnsOf(20)},
		"lines":      threeLines(),
		"lines_log": Lines{
			Title: "Covering number", XLabel: "ε (reward units)", YLabel: "samples", LogX: true, LogY: true,
			Series: []Series{
				{Label: "greedy cover", X: []float64{0.01, 0.1, 1, 10}, Y: []float64{20_000, 2_300, 190, 12}, Markers: true},
				{Label: "lower bound", X: []float64{0.01, 0.1, 1, 10}, Y: []float64{9_000, 950, 88, 7}, Markers: true},
			},
		},
		"lines_hidden": Lines{
			Title: "Three curves, two of them the same", XLabel: "step", YLabel: "return (reward units)",
			Series: []Series{
				{Label: "first", X: []float64{0, 10, 20, 30}, Y: []float64{0, 4, 5, 5}, Markers: true},
				{Label: "the same", X: []float64{0, 10, 20, 30}, Y: []float64{0, 4, 5, 5}, Markers: true},
				{Label: "bounds", X: []float64{0, 10, 20, 30}, Lo: []float64{1, 4.5, 5.5, 6}, Hi: []float64{9, 8, 7, 6.5}},
			}, Band: "lower to upper bound",
		},
		"points": Points{
			Title: "Seconds of two solvers", XLabel: "states", YLabel: "time (s)", LogX: true, LogY: true,
			X: []float64{10, 30, 100, 400, 1000, 10, 35, 100, 500, 3000}, Y: []float64{0.01, 0.1, 0.4, 2, 5, 0.5, 0.5, 0.6, 0.9, 1.2},
			Groups:     []string{"certified", "certified", "certified", "certified", "certified", "SARSOP", "SARSOP", "SARSOP", "SARSOP", "SARSOP"},
			References: []Reference{{"limit", 3}},
		},
		"categories": Lines{
			Title: "Samples, one enhancement after the other", YLabel: "samples", LogY: true,
			Categories: []string{"none", "best case", "QMDP", "seeded", "batches of 20 rollouts"},
			Series: []Series{
				{Label: "Chain", Y: []float64{900, 420, 200, 180, 190}, Lo: []float64{800, 400, 190, 150, 150}, Hi: []float64{1000, 450, 230, 200, 240}},
				{Label: "Room", Y: []float64{9000, 4200, 3000, 1800, 1850}, Lo: []float64{8000, 4000, 2500, 1500, 1700}, Hi: []float64{10000, 4500, 3500, 2000, 2000}},
				{Label: "bounds", Lo: []float64{100, 200, 100, 90, 80}, Hi: []float64{20000, 15000, 12000, 10000, 9000}},
			},
		},
		"heat_map": HeatMap{
			Title: "Exact value of the policy", Subtitle: "mean of 8 seeds", XLabel: "k, neighbours averaged", YLabel: "L_Q", ZLabel: "value (discounted reward)",
			Columns: []string{"1", "5", "20", "100", "500"}, Rows: []string{"10", "60", "100"},
			Values: []float64{-894.7, -30.9, -4.6, 17.1, 19.2, 12, 15.5, 18.75, 19.2, 19.243, 2, 9, math.NaN(), 19, 19.1},
			Lo:     0, Hi: 20,
		},
		"intervals": Intervals{
			Title: "Tiger: mean return of 1000 episodes", XLabel: "return (discounted reward)",
			Rows: []Interval{
				{"Bayes-CPACE", 18, 16.6, 19.4}, {"SARSOP", 17.8, 15.9, 19.7},
				{"QMDP", 16.5, 15.7, 17.3}, {"POMDP-lite", 11.8, 11.2, 12.4}, Between("bounds", 15, 20.5),
			},
			References: []Reference{{"optimum", 19.4}},
		},
	}
}

func TestGolden(t *testing.T) {
	for name, chart := range goldens() {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, chart) })
	}
}

// checkGolden compares a figure with its golden image, or writes that anew.
func checkGolden(t *testing.T, name string, chart Chart) {
	t.Helper()
	f, err := chart.Figure()
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.PNG(1)
	if err != nil {
		t.Fatal(err)
	}
	checkMarginsOf(t, name, f, decode(t, got))
	path := filepath.Join("testdata", name+"_golden.png")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./viz -update writes it", err)
	}
	if why := differ(t, got, want); why != "" {
		out := filepath.Join(t.ArtifactDir(), name+".png")
		if err := os.WriteFile(out, got, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s; the image drawn is %s (kept with -artifacts)", why, out)
	}
}

// differ says how two PNG images differ, "" where they do not. Other
// architectures fuse multiply and add, which moves edges a little.
func differ(t *testing.T, got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	a, b := decode(t, got), decode(t, want)
	if a.Bounds() != b.Bounds() {
		return "size " + a.Bounds().Max.String() + ", want " + b.Bounds().Max.String()
	}
	if runtime.GOARCH == "amd64" {
		return "the image differs from its golden file"
	}
	sum, n := 0.0, 0.0
	for y := range a.Bounds().Max.Y {
		for x := range a.Bounds().Max.X {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
				sum, n = sum+math.Abs(float64(d[0])-float64(d[1]))/0xFFFF, n+1
			}
		}
	}
	if sum/n > 0.002 {
		return "the image differs from its golden file by more than 0.2% of full brightness"
	}
	return ""
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func must(f *Figure, err error) *Figure {
	if err != nil {
		panic(err)
	}
	return f
}

// tigerValues resembles the values of Tiger: opening a door pays where it is
// almost certain which.
func tigerValues(exact bool) beliefValues {
	v := beliefValues{model: "tiger", latent: "tiger left", other: "tiger right"}
	for i := range 401 {
		v.b = append(v.b, float64(i)/400)
	}
	values := []func(b float64) float64{
		func(b float64) float64 { return 18 + 8*math.Abs(2*b-1) },
		func(b float64) float64 { return 30 - 99*b },
		func(b float64) float64 { return 30 - 99*(1-b) },
	}
	known := []func(i int) bool{
		func(i int) bool { return i%90 > 20 },
		func(i int) bool { return i < 48 },
		func(i int) bool { return i > 360 },
	}
	for k, action := range []string{"listen", "open left", "open right"} {
		a := actionValues{name: action}
		for i, b := range v.b {
			q := values[k](b) + 2
			if !known[k](i) {
				q += 25 * min(math.Abs(math.Mod(4*b, 1)-0.5), 0.2)
			}
			a.q, a.known = append(a.q, q), append(a.known, known[k](i))
			if exact {
				a.exact = append(a.exact, values[k](b))
			}
			if known[k](i) && i%4 == 0 {
				a.sampleB, a.sampleQ = append(a.sampleB, b), append(a.sampleQ, q)
			}
		}
		v.actions = append(v.actions, a)
	}
	return v
}

func gridRoom() Room {
	return Room{
		Title: "Light-Dark Tiger: a path of the greedy policy", Subtitle: "the tiger is in the top right corner",
		Latents: []string{"tiger top", "tiger bottom"},
		Plan: RoomPlan{
			Room:  Rect{-0.5, -0.5, 4.5, 4.5},
			Goals: []Goal{{Rect{3.5, 3.5, 4.5, 4.5}, "tiger −100"}, {Rect{3.5, -0.5, 4.5, 0.5}, "goal +10"}},
			Light: []Rect{{-0.5, -0.5, 0.5, 4.5}}, Cells: true, Unit: "cell",
		},
		// The path turns back on itself, which must stay visible.
		Paths: []Path{{
			X:      []float64{2, 1, 0, 1, 2, 2, 2, 3, 4},
			Y:      []float64{2, 2, 2, 2, 2, 1, 0, 0, 0},
			Belief: beliefsIn(0.5, 0.5, 1, 1, 1, 1, 1, 1, 1),
		}},
	}
}

func noisyRoom() Room {
	return Room{
		Title: "Light-Dark Tiger with noise: two episodes", Latents: []string{"tiger top", "tiger bottom"},
		Plan: RoomPlan{
			Room:  Rect{0, 0, 4, 4},
			Goals: []Goal{{Rect{3.5, 3.5, 4, 4}, "top right"}, {Rect{3.5, 0, 4, 0.5}, "bottom right"}},
			Light: []Rect{{0, 0, 0, 4}}, Unit: "cell",
		},
		Paths: []Path{
			{
				X: []float64{2, 1.02, 0.01, 0, 0.03, 1.02, 2.01, 3.03, 3.7}, Y: []float64{2, 2.11, 2.2, 1.3, 0.4, 0.31, 0.2, 0.12, 0.1},
				Belief: beliefsIn(0.5, 0.5, 0.5, 1, 1, 1, 1, 1, 1), Label: "episode 1",
			},
			{
				X: []float64{2, 1.02, 0, 0.01, 0.03, 1.02, 2.01, 3.03, 4}, Y: []float64{2, 1.9, 1.8, 2.8, 3.8, 3.9, 4, 3.92, 3.96},
				Belief: beliefsIn(0.5, 0.5, 0, 0, 0, 0, 0, 0, 0), Label: "episode 2",
			},
		},
	}
}

// beliefsIn are beliefs over two latents, by the belief in the first.
func beliefsIn(first ...float64) []bcpace.Belief {
	return each(first, func(b float64) bcpace.Belief { return bcpace.Belief{b, 1 - b} })
}

func explorationOf(n int, log bool) Exploration {
	rng := rand.New(rand.NewPCG(1, 2))
	r := &runs.Run{Spec: bcpace.Spec{Name: "tiger"}, Stop: stop.Converged}
	for i := range n {
		escapes := 0
		if rng.Float64() < math.Exp(-6*float64(i)/float64(n)) {
			escapes = 1 + rng.IntN(4)
		}
		r.Trace = append(r.Trace, runs.Episode{Escapes: escapes, Added: min(escapes, 1)})
	}
	return Exploration{Run: r, LogX: log}
}

func returnsOf(n int) []float64 {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, n)
	for i := range values {
		values[i] = 20*rng.NormFloat64() + 17*(1-math.Exp(-6*float64(i)/float64(n)))
	}
	return values
}

func tigerBeliefs() BeliefTrajectories {
	return beliefsOf("Belief in four episodes of Tiger", []string{"tiger left", "tiger right"}, []float64{0.85, 0.15}, 4, 9)
}

func chainBeliefs() BeliefTrajectories {
	return beliefsOf("Belief in twelve episodes of Chain", []string{"slip 0.2", "slip 0.5", "slip 0.8"}, []float64{0.2, 0.5, 0.8}, 12, 60)
}

// beliefsOf updates a uniform belief with coin flips whose bias is the latent.
func beliefsOf(title string, latents []string, bias []float64, episodes, steps int) BeliefTrajectories {
	rng := rand.New(rand.NewPCG(5, 6))
	t := BeliefTrajectories{Title: title, Latents: latents}
	for e := range episodes {
		episode := BeliefEpisode{True: e % len(latents)}
		b := make([]float64, len(latents))
		for k := range b {
			b[k] = 1 / float64(len(b))
		}
		for range steps {
			episode.Belief = append(episode.Belief, append([]float64(nil), b...))
			head, sum := rng.Float64() < bias[episode.True], 0.0
			for k := range b {
				if head {
					b[k] *= bias[k]
				} else {
					b[k] *= 1 - bias[k]
				}
				sum += b[k]
			}
			for k := range b {
				b[k] /= sum
			}
		}
		t.Episodes = append(t.Episodes, episode)
	}
	return t
}

func threeLines() Lines {
	l := Lines{
		Title: "Letters and digits print: φ γ ε δ α β Σ ‖b‖₁ φ₁ ≤ ½ Q̃ b̂ 10⁻⁷", Subtitle: "three curves, three levels",
		XLabel: "episode", YLabel: "return Q̃ (reward units)",
		References: []Reference{{"optimum Q̃", 1.2}, {"QMDP", 1.15}, {"POMDP-lite", -0.5}},
	}
	for k, label := range []string{"Bayes-CPACE, ‖b̂‖₁ ≤ 10⁻³ of it", "QMDP", "SARSOP"} {
		s := Series{Label: label, Markers: k == 1}
		for i := range 41 {
			y := math.Sin(float64(i)/6 + float64(k))
			s.X, s.Y = append(s.X, float64(500*i)), append(s.Y, y)
			s.Lo, s.Hi = append(s.Lo, y-0.1), append(s.Hi, y+0.1)
		}
		l.Series = append(l.Series, s)
	}
	return l
}
