// Package methods writes the methods paragraph of a paper from a run: the model, the solver
// with its parameters and the papers that it comes from, what was computed, what each bound of
// the certificate rests on, the evaluation, and the version of the software. Bounds are rounded
// outward, so that the text claims no more than the run.
//
//	text, err := methods.Study{Solution: solution, Evaluation: &result}.Write()
//
// Text.Plain is for reading, Text.LaTeX and Text.BibTeX are for the paper.
//
// The references of the solvers of this module are in references.json. A solver of the user's
// own names its papers as a Cited.
package methods
