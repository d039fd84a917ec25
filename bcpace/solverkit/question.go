package solverkit

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// Questioner is a solver with an Objective, which asks a solver for the largest expected return many times.
type Questioner interface {
	bcpace.Solver
	Objective() bcpace.Objective
	// Inside returns the solver that is asked.
	Inside() bcpace.Solver
	// Findings returns what was found beside the Certificate of a solution of this solver.
	Findings(found *bcpace.Solution) []Finding
}

// Finding is a number, a text or a list that a solver has found, for tables and for JSON.
type Finding struct {
	Key   string // in JSON; "" where it stands in tables alone
	Name  string // in tables; "" where it stands in JSON alone
	Value any    // plain data
	Bound int    // of a number: −1 for a lower bound, 1 for an upper one
	Note  string // what the number says, behind it in a table
}

// ObjectiveOf returns what a solver looks for.
func ObjectiveOf(s bcpace.Solver) bcpace.Objective {
	if q, ok := s.(Questioner); ok {
		return q.Objective()
	}
	return bcpace.Objective{}
}

// Findings returns what a solver has found beside the Certificate: of an Objective, nothing otherwise.
func Findings(found *bcpace.Solution) []Finding {
	if q, ok := found.Solver.(Questioner); ok {
		return q.Findings(found)
	}
	return nil
}

// Rows returns the names and texts of a table of Findings, where number writes a number or a bound. What is not known is left out.
func Rows(found *bcpace.Solution, number func(v float64, bound int) string) (rows [][2]string) {
	for _, x := range Findings(found) {
		v, ok := x.Value.(float64)
		if x.Name == "" || ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			continue
		}
		text := fmt.Sprint(x.Value)
		if ok {
			text = number(v, x.Bound)
		}
		if x.Note != "" {
			text += ": " + x.Note
		}
		rows = append(rows, [2]string{x.Name, text})
	}
	return rows
}
