package viz

import "bayescpace/bcpace/pac"

// PromisedOf sets what audits of one model at several ε measured beside what the theorems
// promise, for explorations in batches n times that (Proposition Batch Sample Update).
func PromisedOf(audits ...*pac.Audit) PromisedSteps {
	var p PromisedSteps
	for _, a := range audits {
		x := a.Analysis
		p.Title = titled(a.Run.Spec.Name, "promised and measured")
		p.Rows = append(p.Rows, PromisedRow{Epsilon: x.Setting.Epsilon, Promised: x.BatchM, Measured: a.BelowGuarantee,
			PromisedSamples: x.Samples, Samples: a.Run.Samples.Len(),
			PromisedEscapes: x.EscapeSteps * float64(x.Setting.Batch), Escapes: a.EscapeSteps})
	}
	return p
}
