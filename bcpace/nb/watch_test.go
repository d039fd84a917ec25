package nb

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// shown is what displays of a progress have shown, the times apart.
type shown struct {
	recorder
	bars, texts []string
}

func (s *shown) send(m message, id string) {
	s.recorder.send(m, id)
	_, bar, _ := strings.Cut(m.html, "<progress")
	bar, _, _ = strings.Cut(bar, " style=")
	text, _, _ := strings.Cut(m.plain, " (")
	s.bars, s.texts = append(s.bars, bar), append(s.texts, text)
}

func TestWatchExploration(t *testing.T) {
	r := &shown{}
	p := newProgress("exploring", &output{screen: r, live: true}, (&clock{step: time.Second}).now)
	own := 0
	see := watch(p, runs.Plan{CertificateEpisodes: 5000}, func(bcpace.Progress) { own++ })
	at := bcpace.Progress{Patience: 20, Value: 200}
	for range 10 { // ten steps an episode, all samples
		at.Episodes, at.Steps, at.Samples = at.Episodes+1, at.Steps+10, at.Samples+10
		see(at)
	}
	for range 10 { // half of the steps
		at.Episodes, at.Steps, at.Samples = at.Episodes+1, at.Steps+10, at.Samples+5
		at.Known = 1 - float64(at.Samples)/float64(at.Steps)
		see(at)
	}
	at.Value = 19.3
	for at.Quiet < 21 { // a batch may go beyond 20
		at.Episodes, at.Steps, at.Quiet = at.Episodes+3, at.Steps+30, at.Quiet+3
		at.Known = 1 - (float64(max(10-at.Quiet, 0))+float64(min(20-at.Quiet, 10))/2)/20
		see(at)
	}
	if own != 27 || len(r.texts) != 27 {
		t.Fatalf("%d calls, %d displays, want 27", own, len(r.texts))
	}
	for i, want := range map[int][2]string{
		0:  {` value="0.000" max="1"`, "exploring: 1 episode, 10 samples, 0% of the last steps known, value 200"},
		19: {` value="0.250" max="1"`, "exploring: 20 episodes, 150 samples, 25% of the last steps known, value 200"},
		20: {` value="0.400" max="1"`, "exploring: 23 episodes, 150 samples, 40% of the last steps known, value 19.3, no new sample in 3 of 20 episodes in a row"},
		25: {` value="0.950" max="1"`, "exploring: 38 episodes, 150 samples, 95% of the last steps known, value 19.3, no new sample in 18 of 20 episodes in a row"},
		26: {"", "exploring: finishing, the policy plays 5,000 episodes for its certificate"},
	} {
		if r.bars[i] != want[0] || r.texts[i] != want[1] {
			t.Errorf("display %d is %q, %q, want %q", i, r.bars[i], r.texts[i], want)
		}
	}
}

func TestWatchSearch(t *testing.T) {
	r := &shown{}
	p := newProgress("solving", &output{screen: r, live: true}, (&clock{step: time.Second}).now)
	see := watch(p, runs.Plan{CertificateEpisodes: 5000, Exact: true}, nil)
	for i, gap := range []float64{100, 10, 1, 0.1, 0.01} {
		see(bcpace.Progress{Episodes: i + 1, Samples: 1200, Value: 21, Gap: gap, Epsilon: 0.01})
	}
	want := []string{` value="0.000" max="1"`, ` value="0.250" max="1"`, ` value="0.500" max="1"`, ` value="0.750" max="1"`, ""}
	if !slices.Equal(r.bars, want) {
		t.Errorf("the bars are %q, want %q", r.bars, want)
	}
	if r.texts[1] != "solving: 2 episodes, 1,200 samples, upper bound 21, gap 10, to become 0.01" || r.texts[4] != "solving: finishing" {
		t.Errorf("the texts are %q", r.texts)
	}
}

// Limits move the bar where they are nearer, and end the exploration too.
func TestWatchLimits(t *testing.T) {
	r := &shown{}
	p := newProgress("exploring", &output{screen: r, live: true}, (&clock{step: time.Second}).now)
	see := watch(p, runs.Plan{MaxEpisodes: 10, MaxSamples: 100, CertificateEpisodes: -1}, nil)
	for i := range 5 {
		see(bcpace.Progress{Episodes: i + 1, Samples: 20 * (i + 1), Steps: 20 * (i + 1), Patience: 100})
	}
	if want := []string{` value="0.200" max="1"`, ` value="0.400" max="1"`, ` value="0.600" max="1"`, ` value="0.800" max="1"`, ""}; !slices.Equal(r.bars, want) {
		t.Errorf("the bars are %q, want %q", r.bars, want)
	}
}

// The bar of real runs moves from near one end to near the other, and says at the end
// that it is finishing.
func TestWatchRuns(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Chain{}, envs.LightDarkTiger{}} {
		o := envs.Tuned(m)
		o.Seed, o.K, o.CertificateEpisodes = 1, 3, 100
		plan, err := o.Plan(m)
		if err != nil {
			t.Fatal(err)
		}
		r := &shown{}
		see := watch(newProgress("exploring", &output{screen: r, live: true}, (&clock{step: time.Second}).now), plan, nil)
		run, err := o.Explore(t.Context(), m, bcpace.Control{Progress: see})
		if err != nil || run.Stop != stop.Converged {
			t.Fatal(err, run.Stop)
		}
		n := len(r.bars)
		if kinds := slices.Compact(slices.Sorted(slices.Values(r.bars))); len(kinds) < n/3 || r.bars[n-1] != "" || !strings.HasPrefix(r.texts[n-1], "exploring: finishing") {
			t.Errorf("%s: %d of %d bars differ, the last text is %q", m.Spec().Name, len(kinds), n, r.texts[n-1])
		}
	}
}

// A display whose work is silent for long goes on with the time.
func TestProgressTime(t *testing.T) {
	r := &shown{}
	p := newProgress("exploring", &output{screen: r, live: true}, (&clock{step: time.Second}).now)
	p.set(-1, "preparing")
	for range 3 {
		if !p.again() {
			t.Fatal("it is closed")
		}
	}
	if r.sent < 3 || r.texts[2] != "exploring: preparing" {
		t.Errorf("%d displays: %q", r.sent, r.texts)
	}
	p.Close()
	if p.again() {
		t.Error("it goes on behind its end")
	}
}

// TestWatchSetUp: what is computed before a search begins is displayed, with a bar where
// its share is known, and leaves no trace in the bar of the search.
func TestWatchSetUp(t *testing.T) {
	r := &shown{}
	p := newProgress("exploring", &output{screen: r, live: true}, (&clock{step: time.Second}).now)
	see := watch(p, runs.Plan{}, nil)
	for _, at := range []bcpace.Progress{
		{Phase: "latent values", Share: -1},
		{Phase: "blind policies", Share: 0.25},
		{Episodes: 1, Samples: 20, Value: 21, Gap: 10, Epsilon: 0.01},
	} {
		see(at)
	}
	want := [][2]string{{"", "exploring: latent values"}, {` value="0.250" max="1"`, "exploring: blind policies"},
		{` value="0.000" max="1"`, "exploring: 1 episode, 20 samples, upper bound 21, gap 10, to become 0.01"}}
	for i, w := range want {
		if len(r.texts) != len(want) || r.bars[i] != w[0] || r.texts[i] != w[1] {
			t.Fatalf("displays %q, %q, want %q", r.bars, r.texts, want)
		}
	}
}
