// Package jetstream computes the tasks of a sweep in worker processes, on this machine and
// on others, with answers kept by NATS JetStream. Embed starts a server and workers of its
// own; Connect uses a server or a cluster that runs already; Work joins a machine to either.
//
// # How it works
//
// A coordinator, the process that calls Do, has the tasks. Workers ask it for one at a time,
// compute it, have the server keep the output under the task's key, and then tell
// the coordinator. The server has written an output to disk before it says that it is kept,
// and the first output of a key stays: a worker that comes second gets that one. So no
// message, process or machine that is lost costs an answer, and none makes two of one.
//
// The coordinator alone knows which worker has which task. It keeps that in memory: when it
// is started again, it queues what is not kept, and workers that still compute say what they
// have. A worker shows that it lives three times in each Lease, or more often. The tasks of
// one that is silent for a Lease, or whose parent tells that it has ended, go to others. All
// of these times are measured with the monotonic clock, so that a clock that is set forward
// or back changes nothing. That is why tasks are not queued by JetStream, which takes a
// message for lost by the server's wall clock.
//
// A task may be what ends its worker, so each worker process is one that its parent starts
// again. The task that it was given last then counts a try: of those before it the answers are on
// their way. After Tries of them the task is given up with a Fault. A worker that is told to end hands
// back its task, which counts for nothing.
//
// A task may keep how far it has come (sweep.Parts), in an object store of the server under its
// key: now and then, and when its worker is told to end. Who gets a task that another one has had
// goes on from there. The part goes when the answer is kept.
//
// # What it promises
//
// Do calls Answered once for each task, whatever ends on the way. Outputs are the bytes that
// the handlers return, as every worker runs the same version of the program: one of another
// version is refused. Faults and the answers of Transient tasks are not kept.
//
// What is not promised: a task may be computed more than once, and a worker that was taken
// for lost may still compute it.
//
// # Who may do what
//
// An embedded server listens on the loopback interface alone unless Listen says otherwise,
// and always asks for a token, which lies in connect.json, a file for the user alone. The
// token is all it takes to send tasks to workers and answers to a coordinator. What a message
// names is looked up among what the program has, never executed; messages that cannot be what
// they should are dropped and counted. Beyond the loopback interface an embedded server speaks
// without encryption: use it within a network that you trust, or Connect to a server with TLS.
package jetstream
