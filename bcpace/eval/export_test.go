package eval

import "bayescpace/bcpace"

// Player returns a function that plays the episode of a number, of so many steps at most, and returns its steps.
func Player(m bcpace.Model, p bcpace.Policy, horizon int) func(episode int) (steps int, err error) {
	e := newEpisodes(m, Options{Horizon: horizon})
	e.Policy = p
	return func(episode int) (int, error) {
		err := e.play(episode, nil, nil)
		return e.Steps, err
	}
}
