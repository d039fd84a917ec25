package sweep

// column returns what of makes of each entry of a list.
func column[E, T any](list []E, of func(*E) T) []T {
	all := make([]T, len(list))
	for i := range list {
		all[i] = of(&list[i])
	}
	return all
}
