package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
)

// These are the largest valid values of flags.
const (
	maxShards    = 99_999 // names of shards have five digits
	maxProcesses = 256    // a larger number is probably a mistake
	maxTries     = 100    // a larger number is probably a mistake
	minSilence   = 3 * heartbeatInterval
)

// run plans the shards, submits them and prints the summary.
func (c *command) run(ctx context.Context, rest []string) error {
	from := time.Now()
	c.points = append(c.points, rest...) // a shell replaces the pattern in --points *.csv by several arguments
	if err := c.check(); err != nil {
		return err
	}
	if _, err := c.flags.Options(); err != nil {
		return err
	}
	inputs, err := expand(ctx, c.points)
	if err != nil {
		return err
	}
	for _, path := range inputs {
		if c.isOutput(path) {
			return term.Usagef("%s is a shard of an earlier run with this --out: the new run would replace it", path)
		}
	}
	if engine() != "direct" {
		// Workers can have another working folder and need absolute paths.
		out := []string{c.out}
		if err := makeAbsolute(c.mesh, inputs, out); err != nil {
			return err
		}
		c.out = out[0]
	}
	many := len(c.mesh) > 1 || c.flags.Body != ""
	p, err := newPlan(ctx, inputs, &c.flags, many, c.shardPoints)
	if err != nil {
		return err
	}
	for _, n := range p.notes {
		c.Warn("%s", n)
	}
	if len(p.parts) > maxShards {
		return tooMany(len(p.parts), c.shardPoints)
	}
	e, q, err := c.prepare(ctx, p)
	if err != nil {
		return err
	}
	method, reason := q.Solids.Method()
	if err := c.submit(ctx, e, p); err != nil {
		c.reportUnfinished(e)
		return err
	}
	if *jobopts.Async {
		c.Note("the job is submitted: its last step writes %s", merge.ManifestName(c.out))
		return nil
	}
	data, err := readAll(ctx, merge.ManifestName(c.out))
	if err != nil { // the outputs are complete, so the run should not fail because of one failed read
		data, err = readAll(ctx, merge.ManifestName(c.out))
	}
	if err != nil {
		return err
	}
	m, err := merge.Parse(data)
	if err != nil {
		return withName(merge.ManifestName(c.out), err)
	}
	if m.Key != e.Task.Key {
		return fmt.Errorf("%s belongs to an earlier run: the engine reports success, but this run is not finished", merge.ManifestName(c.out))
	}
	_, _, turned := answer.Turned(q.Solids.Report().Solids...)
	return c.finish(m, fmt.Sprintf("%s: %d triangles%s, %s (%s), rule %s", q.Solids.Name, q.Solids.Triangles(), turned, method, reason, q.Solids.Rule()), time.Since(from))
}

func (c *command) check() error {
	if err := c.flags.CheckVerify(len(c.mesh)); err != nil {
		return err
	}
	switch {
	case !slices.Contains(engines, engine()):
		return term.Usagef("--runner %q: must be one of %s", engine(), strings.Join(engines, ", "))
	case *jobopts.Endpoint == "" && engine() != "direct" && engine() != "dataflow":
		return term.Usagef("--runner %s needs --endpoint, the address of its job server", engine())
	case *jobopts.Endpoint != "" && engine() == "direct":
		return term.Usagef("--runner direct runs in this process: it has no --endpoint")
	case jobopts.IsLoopback():
		return term.Usagef("--environment_type %s is refused: its port accepts work without authentication", *jobopts.EnvironmentType)
	case *jobopts.EnvironmentType != "" && engine() == "direct":
		return term.Usagef("--environment_type %s needs a job server (--endpoint)", *jobopts.EnvironmentType)
	case len(c.mesh) == 0:
		return term.Usagef("no --mesh given")
	case len(c.points) == 0:
		return term.Usagef("no --points given")
	case c.out == "" || strings.HasSuffix(c.out, "/") || c.out == "-":
		return term.Usagef("--out %q: must be a prefix of file names, such as answers/part", c.out)
	case c.shardPoints < 1:
		return term.Usagef("--shard-points %d: must be a number ≥ 1", c.shardPoints)
	case c.processes < 1 || c.processes > maxProcesses:
		return term.Usagef("--processes %d: must be a number from 1 to %d", c.processes, maxProcesses)
	case c.processes > 1 && !isServed():
		return term.Usagef("--processes needs a Prism server (--endpoint) that starts the processes (--environment_type=PROCESS)")
	case *jobopts.Async && engine() == "direct":
		return term.Usagef("--async needs an engine outside this process")
	case c.silence < minSilence:
		return term.Usagef("--silence %v: must be a duration ≥ %v", c.silence, minSilence)
	case c.tries < 1 || c.tries > maxTries:
		return term.Usagef("--tries %d: must be a number from 1 to %d", c.tries, maxTries)
	}
	return nil
}

// shardName matches the name of a shard without its prefix.
var shardName = regexp.MustCompile(`^-\d{5}-of-\d{5}\.[^/]+$`)

// isOutput reports whether a file has the name of a shard of this run. For a symbolic link it also
// checks the target.
func (c *command) isOutput(path string) bool {
	names := []string{realPath(path)}
	if target, err := disk.EvalSymlinks(path); err == nil {
		names = append(names, realPath(target))
	}
	out := realPath(c.out)
	return slices.ContainsFunc(names, func(name string) bool {
		rest, ok := strings.CutPrefix(name, out)
		return ok && shardName.MatchString(rest)
	})
}

// realPath returns the absolute path of a local file and resolves symbolic links in the path of its
// folder. It returns a remote path unchanged. The file and its folder need not exist.
func realPath(path string) string {
	if remote(path) {
		return path
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	dir, err := disk.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return full
	}
	return filepath.Join(dir, filepath.Base(full))
}

// prepare builds the index and thus chooses the method that all workers use. It returns the final
// step of the run and the query.
func (c *command) prepare(ctx context.Context, p *plan) (*finalStep, *answer.Query, error) {
	t := task{Mesh: c.mesh, Flags: c.flags, Expected: p.expected, Version: version()}
	q, err := t.build(ctx)
	if err != nil {
		return nil, nil, err
	}
	t.Solids = checksumOf(q.Solids)
	t.Key = p.key(&t)
	t.remember(q)
	if c.flags.Unsteady(q.Solids) {
		return nil, nil, term.Usagef("the winding numbers of this open mesh could differ from the winding numbers of inpoly: use a --method other than auto and fmm")
	}
	for _, w := range q.Solids.Warnings() {
		c.Warn("%s", w)
	}
	if c.flags.Strict && q.Solids.Report().Defects() {
		return nil, nil, term.Strictf("%s has defects: no output was written", q.Solids.Name)
	}
	method, _ := q.Solids.Method()
	if !q.Solids.Several {
		t.Flags.Method = method
	}
	t.Distributions = slices.Contains([]string{"flink", "spark", "dataflow"}, engine())
	t.Parts = c.out + ".parts-" + t.Key[:12]
	inputs := slices.Clone(p.inputs)
	if err := makeAbsolute(inputs); err != nil { // absolute paths allow reading the manifest from another folder
		return nil, nil, err
	}
	return &finalStep{
		Task: t, Prefix: c.out, Inputs: inputs, Parts: len(p.parts), Method: method, Rule: q.Solids.Rule(),
	}, q, nil
}

// submit runs the shards on the engine, and then runs the final step.
func (c *command) submit(ctx context.Context, e *finalStep, p *plan) error {
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		// Workers run the executable of this process, which needs no other files.
		self, err := os.Executable()
		if err != nil {
			return err
		}
		*jobopts.WorkerBinary = self
	}
	if err := e.Task.createParts(); err != nil {
		return err
	}
	stop := c.progress(ctx, e, p)
	defer stop()
	failed := func(err error) {
		stop()
		c.Warn("the engine has failed (%s): the driver tries the unfinished shards again", firstLine(err))
	}
	switch {
	case engine() == "direct":
		return c.inShares(ctx, e, p.parts, inProgress, failed, direct)
	case isServed():
		return c.inShares(ctx, e, p.parts, c.processes, failed, c.job)
	}
	return c.retry(ctx, failed, func() error {
		if *jobopts.Endpoint != "" && engine() != "dataflow" {
			connection, err := reach(ctx) // reach fails soon without a server, but Beam would wait for minutes
			if err != nil {
				return err
			}
			connection.Close()
		}
		_, err := beam.Run(ctx, engine(), newPipeline(e, p.parts))
		return err
	})
}

// retry calls runOnce until it succeeds, at most c.tries times. It stops after an error that would
// occur again. A new try skips finished shards.
func (c *command) retry(ctx context.Context, failed func(error), runOnce func() error) error {
	for try := 1; ; try++ {
		err := runOnce()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if reason, ok := permanentReason(err); ok {
			return errors.New(reason)
		}
		if errors.Is(err, errUnreachable) {
			return err
		}
		if try == c.tries {
			return fmt.Errorf("the engine has failed %d times: %s", try, strings.Join(strings.Fields(err.Error()), " "))
		}
		failed(err)
	}
}

// firstLine returns the first line of the text of err. It skips empty lines and lines that end with
// a colon.
func firstLine(err error) string {
	text := strings.TrimSpace(err.Error())
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return line
		}
	}
	return text
}

// engines lists the runners that are linked into the program.
var engines = []string{"direct", "prism", "flink", "spark", "dataflow", "universal"}

// engine returns the name of the runner. The default is Prism if there is the address of a server,
// and otherwise the direct runner, which runs in this process and opens no port.
func engine() string {
	if *jobopts.Endpoint != "" {
		return cmp.Or(*runners.Runner, "prism")
	}
	return cmp.Or(*runners.Runner, "direct")
}
