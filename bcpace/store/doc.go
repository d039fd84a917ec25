// Package store keeps expensive results on disk, so that a later cell of a
// notebook, which is a new process, has them back in milliseconds.
//
// A run is filed under a key made of everything it depends on: what the model is
// made of (fingerprint.Of), the options that change the result, and the code.
// A model that lists its states and successors is known in full. One that does not
// is probed: a few hundred transitions drawn with fixed seeds go into the key, so
// that a changed closure in a cell gives another one. A run read back is compared
// with the model once more, wherever the run has been (runs.Read), and makes
// room where the model now does something else.
//
// Explorations leave checkpoints, from which the next one continues, see Memo. Files
// have checksums, and appear as a whole or not at all. One that is damaged,
// truncated or of another kind is named in an error and set aside as it is, with
// ".damaged" at the end of its name, when its place is needed.
package store
