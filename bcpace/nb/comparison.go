package nb

import "bayescpace/bcpace/eval"

// comparisonOf returns v as a table of mean returns.
func comparisonOf(v any) (*eval.Comparison, bool) {
	switch v := v.(type) {
	case eval.Comparison:
		return &v, true
	case *eval.Comparison:
		return v, v != nil
	}
	return nil, false
}

// comparisonMessage shows a table of mean returns with what is best in bold, for
// which a Table has no means. It is not sorted: its rows are problems, and a
// return in one says nothing beside a return in another.
func comparisonMessage(c *eval.Comparison) message {
	// MathJax is kept from taking two dollar signs for a formula, as in writeText.
	const open = `<div class="tex2jax_ignore mathjax_ignore" style="overflow-x:auto">`
	return message{plain: cleanLines(c.String()), html: open + cleanLines(c.HTML()) + "</div>"}
}
