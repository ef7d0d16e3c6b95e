package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// deaf is a job server that accepts jobs but does not run them. It imitates a server that has not
// detected the end of a worker.
type deaf struct {
	jobpb.UnimplementedJobServiceServer
	jobpb.UnimplementedArtifactStagingServiceServer
	address string
	late    time.Duration

	mu            sync.Mutex
	run, canceled []string
}

func startDeaf(t *testing.T, late time.Duration) *deaf {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &deaf{address: l.Addr().String(), late: late}
	s := grpc.NewServer()
	jobpb.RegisterJobServiceServer(s, d)
	jobpb.RegisterArtifactStagingServiceServer(s, d)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	return d
}

func (d *deaf) Prepare(_ context.Context, r *jobpb.PrepareJobRequest) (*jobpb.PrepareJobResponse, error) {
	return &jobpb.PrepareJobResponse{
		PreparationId: r.GetJobName(), StagingSessionToken: "t", ArtifactStagingEndpoint: &pipepb.ApiServiceDescriptor{Url: d.address},
	}, nil
}

func (d *deaf) ReverseArtifactRetrievalService(jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer) error {
	return nil
}

func (d *deaf) Run(ctx context.Context, r *jobpb.RunJobRequest) (*jobpb.RunJobResponse, error) {
	d.mu.Lock()
	d.run = append(d.run, r.GetPreparationId())
	d.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(d.late):
	}
	return &jobpb.RunJobResponse{JobId: r.GetPreparationId()}, nil
}

func (d *deaf) GetMessageStream(_ *jobpb.JobMessagesRequest, s jobpb.JobService_GetMessageStreamServer) error {
	<-s.Context().Done()
	return s.Context().Err()
}

func (d *deaf) Cancel(_ context.Context, r *jobpb.CancelJobRequest) (*jobpb.CancelJobResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.canceled = append(d.canceled, r.GetJobId())
	return &jobpb.CancelJobResponse{State: jobpb.JobState_CANCELLED}, nil
}

// TestSilence checks that a try fails if the server does not answer, and that the run fails after
// the last try. It also checks that the run cancels its jobs and removes its heartbeat file, even
// after an interrupt during a submission.
func TestSilence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	points := put(t, dir, "a.csv", csvOf(cloud(1, 100), "\n"))
	for _, interrupt := range []bool{false, true} {
		late := time.Duration(0)
		if interrupt {
			late = 200 * time.Millisecond
		}
		d := startDeaf(t, late)
		c := child("command", append([]string{"--mesh", mesh, "--points", points, "--out", filepath.Join(dir, "o"), "--shard-points", "30",
			"--silence", "3s", "--tries", "2"}, onServer(t, d.address)...)...)
		var stderr strings.Builder
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		want, code := 4, term.ExitError
		if interrupt {
			want, code = 2, 130
			for running := 0; running < want; time.Sleep(10 * time.Millisecond) {
				d.mu.Lock()
				running = len(d.run)
				d.mu.Unlock()
			}
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
		err := c.Wait()
		if got := c.ProcessState.ExitCode(); got != code {
			t.Errorf("exit code %d, want %d: %v, %s", got, code, err, &stderr)
		}
		if !interrupt && !strings.Contains(stderr.String(), "the engine has failed 2 times: no worker has started within 3s: check the command in --environment_config") {
			t.Errorf("the driver printed %s", &stderr)
		}
		d.mu.Lock()
		slices.Sort(d.run)
		slices.Sort(d.canceled)
		if len(d.run) != want || !slices.Equal(d.run, d.canceled) {
			t.Errorf("%d jobs, want %d: begun %q, canceled %q", len(d.run), want, d.run, d.canceled)
		}
		d.mu.Unlock()
		if left, err := filepath.Glob(filepath.Join(dir, "o*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	}
}

// TestNoServer checks that a run without a server fails after one try. The name of the folder has
// wildcard characters, which must not be interpreted as a pattern.
func TestNoServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close() // after this call, no server listens on the address
	dir := filepath.Join(t.TempDir(), "a[b]")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "cube.obj", []byte(cube))
	put(t, dir, "a.csv", csvOf(cloud(1, 100), "\n"))
	c := child("command", append([]string{"--mesh", "cube.obj", "--points", "*.csv", "--out", "o"}, onServer(t, address)...)...)
	c.Dir = dir
	text, _ := c.CombinedOutput()
	if c.ProcessState.ExitCode() != term.ExitError || !strings.Contains(string(text), "no job server at "+address) || strings.Count(string(text), "\n") != 1 {
		t.Errorf("%v, it said %s", c.ProcessState, text)
	}
}

// TestListen checks that watchHeartbeat reports an error if and only if the heartbeat has stopped.
func TestListen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "w"+heartbeatSuffix)
	if err := startHeartbeat(path); err != nil {
		t.Fatal(err)
	}
	defer endHeartbeat(path)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := (&task{Heartbeat: path}).heartbeat()
	const limit = 5 * heartbeatInterval // a busy machine can delay a heartbeat by a few intervals
	go watchHeartbeat(ctx, path, limit, cancel)
	select {
	case <-ctx.Done():
		t.Fatalf("%v, while it was at work", context.Cause(ctx))
	case <-time.After(limit + 2*heartbeatInterval):
	}
	stop()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the silence is not noticed")
	}
	if err := context.Cause(ctx); errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "no worker has updated") {
		t.Errorf("%v", err)
	}
}
