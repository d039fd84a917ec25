// Package pomdpfile reads and writes finite POMDPs: Cassandra's .pomdp (and
// .mdp) text format, the factored .pomdpx format of the APPL toolkit, and
// α-vectors as .policy files. It reads those of .alpha files, too, controllers of .pg files, and models that
// gzip has compressed.
//
// Both model formats are read in one pass over the file in linear time. Tables
// are held as sparse trees until the end of the file, so that wildcards and
// decision diagrams stay as small as they were written; only then are they
// multiplied out into the flat sparse tables of a pomdp.Model, never touching a
// zero. What a file may ask for is bounded by MaxStates, MaxActions, MaxVariables,
// MaxMemory, MaxSteps and MaxVisits; an error names the limit.
//
// Probabilities in such files are rounded. A distribution whose sum is within
// Tolerance of one is divided by its sum. So is one of many probabilities whose sum is
// within what rounding each of them to six decimals leaves, and the Notes of the model
// say so. Any other is an error.
//
// The formats are those of http://pomdp.org/code/pomdp-file-spec.html and of
// the PomdpX 1.0 document of APPL.
package pomdpfile
