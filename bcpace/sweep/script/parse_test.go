package script

import (
	"strings"
	"testing"

	"bayescpace/bcpace/sweep"
)

// TestParseShard: numbers, and what job arrays and Indexed Jobs say; whatever may be a misunderstanding
// is refused.
func TestParseShard(t *testing.T) {
	slurm := func(id string) map[string]string { return map[string]string{slurmTask: id} }
	kubernetes := func(index string) map[string]string { return map[string]string{kubernetesIndex: index} }
	for _, c := range []struct {
		text string
		env  map[string]string
		want sweep.Shard
		bad  string
	}{
		{"3/40", nil, sweep.Shard{Index: 3, Count: 40}, ""},
		{"1/1", slurm("7"), sweep.Shard{Index: 1, Count: 1}, ""}, // who says a number has it
		{"auto/40", slurm("7"), sweep.Shard{Index: 7, Count: 40}, ""},
		{"auto/40", map[string]string{slurmTask: "40"}, sweep.Shard{Index: 40, Count: 40}, ""},
		{"auto/40", kubernetes("0"), sweep.Shard{Index: 1, Count: 40}, ""},
		{"auto/40", kubernetes("39"), sweep.Shard{Index: 40, Count: 40}, ""},
		{"", nil, sweep.Shard{}, "one such as 3/40"}, {"3", nil, sweep.Shard{}, "one such as 3/40"}, {"0/4", nil, sweep.Shard{}, "one such as 3/40"},
		{"5/4", nil, sweep.Shard{}, "one such as 3/40"}, {"1/0", nil, sweep.Shard{}, "1 to 1000000 shards"}, {"a/b", nil, sweep.Shard{}, "one such as"}, {"1/2/3", nil, sweep.Shard{}, "one such as"},
		{"auto/4", nil, sweep.Shard{}, "in a job array of Slurm or an Indexed Job"},
		{"auto", slurm("3"), sweep.Shard{}, "auto/40 in a job array"},
		{"auto/4", slurm("0"), sweep.Shard{}, "1 to 4"},
		{"auto/4", slurm("5"), sweep.Shard{}, "1 to 4"},
		{"auto/4", slurm("x"), sweep.Shard{}, slurmTask},
		{"auto/4", kubernetes("4"), sweep.Shard{}, "0 to 3"}, {"auto/4", kubernetes("-1"), sweep.Shard{}, "0 to 3"},
		{"auto/4", map[string]string{slurmTask: "1", kubernetesIndex: "0"}, sweep.Shard{}, "one of them"},
	} {
		got, err := ParseShard(c.text, func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%q in %v: %v, error %v, want %v, %q", c.text, c.env, got, err, c.want, c.bad)
		}
	}
}
