package cover

import "context"

// UnseenDraws is unseen where each point after the first ones is a trial of its own.
func UnseenDraws(ctx context.Context, p *Points, seen int, epsilon, confidence float64) (Unseen, error) {
	met := make([][]int, p.Len()-seen)
	for i := range met {
		met[i] = []int{seen + i}
	}
	return unseen(ctx, p, seen, met, epsilon, confidence)
}
