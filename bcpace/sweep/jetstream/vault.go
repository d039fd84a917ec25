package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bayescpace/bcpace/sweep"
)

// What a server keeps: answers in a stream with a subject for each key, of which the first
// message wins; blobs in an object store under their hashes; parts of tasks in another under
// their keys; and what was last heard of each sweep. All of it is on disk before the server says that it is kept.
const (
	answerStream  = "BCPACE-ANSWERS"
	answerSubject = "bcpace.answer."
	blobBucket    = "BCPACE-BLOBS"
	partBucket    = "BCPACE-PARTS"
	sweepBucket   = "BCPACE-SWEEPS"
)

// vault is what a server keeps.
type vault struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	blobs  jetstream.ObjectStore
	parts  jetstream.ObjectStore
	sweeps jetstream.KeyValue
}

var _ interface {
	sweep.Blobs
	sweep.Parts
} = (*vault)(nil)

// openVault finds what a server keeps. The coordinator makes it where it is missing, with the
// number of replicas; 0 leaves that as it is.
func openVault(ctx context.Context, nc *nats.Conn, coordinator bool, replicas int) (*vault, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	v := &vault{js: js}
	if coordinator {
		if err := v.make(ctx, replicas); err != nil {
			return nil, err
		}
	}
	if v.stream, err = js.Stream(ctx, answerStream); err != nil {
		return nil, err
	}
	if v.blobs, err = js.ObjectStore(ctx, blobBucket); err != nil {
		return nil, err
	}
	if v.parts, err = js.ObjectStore(ctx, partBucket); err != nil {
		return nil, err
	}
	v.sweeps, err = js.KeyValue(ctx, sweepBucket)
	return v, err
}

func (v *vault) make(ctx context.Context, replicas int) error {
	info, err := v.js.Stream(ctx, answerStream)
	switch {
	case err != nil && !errors.Is(err, jetstream.ErrStreamNotFound):
		return err
	case err != nil:
		replicas = max(replicas, 1)
	case replicas == 0:
		replicas = info.CachedInfo().Config.Replicas
	}
	if _, err := v.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: answerStream, Subjects: []string{answerSubject + "*"}, Replicas: replicas, Storage: jetstream.FileStorage,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgSize: maxMessage, AllowDirect: true,
	}); err != nil {
		return err
	}
	for _, bucket := range []string{blobBucket, partBucket} {
		if _, err := v.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Replicas: replicas}); err != nil {
			return err
		}
	}
	_, err = v.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: sweepBucket, Replicas: replicas})
	return err
}

// keep has the server keep an answer, and returns the one that is kept: it may be another.
func (v *vault) keep(ctx context.Context, a *sweep.Answer) (*sweep.Answer, error) {
	_, err := v.js.Publish(ctx, answerSubject+a.Key, write(a), jetstream.WithExpectLastSequencePerSubject(0))
	taken := []jetstream.ErrorCode{jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant}
	if no, is := errors.AsType[*jetstream.APIError](err); is && slices.Contains(taken, no.ErrorCode) {
		there, err := v.answer(ctx, a.Key)
		if there == nil && err == nil {
			err = &unreadable{errors.New("it has just been removed")}
		}
		return there, err
	}
	return a, err
}

// kept is an answer that the server keeps.
type kept sweep.Answer

func (a *kept) check() error { return checkAnswer(sweep.Answer(*a)) }

// unreadable is the error for what is kept where an answer should be.
type unreadable struct{ err error }

func (u *unreadable) Error() string { return "not an answer: " + u.err.Error() }

// answer returns the answer that is kept under a key, nil if there is none. What is not an answer
// is removed, and the error is *unreadable.
func (v *vault) answer(ctx context.Context, key string) (*sweep.Answer, error) {
	m, err := v.stream.GetLastMsgForSubject(ctx, answerSubject+key)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := new(sweep.Answer)
	if err = read(m.Data, (*kept)(a)); err == nil && (a.Key != key || a.Fault != "") {
		err = fmt.Errorf("key %s, fault %.100q, want key %s and no fault", a.Key, a.Fault, key)
	}
	if err == nil {
		return a, nil
	}
	if gone := v.stream.DeleteMsg(ctx, m.Sequence); gone != nil && !errors.Is(gone, jetstream.ErrMsgNotFound) {
		return nil, gone
	}
	return nil, &unreadable{err}
}

// Put implements sweep.Blobs.
func (v *vault) Put(ctx context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	if _, err := v.Get(ctx, name); err == nil {
		return name, nil
	}
	if _, err := v.blobs.PutBytes(ctx, name, data); err != nil {
		return "", fmt.Errorf("keeping %d bytes: %w", len(data), err)
	}
	return name, nil
}

// Get implements sweep.Blobs.
func (v *vault) Get(ctx context.Context, name string) ([]byte, error) {
	if err := checkKey(name); err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	data, err := v.blobs.GetBytes(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("blob %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("blob %s is damaged: its hash is %x", name, sum)
	}
	return data, nil
}

// KeepPart implements sweep.Parts.
func (v *vault) KeepPart(ctx context.Context, key string, data []byte) error {
	if _, err := v.parts.PutBytes(ctx, key, data); err != nil {
		return fmt.Errorf("keeping how far task %.12s has come: %w", key, err)
	}
	return nil
}

// Part implements sweep.Parts.
func (v *vault) Part(ctx context.Context, key string) ([]byte, error) {
	var data []byte
	var err error
	for range 3 { // one that is replaced while it is read does not come to its end
		short, cancel := context.WithTimeout(ctx, partTimeout)
		data, err = v.parts.GetBytes(short, key)
		cancel()
		if err == nil || ctx.Err() != nil {
			break
		}
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			err = fs.ErrNotExist
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("how far task %.12s has come: %w", key, err)
	}
	return data, nil
}

// partTimeout is how long the part of a task may take to come.
const partTimeout = 30 * time.Second

// dropPart removes the part of a task whose answer is kept. One that stays does no harm.
func (v *vault) dropPart(ctx context.Context, key string) { _ = v.parts.Delete(ctx, key) }

// partKeys returns the keys of tasks that have parts.
func (v *vault) partKeys(ctx context.Context) (keys []string, err error) {
	list, err := v.parts.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, nil
	}
	for _, x := range list {
		keys = append(keys, x.Name)
	}
	return keys, err
}

// pause waits, or until ctx ends, and returns its error then.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
