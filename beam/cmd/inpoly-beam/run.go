package main

import (
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
)

// Limits of flags. Names of shards have five digits; more processes or tries are a mistake.
const (
	maxShards    = 99_999
	maxProcesses = 256
	maxTries     = 100

	minSilence = 3 * heartbeatInterval
)

// run plans the shards, submits them and prints the summary.
func (c *command) run(ctx context.Context, rest []string) error {
	from := time.Now()
	c.points = append(c.points, rest...) // a shell turns --points *.csv into this
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
			return term.Usagef("%s is a shard of an earlier run with this --out, and would be replaced", path)
		}
	}
	if *jobopts.Endpoint != "" || engine() != "prism" {
		if err := c.absolute(inputs); err != nil { // workers have other working folders
			return err
		}
	}
	many := len(c.mesh) > 1 || c.flags.Body != ""
	p, err := newPlan(ctx, inputs, &c.flags, many, c.shardPoints)
	if err != nil {
		return err
	}
	for _, n := range p.notes {
		c.warn("%s", n)
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
		c.note("submitted; %s is written when all is done", merge.ManifestName(c.out))
		return nil
	}
	data, err := readAll(ctx, merge.ManifestName(c.out))
	if err != nil {
		return err
	}
	m, err := merge.Parse(data)
	if err != nil {
		return withName(merge.ManifestName(c.out), err)
	}
	if m.Key != e.Task.Key {
		return fmt.Errorf("%s is of an earlier run: the engine reports success, but the run is not finished", merge.ManifestName(c.out))
	}
	return c.finish(m, fmt.Sprintf("%s: %d triangles, %s (%s), rule %s", q.Solids.Name, q.Solids.Triangles(), method, reason, q.Solids.Rule()), time.Since(from))
}

// check returns an error for values of flags that cannot be meant.
func (c *command) check() error {
	if err := c.flags.CheckVerify(len(c.mesh)); err != nil {
		return err
	}
	switch {
	case !slices.Contains(engines, engine()):
		return term.Usagef("--runner %q: want one of %s", engine(), strings.Join(engines, ", "))
	case *jobopts.Endpoint == "" && engine() != "prism" && engine() != "dataflow":
		return term.Usagef("--runner %s wants --endpoint, the address of its job server", engine())
	case *jobopts.Endpoint == "" && engine() == "prism" && *jobopts.EnvironmentType != "" && !jobopts.IsLoopback():
		return term.Usagef("--environment_type %s wants a Prism server (--endpoint)", *jobopts.EnvironmentType)
	case len(c.mesh) == 0:
		return term.Usagef("no --mesh given")
	case len(c.points) == 0:
		return term.Usagef("no --points given")
	case c.out == "" || strings.HasSuffix(c.out, "/") || c.out == "-":
		return term.Usagef("--out %q: want a prefix of file names, such as answers/part", c.out)
	case c.shardPoints < 1:
		return term.Usagef("--shard-points %d: want a number ≥ 1", c.shardPoints)
	case c.processes < 1 || c.processes > maxProcesses:
		return term.Usagef("--processes %d: want a number from 1 to %d", c.processes, maxProcesses)
	case c.processes > 1 && !isServed():
		return term.Usagef("--processes wants a Prism server (--endpoint) that starts them (--environment_type=PROCESS)")
	case *jobopts.Async && *jobopts.Endpoint == "" && engine() == "prism":
		return term.Usagef("--async wants an engine outside this process")
	case c.silence < minSilence:
		return term.Usagef("--silence %v: want a time ≥ %v", c.silence, minSilence)
	case c.tries < 1 || c.tries > maxTries:
		return term.Usagef("--tries %d: want a number from 1 to %d", c.tries, maxTries)
	}
	return nil
}

// absolute makes all local paths absolute.
func (c *command) absolute(inputs []string) (err error) {
	for _, list := range [][]string{c.mesh, inputs} {
		for i := range list {
			if list[i], err = absolute(list[i]); err != nil {
				return err
			}
		}
	}
	c.out, err = absolute(c.out)
	return err
}

// shardName matches the name of a shard without its prefix.
var shardName = regexp.MustCompile(`^-\d{5}-of-\d{5}\.[^/]+$`)

// isOutput reports whether a file has the name of a shard of this prefix, or is a link to a file
// that has.
func (c *command) isOutput(path string) bool {
	names := []string{path}
	if !remote(path) {
		names = []string{realPath(path)}
		if target, err := filepath.EvalSymlinks(path); err == nil {
			names = append(names, realPath(target))
		}
	}
	out := c.out
	if !remote(out) {
		out = realPath(out)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		rest, ok := strings.CutPrefix(name, out)
		return ok && shardName.MatchString(rest)
	})
}

// realPath returns the absolute path of a local file, without symbolic links in its folder. The
// file and its folder need not exist.
func realPath(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return full
	}
	return filepath.Join(dir, filepath.Base(full))
}

// prepare builds the index. That chooses the method, which all workers then use.
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
		return nil, nil, term.Usagef("the winding numbers of an open mesh would differ from those of a single run: --method raycross, cells or direct always gives the same ones")
	}
	for _, w := range warnings(q.Solids) {
		c.warn("%s", w)
	}
	if c.flags.Strict && q.Solids.Report().Defects() {
		return nil, nil, term.Strictf("%s has defects: nothing was answered", q.Solids.Name)
	}
	t.Flags = c.fixedFlags(q)
	switch engine() {
	case "flink", "spark", "dataflow":
		t.Distributions = true
	}
	t.Parts = c.out + ".parts-" + t.Key[:12]
	var inputs []string // absolute: the manifest may be read in another folder
	for _, path := range p.inputs {
		path, err := absolute(path)
		if err != nil {
			return nil, nil, err
		}
		inputs = append(inputs, path)
	}
	method, _ := q.Solids.Method()
	return &finalStep{
		Task: t, Prefix: c.out, Inputs: inputs, Parts: len(p.parts), Method: method, Rule: q.Solids.Rule().String(),
	}, q, nil
}

// fixedFlags returns the flags with the chosen method if there is one solid.
func (c *command) fixedFlags(q *answer.Query) answer.Flags {
	f := c.flags
	if !q.Solids.Several {
		f.Method, _ = q.Solids.Method()
	}
	return f
}

// warnings returns the warnings of the meshes.
func warnings(s *answer.Solids) (list []string) {
	if s.Several {
		return s.Warnings()
	}
	for _, w := range s.Warnings() {
		list = append(list, s.Name+": "+w)
	}
	return list
}

// submit answers all shards on the engine and ends the run.
func (c *command) submit(ctx context.Context, e *finalStep, p *plan) error {
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		// The worker is this program. It needs no other files.
		self, err := os.Executable()
		if err != nil {
			return err
		}
		*jobopts.WorkerBinary = self
	}
	stop := c.progress(ctx, e, p)
	defer stop()
	failed := func(err error) {
		stop()
		c.warn("the engine has failed (%s): once more, without the shards that are done", firstLine(err))
	}
	if isServed() {
		return c.serve(ctx, e, p.parts, failed)
	}
	return c.retry(ctx, failed, func() error {
		if *jobopts.Endpoint != "" && engine() != "dataflow" {
			connection, err := reach(ctx) // Beam would wait for minutes
			if err != nil {
				return err
			}
			connection.Close()
		}
		_, err := beam.Run(ctx, engine(), newPipeline(e, p.parts))
		return err
	})
}

// retry calls do until it succeeds, and at most c.tries times. Only failures of the engine are
// retried. Finished shards are not answered again.
func (c *command) retry(ctx context.Context, failed func(error), do func() error) error {
	for try := 1; ; try++ {
		err := do()
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
			return fmt.Errorf("the engine has failed %d times: %w", try, err)
		}
		failed(err)
	}
}

// reportUnfinished tells how many shards a failed run leaves. It removes a folder without any.
func (c *command) reportUnfinished(e *finalStep) {
	if remote(e.Task.Parts) || os.Remove(e.Task.Parts) == nil {
		return
	}
	if done := e.Task.filesWith(resultSuffix); len(done) > 0 {
		c.note("%d of %d shards are in %s: the same command continues with them", len(done), e.Parts, e.Task.Parts)
	}
}

// firstLine returns the first line of an error that does not end with a colon.
func firstLine(err error) string {
	text := strings.TrimSpace(err.Error())
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return line
		}
	}
	return text
}

// engines are the runners that the program links.
var engines = []string{"prism", "flink", "spark", "dataflow", "universal"}

// engine returns the name of the runner.
func engine() string {
	if *runners.Runner == "" {
		return "prism"
	}
	return *runners.Runner
}

// finish prints the summary and applies --strict.
func (c *command) finish(m *merge.Manifest, what string, took time.Duration) error {
	n := 0
	for _, in := range m.Inputs {
		n += len(in.Shards)
		for _, w := range in.Warnings {
			c.warn("%s: %s", in.Path, w)
		}
	}
	for _, w := range []struct {
		n    int64
		text string
	}{
		{m.NonFinite, "rows with a coordinate that is missing or not finite: answered uncertain"},
		{m.RowLike, "comment lines like rows of points: not answered"},
		{m.Ragged, "rows wider or narrower than the header or the first row: their answers are in another column"},
	} {
		if w.n > 0 {
			c.warn("%d %s", w.n, w.text)
		}
	}
	verified := ""
	if m.Verified > 0 {
		verified = fmt.Sprintf("; %d points verified", m.Verified)
	}
	if m.Undecided > 0 {
		verified += fmt.Sprintf(" but for %d sides that the direct sum does not decide", m.Undecided)
	}
	c.note("%s; %d points of %d files in %d shards: %d inside, %d outside, %d on, %d uncertain%s; %.3g M points/s; %s",
		what, m.Rows, len(m.Inputs), n, m.Inside, m.Outside, m.On, m.Uncertain, verified, float64(m.Rows)/1e6/took.Seconds(), merge.ManifestName(c.out))
	switch {
	case !c.flags.Strict:
	case m.Uncertain > 0:
		return term.Strictf("%d points are uncertain", m.Uncertain)
	case m.RowLike > 0:
		return term.Strictf("%d comment lines are like rows of points", m.RowLike)
	case m.Ragged > 0:
		return term.Strictf("%d rows are of another width", m.Ragged)
	}
	return nil
}

// warn and note print a line unless --quiet was given.
func (c *command) warn(format string, args ...any) { c.note("warning: "+format, args...) }
func (c *command) note(format string, args ...any) {
	if !c.quiet {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}
