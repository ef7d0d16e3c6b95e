package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/proto"
)

// submitBranches runs a pipeline on a portable engine such that each branch has an
// environment of its own. Prism starts one worker an environment, however many there
// could be; so there is one a branch. Other engines have their own ways to many workers.
func submitBranches(ctx context.Context, p *beam.Pipeline, branches int) error {
	endpoint, err := jobopts.GetEndpoint()
	if err != nil {
		return err
	}
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	env, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig)
	if err != nil {
		return err
	}
	model, err := graphx.Marshal(edges, &graphx.Options{Environment: env, PipelineResourceHints: jobopts.GetPipelineResourceHints()})
	if err != nil {
		return err
	}
	for b := 1; b < branches; b++ {
		moveBranch(model, branchName(b))
	}
	_, err = runnerlib.Execute(ctx, model, endpoint, &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), Worker: *jobopts.WorkerBinary, Parallelism: *jobopts.Parallelism,
	}, *jobopts.Async)
	return err
}

// moveBranch gives the transforms of a branch an environment that is a copy of theirs.
func moveBranch(model *pipepb.Pipeline, branch string) {
	c := model.GetComponents()
	ids := make([]string, 0, len(c.GetTransforms()))
	for id := range c.GetTransforms() {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		t := c.GetTransforms()[id]
		from := t.GetEnvironmentId()
		if from == "" || !strings.HasPrefix(t.GetUniqueName(), branch+"/") {
			continue
		}
		to := fmt.Sprintf("%s_%s", from, branch)
		if c.Environments[to] == nil {
			// The worker's program is on its machine, and staged once at most.
			c.Environments[to] = proto.Clone(c.Environments[from]).(*pipepb.Environment)
			c.Environments[to].Dependencies = nil
		}
		t.EnvironmentId = to
	}
}
