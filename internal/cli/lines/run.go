package lines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
	for name, values := range map[string][]string{
		"format": points.OutputFormats(), "keep": answer.SideNames, "body": answer.BodyNames, "rule": answer.RuleNames,
		"method": answer.MethodNames, "orient": answer.OrientNames, "stats": {"json"},
	} {
		if set.Lookup(name) == nil {
			continue
		}
		if err := c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag exists
		}
	}
}

// Run is one run of a command.
type Run struct {
	*term.Terminal
	*Flags
	Meshes []string
	Input  string // path of the lines, or of the collars of drill holes

	Frame    *affine.Map // maps the lines to the frame of the meshes, or nil
	Solids   *answer.Solids
	Warnings []string // warnings about the rows
	Extent   answer.Extent

	apart string // why CheckTouched fails, or ""
}

// WarnUntouched adds a warning if no line touches the mesh. The noun names a line.
func (r *Run) WarnUntouched(touched bool, noun string) {
	if touched {
		return
	}
	text, apart := r.Flags.Untouched(r.Solids.Box(), r.Extent.Box(), noun)
	if r.Warnings = append(r.Warnings, text); apart {
		r.apart = answer.NoneTouches(noun)
	}
}

// CheckTouched returns an error if --strict is set, and WarnUntouched has found that no line touches the mesh and that
// the boxes of the lines and of the mesh do not overlap.
func (r *Run) CheckTouched() error {
	if r.Strict && r.apart != "" {
		return term.Strictf("%s", r.apart)
	}
	return nil
}

// CheckFlags checks the flags of the output. It is called before any input is opened. others are the
// suffixes of files other than point files that the command writes, separated by blanks.
func (r *Run) CheckFlags(others string) error {
	r.SetOutputs(r.OutPath)
	return answer.CheckOut(r.OutPath, others)
}

// ReadFrame sets r.Frame from the flags --units, --scale and --matrix.
func (r *Run) ReadFrame() (err error) {
	if r.Matrix != "" {
		if err := r.CheckInputs(r.Matrix); err != nil {
			return err
		}
	}
	r.Frame, err = r.Transform()
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

// SetFormat sets the format of the output, and refuses a binary format on a terminal. Derived rows
// cannot have the layout of the input: text becomes CSV.
func (r *Run) SetFormat(in *points.Reader, derived bool) (err error) {
	if r.Format, err = answer.OutputFormat(r.OutPath, r.Format, r.Input, in); err != nil {
		return err
	}
	if derived && r.Format == "" {
		if r.Format = in.Format(); !slices.Contains(points.OutputFormats(), r.Format) {
			r.Format = "csv"
		}
		if r.Format == "csv" && !term.AllowsSuffix(".csv .txt .text .dat .out .log", r.OutPath) {
			return term.WithHint(term.Usagef("--out %s: the rows are written as CSV", r.OutPath), "use the suffix .csv, or --format csv")
		}
	}
	if format := answer.BinaryFormat(r.Format, in); format != "" {
		return r.RefuseBinary(r.OutPath, format)
	}
	return nil
}

// OpenTrees opens the meshes for queries that need only their trees, and prints their warnings.
func (r *Run) OpenTrees(ctx context.Context, bodies bool) error {
	opt, err := r.Options()
	if err != nil {
		return err
	}
	locate.Need(&opt, locate.Tree)
	return r.openSolids(ctx, bodies, opt)
}

// OpenSolids opens the meshes for the sides of about the given number of points, and prints their warnings. 0 means
// an unknown number.
func (r *Run) OpenSolids(ctx context.Context, bodies bool, points int64) error {
	opt, err := r.Options()
	if err != nil {
		return err
	}
	opt.ExpectedPoints = points
	return r.openSolids(ctx, bodies, opt)
}

func (r *Run) openSolids(ctx context.Context, bodies bool, opt inpoly.Options) (err error) {
	if r.Solids, err = answer.OpenSolids(ctx, r.Terminal, r.Meshes, bodies, opt); err != nil {
		return err
	}
	if err := r.Solids.CheckNegative(); err != nil {
		return fmt.Errorf("%s: %w", r.Solids.Name, err)
	}
	answer.WarnSolids(r.Terminal, r.Solids, r.Meshes)
	if r.Strict && r.Solids.Report().Defects() {
		return r.Solids.RefuseDefects("no output was written")
	}
	return nil
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
	return func(ctx context.Context, b *table.Block) (*Answers, error) {
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
