// Command bcpace solves Bayes-adaptive MDPs and evaluates what it found.
//
// The verbs are
//
//	envs          list the environments and their parameters
//	solvers       list the algorithms and their parameters
//	check         try a model against its contract, as a simulator of your own
//	advise        say which algorithm suits a problem, and what to expect of it
//	solve         find a policy and its value, or resume a saved run
//	verify        check the certificate of a saved run, or what was said of a saved policy
//	eval          play episodes with a policy and report the mean return
//	leaderboard   rank policies that others have handed in, all in the same episodes
//	act           answer states or observations with actions, beliefs and bounds, a line of JSON each
//	plot          draw a figure of a saved run as PNG, SVG or PDF, or sketch it in the terminal
//	export        write the samples and the trace of a saved run as tables, or a policy as a finite-state controller
//	convert       write an environment, or a model file, for other programs
//	store         list the results that notebooks keep, and make room
//	cover         count the samples that cover a set of points within ε
//	lipschitz     Lipschitz constants of a model, with the pairs that attain them
//	pac           the quantities of the paper's analysis, from numbers
//	sweep run     compute the trials of a sweep, or go on with them
//	sweep merge   write the rows of a sweep whose shards were computed apart
//	sweep status  say how far a sweep has come
//	sweep export  write the rows of a sweep as a table, done or not
//	sweep script  print what computes a sweep on a cluster
//	version       say which version of the program this is
//	completion    print what makes a shell complete the words of this command
//
// and bcpace VERB --help describes the flags of each. On a clone:
//
//	go run ./bcpace/cmd/bcpace envs
//	go run ./bcpace/cmd/bcpace solve --env tiger --set accuracy=0.85 --seed 1 --out tiger.bcp
//	go run ./bcpace/cmd/bcpace solve --resume tiger.bcp --timeout 10m
//	go run ./bcpace/cmd/bcpace eval --run tiger.bcp --episodes 10000 --horizon 100 --seed 2
//	go run ./bcpace/cmd/bcpace eval --env tiger --algorithm qmdp --horizon 100 --json
//	go run ./bcpace/cmd/bcpace eval --env tiger --algorithm pomcp --budget 1000 --horizon 100
//	go run ./bcpace/cmd/bcpace solve --model data/tiger.pomdpx
//
// The exit code is 0, or 1 with one line on standard error that says what is
// wrong, or 2 for wrong usage, or 130 where Ctrl-C or another signal has cut the work
// short, also where what there was by then is printed and saved. (go run itself turns
// every failure into 1.) With
// --json, standard output is one JSON object and nothing else.
//
// A program of a user's own that registers models with envs.Register and then calls
// Main of package bcpace/cmd is this command with --env for those models too. This program
// itself cannot make the model of a run that is not in package envs: where --run names
// one, the run is read in Go, by runs.Read with runs.FixedModel.
//
// # A simulator in another program
//
// With --process COMMAND, in place of --env, the model is one that another program simulates,
// in any language: bcpace/process/README.md describes the lines of JSON. check tries it.
// policy-search, pomcpow and bayes-cpace need no list of what may follow, and take it. For a
// simulator that does not know how likely steps are, --likelihood-draws N estimates that, and
// assumes says so. The workers are 64 then, without --workers, as the steps that they ask for at the
// same time go into one request. What was saved of a simulator is taken by eval, act, verify, plot
// and solve --resume with --run or --policy and --process; a sweep takes environments by their names alone.
//
// # advise
//
// A short look at the problem, for which the latent MDPs are solved and some simple
// policies play, says which algorithm to take and why; what a policy earns that is told
// the latent, which none exceeds; what is to be expected of the algorithm, or of that
// which --algorithm names with its flags: its known radius beside the distance of two
// visited places, the samples that it takes to cover them, memory and time before the
// first bound, and warnings; and settings for bayes-cpace, each with its reason. Last comes
// the schedule: what solve does with the same flags, in order, with reasons, and with
// --timeout how many seconds each part has at most.
//
// # solve
//
// Without --algorithm, several solvers are tried on an environment, and what is kept is
// that of the one whose policy earns most. Where a flag sets a parameter, it is one solver: certified, or bayes-cpace where the model does not list
// what follows a state, or where only bayes-cpace reads the flag. A model file is
// solved by certified, or by sarsop where --out names a .policy file, and where its
// hidden part has more than 100 values, as sarsop's bounds close faster there.
//
// What --epsilon is depends on the algorithm. For bayes-cpace it is the error allowed
// in a known query, for certified and sarsop the distance of the bounds at which they
// end, and for pbvi and perseus what the lower bounds at their beliefs may still lack when
// backups end; the help has the defaults.
//
// Where the model lists what follows a state but the states are not numbered, as in
// light-dark-tiger with noise, the bounds that certified searches with rest on L_S,
// the Lipschitz constant in the state of --lip-state, see cpace.Solver: how fast the
// shortfall of the optimal values from those of a known latent changes. A smaller one
// needs fewer samples; without the flag it is estimated, which proves nothing. The
// bounds reported do not rest on it: lower is simulated, and upper is from dynamic
// programming on grids of states, whose error is estimated from one grid to the next
// and added. For a model that states its smoothness, such as dual-control, certified
// proves the upper bound without an assumption, and so does bayes-cpace with --bound
// proved.
//
// With --model FILE the problem is a POMDP in a .pomdp or .pomdpx file, which gzip
// may have compressed. The algorithms for BAMDPs take it where what changes in its
// hidden part does not show in the same step, see pomdp.AsBAMDP, and say where it
// does; qmdp, sarsop, pbvi and perseus take any, and sarsop is taken where certified
// cannot be.
// A run that is saved names the file as it was given, and needs it again.
//
// A solution has the fields
//
//	algorithm    as given
//	model        name of the environment
//	value        at the initial state and belief, in the model's reward units:
//	             of bayes-cpace Q̃, of certified, sarsop, pbvi and perseus lower (without a
//	             certificate, the lower bound of the search, or null where that is
//	             refuted), of qmdp and certainty-equivalent Σ b(φ)·Q(s, φ, a), the
//	             largest over actions, which no policy exceeds where states are
//	             numbered, and which is an estimate on a grid, of pomdp-lite what
//	             its policy earns; of an online planner null
//	lower        a value that the policy is certified to reach, or null
//	upper        a value that no policy exceeds, or null
//	certificate  what stands behind lower and upper: "exact", a proof for the
//	             model; "statistical", for lower a simulation, which fails with
//	             probability 0.05, and for upper what the algorithm knows, see
//	             the Go type CertificateKind; or "none", and both are null
//	lower_by     what lower rests on: "proved"; "simulated", which fails with
//	             probability 0.05; "assumed", see assumes; "reward range", also
//	             where a simulation contradicts a proved upper bound, as it may
//	             with that probability; or null where there is no bound
//	upper_by     the same for upper
//	policy_earns what it rests on that the policy earns lower: "proved",
//	             "simulated", "reward range", "not known" or null
//	assumes      what an assumed bound assumes, or null
//	samples      size of the sample set, of sarsop, pbvi and perseus the number of beliefs
//	episodes     played, of sarsop trials, of pbvi and perseus stages
//	steps        of the environment
//	seconds      of wall clock
//	seed         of the random numbers
//	draws        the number of latents drawn, with --samples alone
//	stop         why it ended: "certified" (the bounds are within ε), "rounding"
//	             (they no longer move, short of ε), "search closed, certificate
//	             not" (the search's bounds are within ε if L_S holds; lower and
//	             upper are not), "converged", "nothing to solve" (it plans
//	             while it acts), "episode budget", "sample budget", "memory
//	             limit" (of sarsop: its beliefs and vectors, without those of no
//	             use, take a gigabyte, or half of GOMEMLIMIT, if that is set),
//	             "out of time" or "interrupted", also where the simulation for the
//	             certificate was; --resume continues both
//	notes        null, or policy, warnings and settings, each null if there are
//	             none. policy is which policy of a run was the best in simulated
//	             episodes, "greedy", "qmdp", "grid" (of certified, by dynamic
//	             programming on a grid), "proof" (of certified, of the finite
//	             model by which its bounds are proved) or "always" and an action,
//	             if several were tried (--return). warnings say what holds the
//	             result back and what would help, each with kind, what and do.
//	             settings are those that bayes-cpace was given after a look at the
//	             model of a file, as no flag said any, each with parameter, value
//	             and why
//
// The same model, flags and seed make the same solution and the same run file,
// byte for byte and for any number of workers. Only seconds differ, and runs
// that the clock or an interrupt has ended: after --timeout, Ctrl-C, a request to
// terminate or the end of the terminal the run so far is kept and reported. (After a
// signal, standard error says so, and the exit code is 130.) A second
// Ctrl-C ends the program at once. With --out,
// the run so far is also written every 5 seconds, or less often where that takes
// long, so that a program that is killed loses no more.
//
// With --resume a run of bayes-cpace or certified continues, to what it would have been
// without a pause, byte for byte: one that was interrupted, was killed or has spent
// a limit. Limits and --patience may be others than before. A flag with which it
// would have been another run, as another --epsilon or --env, is refused. The file is
// replaced, as a whole, unless --out names another one.
//
// A file with a run that --out names is replaced by a run of the same model, algorithm and
// parameters, with other limits at most. Any other run is kept, unless --force is given.
//
// Of the other algorithms, and of --robust, --risk and --limit, --out keeps the policy, as JSON: format ("bcpace-policy"),
// version (1), model, params and spec (which model, and a digest of its description), question ("" for the largest mean),
// solver and options (the one inside, of a question), claim (what was said of the policy), points and steps_left (what it acts
// on) and policy, with kind and data. Kinds are vectors (of sarsop, pbvi and perseus) and bounds (of certified, inside a
// question), which are α-vectors by state; weights (of policy-search); mixture (of --robust and --limit), which has policies
// with the share of each; level (of --risk), which has two; and solver, for all others: they plan or learn as they act, or
// their set-up is short, so that the solver makes the policy again when the file is read. Of a model file, sarsop, pbvi and perseus
// write a .policy file as APPL does. A file that holds another policy is kept, unless --force is given.
//
// With --model FILE, --policy also takes files of other programs: .policy, .alpha, and finite-state controllers. These are policy graphs of pomdp-solve
// (.pg), which begin at the node whose vector in the .alpha file beside them is highest at the start, or without that file at the node that earns most;
// and the JSON of Storm's controllers (told from other JSON by its first key), for a .drn model. The value of a controller is computed, and eval
// prints it; the policy that is played is that of the values of its nodes, which earns no less.
//
// # Latents from a distribution
//
// A parameter that lists the latents, as masses of pendulum, may have a distribution in place
// of the list, such as --set mass=uniform:0.5:2, or normal:μ:σ, beta:α:β, gamma:shape:rate or
// lognormal:μ:σ. With it, --samples N says how many latents to draw, by --seed; all have the
// same prior probability. The problem solved is that of the latents drawn, which a saved run
// names one by one; package family says how far it may be from that of the distribution.
//
// # verify
//
// All that the file claims is checked: that its certificate is of the kind that its
// algorithm and model have, its samples, episodes, value and reason to stop. A run
// with an exact certificate is checked sample by sample; lower and upper
// are what the samples support. For a statistical certificate the simulation is
// made again, which must give the same. Then the policy is
// simulated with other random numbers, and the run is refused where the
// two contradict each other. One that holds is refused with probability 0.1 at
// most. certificate is then "policy interval": lower and upper hold the value of the
// policy, not that of the best one, with probability 0.9. claimed_lower, claimed_upper and claimed_stop are what the file
// says. The exit code is 1 for a run that is refused or that has no certificate.
//
// Of a policy, 10,000 episodes are played, and certificate is "policy interval": lower and upper hold what the policy earns with
// probability 0.95, in the units of its question, such as the mean of the worst share. The exit code is 1 where that contradicts what was said
// beyond doubt, and where nothing was said. --robust is judged under the model's own prior, and of --limit the return is.
//
// # eval
//
// An evaluation has the fields mean (of the discounted return), stderr (of the
// mean), ci95 (the interval [lo, hi] that is to hold the expected return with
// probability 0.95), ci95_by (what it rests on), range95 (a wider interval that does so for
// every distribution of returns in the model's range), episodes, horizon, seconds, mean_total (of the rewards' sum without
// the discount), simulations_per_second (of an online planner, by all workers together) and
// mean_interval_width (of the intervals in which lookahead or adaops has the optimal value at each
// decision) and, with --samples, draws (the number of latents drawn).
// What cannot be told, as the standard error of a single episode, is null; ci95_by is then "".
// ci95_by is student for Student's t, which takes the mean for normally distributed, or range:
// where the returns are too skewed for that or all equal, ci95 is range95. Losses so rare that
// no episode met one show in range95 alone, which is null where a return is outside of the range
// that the model states; ci95_by may then be doubt, for Student's t in its place. An online
// planner searches at every step with --budget: a number of simulations, or a time, with
// which the result is not the same again; of beb, boss and thompson it is the most sweeps over
// the states. After Ctrl-C they are those of the
// episodes that were finished, and the exit code is 130.
//
// # act
//
// A line of JSON on standard input such as {"state": [0]} begins an episode, and {"reward": -1,
// "next": [1]} says what followed the action of the last answer, or of "action", a name or a number, where
// another one was taken. A state is a list with a number, or a label, for each axis of the model; a last
// axis ended may be left out. Of a policy for the tables of a model file, as in a .policy file, "state" has what is visible at the start, a
// value of each visible variable by its name or number, which is nothing in a .pomdp file ({"state": []});
// "next" has the same, and then the observation where there is more than one ({"reward": -1, "next":
// ["growl-left"]}). {"ask": "hello"} is answered by takes ("states" or "observations"), state and next (the
// name, the values, min and max of what each list holds), actions and latents. Any other
// answer has action (its number), name, control (of a box of actions), belief (by latent), lower and upper
// (of the optimal value from here on, of a policy that plans between bounds), and surprised (where the
// belief had ruled out what was seen, and has begun anew), and over (after the last step of a horizon, where
// action is -1); or error, after which all is as before. Package
// act does the same in Go.
//
// # plot
//
// A figure of a run, or of the actions of a policy, is written as the file's name ends, or sketched and described in words.
//
// # export
//
// The samples of a run, a row for each, and its trace, a row for each episode, with
// the columns of package frame, are written as CSV or Parquet, as the file's name
// ends. The trace of a certified run has a column more, gap: upper less lower bound
// at the start. Floats come back to the bit: in CSV with as many digits as that takes, in
// Parquet as DOUBLE. The output has the model and the numbers of samples and
// episodes of the run.
//
// With --graph, a policy of α-vectors for a model file is written as a controller: .pg as pomdp-solve does, for a model of which nothing
// is visible but the observations; .json as Storm does, for a .drn model; or .dot for Graphviz. A node is a vector. The node that
// follows is the vector that is highest at the belief that follows the one where the node was met first. So the controller
// may earn less than the policy: the output has its nodes and what it earns, by computation. A policy with a horizon has none.
//
// # convert
//
// A model with numbered states is written as .pomdpx or .pomdp, as the file's name ends. Its
// visible states are those of the environment, its hidden ones the latents, and there is a single
// observation. As .pomdp knows no visible states, the observation there is what is seen of the
// state. The output has the numbers of all of these and of actions.
//
// # store
//
// The files of a store are listed, those written longest ago first: runs,
// checkpoints of explorations and values, each with why it cannot be read where
// that is so. With --keep, files that were damaged and set aside go, and then
// results, checkpoints first, until the rest takes no more than that. What is
// needed again is computed again.
//
// # sweep
//
// A sweep is a file of JSON: what all trials share, and what changes from one to the next.
// bayescpace/bcpace/sweep describes it (go doc bayescpace/bcpace/sweep Spec). sweep run
// computes its trials, and keeps each result in a folder by a key of the trial and of the code:
// after Ctrl-C, a crash or a change of the sweep, the same command computes what is missing. A
// trial that fails has a row with its fault, and the next run tries it again. The rows are the
// same for any number of workers and shards, but for seconds and memory.
//
// Its output has name, key (of the trials and the code), trials, done, failed (of those done),
// left, cached (results that were there before), stop ("done", "interrupted" or "out of time"),
// seconds, folder and out, the file with a row for each trial or null. The exit code is 0
// where all trials are done, failed ones too, of which a line on standard error has the number;
// 130 after Ctrl-C, and 1 after --timeout.
//
// sweep status tells trials, done, failed, left and version of a sweep, by what its folder keeps. With
// --watch it looks at the folder each second until all trials are done or failed: on a terminal it
// draws trials, rate, time left, workers with what they have, and faults; elsewhere it prints a line
// where a number has changed. With --events it prints a line of JSON for each event instead: event
// ("watching", "trial begun", "trial done", "trial failed", "worker seen", "worker lost" or
// "finished") and elapsed (seconds since the watch began), and what there is of sweep, trials, done,
// failed, trial, key, worker, seconds, fault and why. Its exit code is 130 after Ctrl-C. sweep
// export writes rows whether the sweep is done or not.
//
// With --shard 3/40, sweep run computes the third of forty shares of the trials.
// All numbers of its output are of that share, which shard names, and key is that of the whole sweep,
// as sweep merge takes it. The folder may be that of all
// shards, or one of each. sweep merge reads the folders, and writes the rows of the whole sweep:
// its output has name, key, trials, done, failed, left, out, missing (the numbers of trials without
// a result) and twice (results that were there more than once, each of which counts once). Where
// trials are missing it says which, writes nothing without --partial, and its exit code is 1. It
// refuses folders of another sweep or program. A model file with a relative name is one of the working
// folder, or else of the folder of the sweep's file, where tasks of a cluster find it.
//
// With --shard auto/40 a task of an array 1-40 of Slurm takes its number from SLURM_ARRAY_TASK_ID, and any
// may run, also alone. So may any pod of an Indexed Job of Kubernetes with 40 completions, whose
// JOB_COMPLETION_INDEX is the number. Without --shard these variables have no effect.
//
// The exit code of a shard says whether to run it again. 0: it is done, also if all its trials have
// failed; where those of the whole sweep have, the exit code of sweep merge is 1. 75: its time (--timeout) was
// up, or its folder could not be read or written. 130: a signal has ended it, and what its trials
// have come to is kept. After these two the same command goes on. 1 and 2: it would fail again.
//
// A trial that is told to end, by a request to terminate or Ctrl-C, keeps what it has come to, for
// which it has the time of --grace; and it does so now and then, in case that its process is killed.
// Who computes it next goes on from there, to the same result. So do the
// explorations of bayes-cpace and certified in a trial without a timeout of its own; other trials
// begin again. Of its evaluation nothing is kept.
//
// sweep script prints what computes the shards on a cluster and runs those again whose exit code says so.
package main
