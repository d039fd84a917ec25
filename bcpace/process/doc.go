// Package process asks a simulator in another program, in any language, for the steps of a model:
//
//	m, err := process.Start(ctx, process.Program{Command: []string{"python3", "walk.py"}})
//	if err != nil { … }
//	defer m.Close()
//	found, err := policysearch.Solver{}.Solve(ctx, m, bcpace.Control{Workers: 64})
//
// The program reads requests on its standard input and writes an answer to each on its standard
// output: lines of JSON, by a protocol that README.md beside this file describes, and
// testdata/walk.py shows. The first answer describes the model, the others draw starts and steps,
// each with a seed, and say how likely steps are.
//
// A Model is a bcpace.Model of which solvers know nothing but what it draws and how likely that is:
// policysearch, pomcpow and Algorithm 1 (cpace) take it, as does package check. Where the simulator does not
// know its likelihoods, package estimated makes some of its draws.
//
// As every answer depends on the request alone, a solver finds the same with the same seed, bit for bit,
// with any number of workers and processes. What workers ask for at the same time goes into one request. So
// it pays to have many more workers than processors: with 64 a step costs a fraction of what it costs
// alone (BenchmarkStep).
//
// A process that dies is started anew, up to three times for one request, and from its fourth death on while a hundred
// requests are answered for each; Model.Deaths tells of it. One that is silent for too
// long, or writes what is no answer, ends the model: all that is asked from then on fails with an
// error that says what was wrong. Model.Within has requests end with a context.
package process
