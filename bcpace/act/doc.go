// Package act uses a policy outside of a simulator: a robot, a web page or a program in another language says which states it sees, and an Agent
// says what to do, keeps the belief, and says what it rests on. That of NewObserver does so for a policy of a POMDP, where observations are seen in place of
// states, and that of NewVectors for one of a hidden vector. Serve does the same over lines of JSON, as the command's verb act.
//
// A line that Serve reads is a Request: {"state": [0]} begins an episode, and {"reward": -1, "next": [1]} says what followed the action of the last
// answer. Where another action was taken, "action" has its name or number. A state is a list with a number, or a label of the axis, for each axis of the
// model. A line that it writes is a Choice, or {"error": "..."} for a line that cannot be used, after which all is as before.
//
// For an agent of NewObserver, "state" has a value of each visible variable, by its name or number: {"state": []} where all is hidden. "next" has these values and
// then the observation, where there is more than one: {"reward": -1, "next": ["growl left"]}. Numbers count from 0.
//
// {"ask": "hello"} is answered by a Hello: whether states or observations are taken, what the two lists hold, and the names of actions and latents.
package act
