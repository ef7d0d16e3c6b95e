package lines

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/affine"
	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// Flags are the flags that the commands share.
type Flags struct {
	answer.Flags
	OutPath, Stats string
}

// Define adds the flags to c. names are the flags of answer.Flags that the command has.
func (f *Flags) Define(t *term.Terminal, c *cobra.Command, names ...string) {
	f.DefineOutput(t, c, append(names, "columns", "text")...)
}

// DefineOutput adds the flags of a command that reads no table.
func (f *Flags) DefineOutput(t *term.Terminal, c *cobra.Command, names ...string) {
	set := c.Flags()
	set.StringVarP(&f.OutPath, "out", "o", "", "")
	f.Flags.Define(set, append(names, "format", "weld", "orient", "workers", "max-memory", "parts", "strict")...)
	set.StringVar(&f.Stats, "stats", "", "")
	t.OutputFlags(set, &f.Stats)
}

// Run is one run of a command.
type Run struct {
	*term.Terminal
	*Flags
	Meshes []string
	Input  string // path of the rows, or of the collars of drill holes

	Opt      inpoly.Options // see CheckFlags
	Frame    *affine.Map    // maps the lines to the frame of the meshes, or nil
	Solids   *answer.Solids
	Warnings []string // warnings about the input, see WarnInput
	Extent   answer.Extent

	refused error // the error of --strict about the rows
}

// WarnInput prints the warnings about the input and keeps them for AllWarnings.
func (r *Run) WarnInput(in answer.Input) {
	r.Warnings, r.refused = r.Flags.WarnInput(r.Terminal, r.Solids.Box(), in)
}

// Finish prints the summary, or the object of --json. It returns an error if --strict does not accept the results. The
// noun names a result.
func (r *Run) Finish(s term.Summary, object term.Object, uncertain int64, noun string) error {
	return cmp.Or(r.Summarize(s, r.Stats, object), term.CheckUncertain(r.Strict, uncertain, noun), r.refused)
}

// CheckFlags checks the flags and sets r.Opt and r.Frame. It is called before any input is opened. others are the
// suffixes of files other than point files that the command writes, separated by blanks.
func (r *Run) CheckFlags(others string) error {
	r.SetOutputs(r.OutPath)
	err := answer.CheckOut(r.OutPath, others)
	if err == nil {
		r.Opt, err = r.Options()
	}
	if err == nil {
		err = r.CheckInputs(r.Matrix)
	}
	if err == nil {
		r.Frame, err = r.Transform()
	}
	return err
}

// OpenLines opens the lines.
func (r *Run) OpenLines(k Kind) (*Reader, error) {
	columns, err := ParseColumns(r.Columns)
	if err != nil {
		return nil, err
	}
	in, err := r.OpenPoints(r.Terminal, r.Meshes[0], r.Input, k.Options(columns, r.Text))
	if err != nil {
		return nil, k.ColumnsHint(err)
	}
	lines, err := k.NewReader(in, columns)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return lines, nil
}

// SetFormat sets the format of the output. See answer.Flags.SetFormat.
func (r *Run) SetFormat(in *points.Reader, derived bool) error {
	return r.Flags.SetFormat(r.Terminal, r.OutPath, r.Input, in, derived)
}

// OpenTrees opens the meshes for queries that need only their trees, and prints their warnings.
func (r *Run) OpenTrees(ctx context.Context, bodies bool) error {
	locate.Need(&r.Opt, locate.Tree)
	return r.OpenSolids(ctx, bodies, 0, (*answer.Solids).RefuseNegative)
}

// OpenSolids opens the meshes for the sides of about the given number of points, and prints their warnings. 0 means
// an unknown number. check says whether the command accepts the solids.
func (r *Run) OpenSolids(ctx context.Context, bodies bool, points int64, check func(*answer.Solids) error) (err error) {
	r.Opt.ExpectedPoints = points
	r.Solids, err = r.Flags.OpenSolids(ctx, r.Terminal, r.Meshes, bodies, r.Opt, check)
	return err
}

// Stream runs the job on the rows of in and writes the output. It closes the inputs before the output
// gets its name, because the output can replace them. done counts the finished lines. If Stream fails,
// no output file appears.
func (r *Run) Stream(ctx context.Context, in *points.Reader, job points.Job, stage string, done func() int64, inputs ...io.Closer) (points.Summary, error) {
	bar := r.NewProgress()
	defer bar.Done()
	job.Format, job.Workers = r.Format, r.Workers
	job.Progress = func(read, total int64) { bar.Show(stage, read, total, "B", done()) }
	bar.Start(stage)
	if term.IsStdout(r.OutPath) {
		return job.Run(ctx, in, r.Out)
	}
	file, err := atomicfile.Create(r.OutPath)
	if err != nil {
		return points.Summary{}, err
	}
	r.SetOutput(file)
	defer r.DropOutput()
	sum, err := job.Run(ctx, in, file)
	for _, c := range inputs {
		if err == nil {
			err = c.Close()
		}
	}
	if err != nil {
		return sum, err
	}
	return sum, r.CommitOutput()
}

// Limit returns a Compute that runs at most two blocks at a time: each block uses several workers.
func Limit(compute Compute) Compute {
	const atOnce = 2 // tuning: the second block uses workers that the first block no longer needs
	slots := make(chan struct{}, atOnce)
	return func(ctx context.Context, b *table.Block) (*Rows, error) {
		slots <- struct{}{}
		defer func() { <-slots }()
		return compute(ctx, b)
	}
}

// Seconds returns the times of a run as fields of --json.
func (r *Run) Seconds(took time.Duration) term.Object {
	t := r.Solids.Report().Timings
	return term.Object{"load_s", t.Load.Seconds(), "build_s", t.Build.Seconds(), "stream_s", took.Seconds()}
}

// AllWarnings returns all warnings of a run with the given inputs, in full. The list is not nil.
func (r *Run) AllWarnings(in ...*points.Reader) []string {
	list := r.Solids.Warnings()
	for _, p := range in {
		list = append(list, answer.InputWarnings(p)...)
	}
	return append(list, r.Warnings...)
}
