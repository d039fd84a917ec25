package script

import (
	"fmt"
	"strconv"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/sweep"
)

// Variables of a job array of Slurm and of an Indexed Job of Kubernetes, by which a task knows
// which one it is.
const (
	slurmTask       = "SLURM_ARRAY_TASK_ID"
	slurmFirst      = "SLURM_ARRAY_TASK_MIN"
	slurmLast       = "SLURM_ARRAY_TASK_MAX"
	slurmTasks      = "SLURM_ARRAY_TASK_COUNT"
	kubernetesIndex = "JOB_COMPLETION_INDEX"
)

// autoShard is the text of a shard that the environment tells.
const autoShard = "auto"

// ParseShard reads a shard: 3/40, or auto or auto/40, with which the variables of the environment,
// which getenv returns, tell the number. That is SLURM_ARRAY_TASK_ID in an array 1-40 of Slurm, and
// JOB_COMPLETION_INDEX, which begins at 0, in an Indexed Job of Kubernetes.
//
// Without /40 the number of shards is SLURM_ARRAY_TASK_COUNT, of an array that begins at 0 or 1 and
// has no gaps. Any other array, such as one of the tasks that failed, is no whole sweep: it is
// refused, and so is a Job, which tells no count. With /40 the tasks of Slurm count from 1, and any
// of them may run, alone too.
func ParseShard(text string, getenv func(string) string) (s sweep.Shard, err error) {
	bad := func(got, want string) (sweep.Shard, error) {
		return sweep.Shard{}, bcpace.In("options").Bad("the shard", got, want)
	}
	number, count, counted := strings.Cut(text, "/")
	if counted {
		if s.Count, err = strconv.Atoi(count); err != nil || s.Count < 1 || s.Count > sweep.MaxShards {
			return bad(strconv.Quote(text), fmt.Sprintf("one such as 3/40 or auto/40, with 1 to %d shards", sweep.MaxShards))
		}
	}
	switch {
	case number != autoShard:
		if s.Index, err = strconv.Atoi(number); err != nil || !counted || s.Check() != nil {
			return bad(strconv.Quote(text), "one such as 3/40, the third of forty, or auto or auto/40 in a job array")
		}
		return s, nil
	case getenv(slurmTask) != "" && getenv(kubernetesIndex) != "":
		return bad(fmt.Sprintf("%q beside both %s and %s", text, slurmTask, kubernetesIndex), "one of them, or a number such as 3/40")
	case getenv(slurmTask) != "":
		return slurmShard(s.Count, getenv)
	case getenv(kubernetesIndex) == "":
		return bad(fmt.Sprintf("%q without %s or %s", text, slurmTask, kubernetesIndex), "it in a job array of Slurm or an Indexed Job of Kubernetes; elsewhere a number such as 3/40")
	case !counted:
		return bad(strconv.Quote(text), "the number of shards too, such as auto/40, as an Indexed Job does not tell its completions")
	}
	index, err := strconv.Atoi(getenv(kubernetesIndex))
	if s.Index = index + 1; err != nil || s.Check() != nil {
		return bad(fmt.Sprintf("%s=%q of %d", kubernetesIndex, getenv(kubernetesIndex), s.Count), fmt.Sprintf("0 to %d: as many completions as shards", s.Count-1))
	}
	return s, nil
}

// slurmShard returns the shard of a task of a job array; count is 0 if nobody has said it.
func slurmShard(count int, getenv func(string) string) (sweep.Shard, error) {
	var at [4]int
	for i, name := range []string{slurmTask, slurmFirst, slurmLast, slurmTasks} {
		x, err := strconv.Atoi(getenv(name))
		if err != nil && (i == 0 || count == 0) {
			return sweep.Shard{}, bcpace.In("options").Bad(name, strconv.Quote(getenv(name)), "a number, as Slurm gives to a task of an array")
		}
		at[i] = x
	}
	id, first, last, tasks := at[0], at[1], at[2], at[3]
	if count > 0 {
		s := sweep.Shard{Index: id, Count: count}
		if s.Check() != nil {
			return sweep.Shard{}, bcpace.In("options").Bad(slurmTask, id, fmt.Sprintf("1 to %d: an array 1-%d has a task for each shard", count, count))
		}
		return s, nil
	}
	s := sweep.Shard{Index: id - first + 1, Count: tasks}
	if first != 0 && first != 1 || last-first+1 != tasks || s.Check() != nil {
		return sweep.Shard{}, bcpace.In("options").Bad("the array of Slurm", fmt.Sprintf("%d tasks from %d to %d", tasks, first, last),
			"one from 0 or 1 up without gaps; for some tasks of an array 1-40 say --shard auto/40")
	}
	return s, nil
}
