package methods_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/methods"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// release stands for the version that ReadBuildInfo tells where there is one.
var release = methods.Software{Version: "v1.2.0", Go: "go1.26.0", Platform: "linux/amd64"}

func ExampleStudy() {
	ctx := context.Background()
	tiger := envs.Tiger{Accuracy: 0.85}
	found, err := sarsop.Solver{Epsilon: 0.01}.Solve(ctx, tiger, bcpace.Control{})
	if err != nil {
		log.Fatal(err)
	}
	played, err := eval.Rollouts(ctx, tiger, found.Policy, eval.Options{Episodes: 2000, Horizon: 100, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	text, err := methods.Study{Solution: found, Evaluation: &played, EvaluationSeed: 1, Software: release}.Write()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(text.Plain, ". ", ".\n")) // a sentence on each line
	// Output:
	// We studied the model “tiger” (accuracy = 0.85, discount = 0.95, reset = true) with |Φ| = 2 latents, a state of 1 axis, 3 actions, rewards between −100 and 10, and a discount of γ = 0.95.
	// We solved it with SARSOP (Kurniawati et al., 2008) for mixed observability (Ong et al., 2010), with ε = 0.01; all other parameters had their defaults.
	// It took 55 rounds and 24 beliefs, and ended because the bounds of the certificate were within ε.
	// The optimal expected discounted return from the start, V*, is at least 19.36173 (proved), and at most 19.37139 (proved).
	// The policy found is proved to earn the lower bound.
	// In 2,000 further simulated episodes of at most 100 steps (seed 1) the policy had a mean discounted return of 18.9 (95 % interval [17.5, 20.2] by Student's t).
	// What is earned after these steps changes the expected return by 12 at most.
	// We used the Bayes-CPACE toolkit (The Bayes-CPACE toolkit authors, 2026; Lee et al., 2018), version v1.2.0, Go 1.26.0, linux/amd64.
	// The same model, parameters and seeds give the same results bit for bit on one platform.
}

func ExampleText() {
	tiger := envs.Tiger{}
	run, err := runs.Explore(context.Background(), tiger, cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, Batch: 20, MaxSamples: 200, CertificateEpisodes: -1, Seed: 3})
	if err != nil {
		log.Fatal(err)
	}
	text, err := methods.Study{Solution: runs.SolutionOf(run), Software: release}.Write()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text.LaTeX)
	fmt.Println()
	fmt.Println(text.BibTeX())
	// Output:
	// We studied the model ``tiger'' (accuracy = 0.85, discount = 0.95, reset = true) with
	// $|\Phi|$ = 2 latents, a state of 1 axis, 3 actions, rewards between $-100$ and 10, and a
	// discount of $\gamma$ = 0.95. We solved it with Bayes-CPACE~\cite{lee2018}, with
	// $\varepsilon$ = 1, k = 20, $L_Q$ = 60, $\alpha$ = 1, known radius $\varepsilon$/2$L_Q$ =
	// 0.00833333, horizon T = 151, seed = 3, batch = 20, max samples = 200, no simulated
	// certificate; all other parameters had their defaults. It took 62 episodes, 9,362 steps and
	// 200 samples, and ended because the limit of samples was reached. The optimal expected
	// discounted return from the start, $V^*$, is at least $-2000$ (by the range of rewards
	// alone), and at most 200 (by the range of rewards alone). Of the policy found nothing more
	// is known than the range of rewards says. We used the Bayes-CPACE
	// toolkit~\cite{bayescpace,lee2018}, version v1.2.0, Go 1.26.0, linux/amd64. The same model,
	// parameters and seeds give the same results bit for bit on one platform.
	//
	// @misc{lee2018,
	//   author = {Lee, Gilwoo and Choudhury, Sanjiban and Hou, Brian and Srinivasa, Siddhartha S.},
	//   title = {{Bayes-CPACE: PAC Optimal Exploration in Continuous Space Bayes-Adaptive Markov Decision Processes}},
	//   year = {2018},
	//   eprint = {1810.03048},
	//   archiveprefix = {arXiv}
	// }
	//
	// @misc{bayescpace,
	//   author = {{The Bayes-CPACE toolkit authors}},
	//   title = {{Bayes-CPACE: near-optimal exploration under model uncertainty, as Go packages and as notebooks}},
	//   year = {2026},
	//   note = {version v1.2.0}
	// }
}

func ExampleCitation() {
	r := methods.Citation{Kind: "misc", Key: "noether2026", Authors: []string{"Noether, E.", "Curie, M."}, Title: "Ours", Year: 2026,
		Fields: []methods.Field{{Name: "note", Value: "to appear"}}}
	fmt.Print(r.BibTeX())
	// Output:
	// @misc{noether2026,
	//   author = {Noether, E. and Curie, M.},
	//   title = {{Ours}},
	//   year = {2026},
	//   note = {to appear}
	// }
}

// ours is a solver of one's own that names its paper. Here it is QMDP under another name.
type ours struct{ Weight float64 }

func (ours) Name() string { return "ours" }

func (o ours) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return &bcpace.Solution{Solver: o, Spec: m.Spec(), Certificate: solverkit.RangeCertificate(m.Spec())}, nil
}

func (ours) References() []methods.Citation {
	return []methods.Citation{{Kind: "misc", Key: "noether2026", Authors: []string{"Noether, E.", "Curie, M."}, Title: "Ours", Year: 2026}}
}

func ExampleCited() {
	var s methods.Cited = ours{Weight: 0.5}
	found, err := s.(bcpace.Solver).Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		log.Fatal(err)
	}
	text, err := methods.Study{Solution: found}.Write()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Split(text.Plain, ". ")[1])
	// Output:
	// We solved it with ours (Noether and Curie, 2026), with weight = 0.5; all other parameters had their defaults
}

func ExampleRepeats() {
	found, err := ours{}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		log.Fatal(err)
	}
	repeats := methods.Repeats{Seeds: 4, Measure: "the exact value of the policy over 100 steps", Interval: eval.IntervalOf([]float64{19.1, 18.7, 19.2, 19.0})}
	text, err := methods.Study{Solution: found, Repeats: &repeats}.Write()
	if err != nil {
		log.Fatal(err)
	}
	_, after, _ := strings.Cut(text.Plain, "We repeated")
	fmt.Println("We repeated" + strings.SplitAfter(after, "seeds.")[0])
	// Output:
	// We repeated the exploration under 4 seeds: the exact value of the policy over 100 steps was 19.00 (95 % interval [18.65, 19.35] by Student's t) over the seeds.
}

func ExampleSoftware() {
	s := methods.ThisSoftware()
	fmt.Println(strings.HasPrefix(s.Go, "go1."), len(s.Code))
	// Output:
	// true 64
}
