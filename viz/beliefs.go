package viz

import (
	"fmt"
	"strings"

	"bayescpace/bcpace/numtext"
)

// BeliefTrajectories draws how the belief moved in several episodes, against
// the step, in the colour of each episode's true latent: the belief in the
// first of two latents, or one panel for each of more. Episodes of different latents
// stand a line's width apart, so that none hides another.
type BeliefTrajectories struct {
	Title, Subtitle string
	Latents         []string // at least two
	Episodes        []BeliefEpisode
}

// BeliefEpisode is the course of the belief in one episode.
type BeliefEpisode struct {
	// Belief[t] is the belief before step t, with one entry for each latent.
	Belief [][]float64
	True   int // the latent of the episode
}

// maxLatentPanels is the most panels that stay readable.
const maxLatentPanels = 6

// apart is how far episodes of one latent are drawn above those of the latent before it.
const apart = 0.012

// maxBeliefEpisodes is the most episodes that are more than a grey cloud.
const maxBeliefEpisodes = 500

// Figure checks the values and draws them.
func (t BeliefTrajectories) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	shown := len(t.Latents)
	if shown == 2 {
		shown = 1
	}
	f := &Figure{Title: name(t.Title, "Belief over an episode"), Subtitle: t.Subtitle, Width: defaultWidth}
	seen := make([]int, len(t.Latents))
	longest := 1
	for _, e := range t.Episodes {
		seen[e.True]++
		longest = max(longest, len(e.Belief)-1)
	}
	const full = 0.9
	opacity := full
	if len(t.Episodes) > 10 {
		opacity = max(0.25, 6/float64(len(t.Episodes)))
	}
	for k := range shown {
		p := newPanel("", "belief in "+fit(latentName(t.Latents, k), labelStyle, stackedHeight-70*px))
		p.X.Tick.Marker = niceTicks{whole: true}
		for _, e := range t.Episodes {
			x, y := make([]float64, len(e.Belief)), make([]float64, len(e.Belief))
			for i, b := range e.Belief {
				x[i], y[i] = float64(i), b[k]+apart*(float64(e.True)-float64(len(t.Latents)-1)/2)
			}
			style := styleOf(e.True)
			style.color = faded(style.color, opacity)
			x, y = thin(x, y)
			p.Add(curve{x, y, style.line(1.8 * px)})
			if longest <= 40 {
				p.Add(points{x: x, y: y, style: style.marker(2.8 * px), apart: 1.5 * px})
			}
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(longest), -0.04, 1.04
		f.Panels = append(f.Panels, p)
	}
	f.Panels[shown-1].X.Label.Text = "step"
	latents := 0
	for k, n := range seen {
		if n == 0 {
			continue
		}
		latents++
		style := styleOf(k)
		entry := LegendEntry{Text: "true latent: " + latentName(t.Latents, k), Line: style.line(1.8 * px)}
		if longest <= 40 {
			entry.Marker = style.marker(3.2 * px)
		}
		f.Legend = append(f.Legend, entry)
	}
	if latents > 1 {
		f.note("latents are drawn a line apart")
	}
	if opacity < full {
		f.note("darker: more episodes")
	}
	f.Alt = t.describe()
	f.setHeight()
	return f, nil
}

func (t BeliefTrajectories) check() error {
	check, n := checksOf("BeliefTrajectories", t.Title), len(t.Latents)
	check.want(n >= 2, ": Latents has %d names, want at least two, as a belief in one latent never moves", n)
	check.want(n <= maxLatentPanels, ": Latents has %d names, want at most %d: pass the latents to look at and the rest of the belief as one", n, maxLatentPanels)
	check.count(len(t.Episodes), "episodes", maxBeliefEpisodes)
	for i, e := range t.Episodes {
		check.part = fmt.Sprintf(", episode %d", i)
		check.want(e.True >= 0 && e.True < n, ": True is %d, want a latent from 0 to %d", e.True, n-1)
		check.want(len(e.Belief) > 0, " has no beliefs, want at least that of step 0")
		for k, b := range e.Belief {
			check.want(len(b) == n, ": Belief[%d] has %d entries, want %d, one for each latent", k, len(b), n)
			check.part = fmt.Sprintf(", episode %d, step %d", i, k)
			check.beliefs(b)
			check.part = fmt.Sprintf(", episode %d", i)
		}
	}
	return check.err
}

func (t BeliefTrajectories) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s.", name(t.Title, "Belief over an episode"), numtext.Several(len(t.Episodes), "episode"))
	for k := range t.Latents {
		episodes, final := 0, 0.0
		for _, e := range t.Episodes {
			if e.True == k {
				episodes++
				final += e.Belief[len(e.Belief)-1][k]
			}
		}
		if episodes > 0 {
			fmt.Fprintf(&b, " Where %s is true (%s), the belief in it ends at %s on average.",
				latentName(t.Latents, k), numtext.Several(episodes, "episode"), number(final/float64(episodes)))
		}
	}
	return b.String()
}
