package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"

	"github.com/inpoly/inpoly/internal/disk"
)

// These are time limits for calls to a server.
const ( // tuning
	dialLimit   = 10 * time.Second
	submitLimit = time.Minute
	cancelLimit = 5 * time.Second
)

// errUnreachable means that there is no server. The driver does not try again.
var errUnreachable = errors.New("no job server")

// isServed reports whether the flags name a Prism server whose workers are processes.
func isServed() bool {
	return engine() == "prism" && *jobopts.Endpoint != "" && !*jobopts.Async
}

// inShares divides the shards into n shares and calls run for each share at the same time. It then
// runs the final step in this process. A share that fails is tried again, while the other shares
// continue. The argument k of run is the number of the share.
func (c *command) inShares(ctx context.Context, e *finalStep, parts []part, n int, failed func(error),
	run func(ctx context.Context, t *task, share []part, k int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for k := range min(n, len(parts)) {
		var share []part
		for i := k; i < len(parts); i += n {
			share = append(share, parts[i])
		}
		all.Go(func() {
			t := e.Task
			if err := c.retry(ctx, failed, func() error { return run(ctx, &t, share, k) }); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	list, err := e.Task.results(ctx, parts)
	if err != nil {
		return err
	}
	return e.finish(ctx, list)
}

// direct computes shards in this process. Beam's direct runner opens no port.
func direct(ctx context.Context, t *task, share []part, _ int) error {
	_, err := beam.Run(ctx, "direct", sharePipeline(t, share))
	return cause(ctx, err)
}

// job runs shards as one job of a Prism server, in worker process k. It cancels the job when ctx
// ends or the heartbeat of the worker stops. A job with several environments would report wrong
// metrics. Prism starts a worker for each environment, and the short names of metrics are unique
// only within a worker.
func (c *command) job(ctx context.Context, t *task, share []part, k int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !remote(t.Parts) {
		t.Heartbeat = filepath.Join(t.Parts, fmt.Sprintf("worker%d%s", k, heartbeatSuffix))
	}
	if t.Heartbeat != "" {
		if err := startHeartbeat(t.Heartbeat); err != nil {
			return permanent(err)
		}
		defer endHeartbeat(t.Heartbeat)
	}
	connection, err := reach(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	client := jobpb.NewJobServiceClient(connection)
	id, err := send(ctx, client, t, share)
	if err != nil {
		return cause(ctx, err)
	}
	if t.Heartbeat != "" {
		go watchHeartbeat(ctx, t.Heartbeat, c.silence, cancel)
	}
	if err = runnerlib.WaitForCompletion(ctx, client, id); err != nil {
		late, done := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
		defer done()
		// An error of Cancel is harmless. The job has already failed, or fails when its server ends.
		_, _ = client.Cancel(late, &jobpb.CancelJobRequest{JobId: id})
	}
	return cause(ctx, err)
}

func reach(ctx context.Context) (*grpc.ClientConn, error) {
	connection, err := grpcx.Dial(ctx, *jobopts.Endpoint, dialLimit)
	if err != nil {
		return nil, fmt.Errorf("%w at %s", errUnreachable, *jobopts.Endpoint)
	}
	return connection, nil
}

// building is locked while a pipeline is built or submitted, because both use global state of Beam.
var building sync.Mutex

// sharePipeline returns a pipeline that computes a share of the shards.
func sharePipeline(t *task, share []part) *beam.Pipeline {
	building.Lock()
	defer building.Unlock()
	p, s := beam.NewPipelineWithRoot()
	answers(s, t, share)
	return p
}

// send submits a job to the server and returns the id of the job.
func send(ctx context.Context, client jobpb.JobServiceClient, t *task, share []part) (id string, err error) {
	p := sharePipeline(t, share)
	building.Lock()
	defer building.Unlock()
	model, err := modelOf(ctx, p)
	if err != nil {
		return "", err
	}
	worker := *jobopts.WorkerBinary
	if jobopts.GetEnvironmentUrn(ctx) != graphx.URNEnvProcess {
		if err := runnerlib.UpdateGoEnvironmentWorker(worker, model); err != nil {
			return "", err
		}
	} else {
		for _, env := range model.GetComponents().GetEnvironments() {
			env.Dependencies = nil // the machine of the worker has the program
		}
	}
	prepared, artifacts, token, err := runnerlib.Prepare(ctx, client, model, &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), Worker: worker, RetainDocker: *jobopts.RetainDockerContainers, Parallelism: *jobopts.Parallelism,
	})
	if err != nil {
		return "", err
	}
	if token, err = runnerlib.Stage(ctx, prepared, artifacts, worker, token); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	// If ctx ends, Submit still returns the id of the job, which is needed to cancel the job.
	late, done := context.WithTimeout(context.WithoutCancel(ctx), submitLimit)
	defer done()
	return runnerlib.Submit(late, client, prepared, token)
}

// modelOf returns a pipeline as the message that engines accept.
func modelOf(ctx context.Context, p *beam.Pipeline) (*pipepb.Pipeline, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	env, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig)
	if err != nil {
		return nil, err
	}
	return graphx.Marshal(edges, &graphx.Options{Environment: env, PipelineResourceHints: jobopts.GetPipelineResourceHints()})
}

// cause returns the cause of ctx if ctx has ended. In this case, err is only a consequence.
// Otherwise, cause returns err.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// A worker regularly updates the time of its heartbeat file while it computes a shard. The driver
// can thus distinguish a dead worker from a slow worker. Prism's server up to 2.77 does not always
// notice that a worker has died, and then waits forever.

const heartbeatSuffix = ".pulse"

// heartbeatInterval is the time between two updates of a heartbeat file. It is shorter than
// --silence.
const heartbeatInterval = time.Second // tuning

// noHeartbeat is the modification time of a heartbeat file before its first update.
var noHeartbeat = time.Unix(0, 0)

func startHeartbeat(path string) error {
	endHeartbeat(path) // the file of a driver that was killed
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return disk.Chtimes(path, noHeartbeat, noHeartbeat)
}

// endHeartbeat removes a heartbeat file. A file that remains is harmless.
func endHeartbeat(path string) { _ = disk.Remove(path) }

// heartbeat updates the heartbeat file of the task until stop is called.
func (t *task) heartbeat() (stop func()) {
	if t.Heartbeat == "" {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(heartbeatInterval)
		defer tick.Stop()
		for {
			now := time.Now()
			_ = disk.Chtimes(t.Heartbeat, now, now) // fails if no driver watches this worker, because the file does not exist
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(done) }
}

// watchHeartbeat calls onSilence if the heartbeat file is not updated for longer than the limit.
func watchHeartbeat(ctx context.Context, path string, limit time.Duration, onSilence func(error)) {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	last, since := noHeartbeat, time.Now()
	for {
		if info, err := disk.Stat(path); err == nil && !info.ModTime().Equal(last) {
			last, since = info.ModTime(), time.Now()
		}
		if time.Since(since) > limit {
			err := fmt.Errorf("no worker has updated its heartbeat file for %v", limit)
			if last.Equal(noHeartbeat) {
				err = fmt.Errorf("no worker has started within %v: check the command in --environment_config and its access to %s", limit, filepath.Dir(path))
			}
			onSilence(err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
