package eval

import (
	"context"

	"bayescpace/bcpace"
)

// Player returns a function that plays the episode of a number, of so many steps at most, and returns its steps.
func Player(m bcpace.Model, p bcpace.Policy, horizon int) func(episode int) (steps int, err error) {
	g, _ := Options{Horizon: horizon}.game(m, func(*bcpace.Simulator) bcpace.Policy { return p })
	return func(episode int) (int, error) {
		err := g.Play(context.Background(), episode)
		return g.Steps, err
	}
}
