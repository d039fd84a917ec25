// Package jetstream computes the tasks of a sweep in worker processes, on this machine and
// on others, with answers kept by NATS JetStream. Embed starts a server and workers of its
// own; Connect uses a server or a cluster that runs already; Work joins a machine to either.
package jetstream
