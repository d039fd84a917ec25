// Package explicit reads and writes models as model checkers list them, state by state: the .drn
// files of Storm and the binary .umb files that Storm and PRISM have in common, of chains, MDPs and
// POMDPs. Such a file says what may happen, and not what is asked: a Property in PRISM's words does,
// such as Rmin=? [F "goal"].
//
// In a Model of these files an agent sees the observation of a state before it acts, that of
// the initial state too, and the state decides which choices there are. States of one observation
// have the same ones. Choices are the same where their labels are, in whatever order they stand.
// Model.POMDP makes tables of it in which every action can be taken everywhere.
//
// The formats are those of https://www.stormchecker.org/documentation/usage/running-storm-on-drn.html
// (Hensel, Junges, Katoen, Quatmann and Volk 2022, "The Probabilistic Model Checker Storm") and of
// version 1 of https://github.com/pmc-tools/umb.
package explicit
