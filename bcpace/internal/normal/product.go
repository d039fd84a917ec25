package normal

// Product calls visit at each combination of places of the rules, but for negligible ones, with its probability under each of the
// means: a view. at has then the place of each rule; share has room for the means, once more than there are rules.
func Product(rules []Rule, at []int, share []float64, visit func(share []float64)) {
	n := len(share) / (len(rules) + 1)
	for i := range n {
		share[i] = 1
	}
	depth := 0
	for at[0] = 0; depth >= 0; {
		rule := &rules[depth]
		if at[depth] == len(rule.At) {
			if depth--; depth >= 0 {
				at[depth]++
			}
			continue
		}
		before, after := share[depth*n:(depth+1)*n], share[(depth+1)*n:(depth+2)*n]
		top := 0.0
		for i, p := range before {
			after[i] = p * rule.Prob(at[depth], i)
			top = max(top, after[i])
		}
		switch {
		case top < negligible:
			at[depth]++
		case depth+1 < len(rules):
			depth++
			at[depth] = 0
		default:
			visit(after)
			at[depth]++
		}
	}
}
