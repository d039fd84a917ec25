// Package runs has what an exploration leaves: a Run with its Samples and its trace, which can be
// written, read, verified and resumed, and says what holds it back (Run.Warnings).
//
//	C           sample set             Samples                samples.go
//	Q̃(s,b,a)    value of a query       Run.Q                  run.go
//	L_Q̃ = 2L_Q                         Run.LipQ               run.go
//	ε/L_Q̃       radius of the known    Run.Radius             run.go
//	E_K         escape                 Episode.Escapes        run.go
//	            run file               Run.WriteTo, Read      runfile.go
//	            checks                 Verify                 verify.go
//
// An Explorer is a bcpace.Solver whose solutions have a run, which Of returns: cpace.Solver is
// Algorithm 1, and certified.Solver brackets Q* from both sides, which the paper does not do. A
// set-up that ends early leaves what Unfinished says (unfinished.go).
//
// Runs without a proof have their policy simulated, which certifies a lower bound up to a chosen
// probability of error; Run.Parts says what holds the bounds apart (run_certificate.go). Run.Choice
// names the policy that was chosen from several (choice.go).
package runs
