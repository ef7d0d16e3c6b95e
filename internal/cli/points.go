package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/proof"
)

type flags struct {
	lines.Flags
	pointFlags
}

// pointFlags are the flags that only this command has.
type pointFlags struct {
	shard, bytes       string
	expect             string // sides that all points should have
	proof, proofPoints string
	resume             bool
	answersOnly        bool
	trust              bool // skip nodes of COPC files whose boxes are on a dropped side
}

var rules = []term.Rule{
	answer.FormatRule(points.OutputFormats()),
	{Flags: "keep", Proposed: answer.KeepNames},
	{Flags: "expect", Proposed: answer.SideNames},
	{Flags: "body", Proposed: answer.BodyNames},
	{Flags: "resume", Requires: "out", Text: resumeText, Hint: resumeHint},
	{Flags: "verify", Excludes: "resume", Because: "the results of the interrupted run cannot be verified"},
	{Flags: "proof-points", Requires: "proof", Text: "--proof-points: requires --proof FILE"},
	{Flags: "proof", Excludes: "resume shard bytes", Because: "the rows of a proof are counted in the whole file"},
	{Flags: "trust-copc", Requires: "keep", Text: "--trust-copc requires --keep, because without it all points are written",
		Hint: "inpoly part.stl cloud.copc.laz --keep inside --trust-copc --out in.laz"},
	{Flags: "trust-copc", Excludes: "resume expect verify proof", Because: "the skipped points have no results"},
	{Flags: "shard", Excludes: "bytes"},
	{Flags: "answers-only", Excludes: "keep", Because: "nothing in the output would tell which points are kept"},
}

const (
	resumeText = "--resume requires --out, and the meshes and the points must be files"
	resumeHint = "inpoly part.stl points.csv --out sides.csv --resume"
)

func pointsCommand(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "inpoly mesh points", Args: checkArgs,
		RunE: func(c *cobra.Command, args []string) error {
			last := len(args) - 1
			r := &run{Run: lines.Run{Terminal: t, Flags: &f.Flags, Meshes: args[:last], Input: args[last]}, pointFlags: f.pointFlags}
			return r.do(c.Context())
		},
	}
	set := c.Flags()
	f.DefineAll(set)
	set.StringVar(&f.Stats, "stats", "", "")
	t.OutputFlags(set, &f.Stats)
	set.StringVarP(&f.OutPath, "out", "o", "", "")
	set.StringVar(&f.shard, "shard", "", "")
	set.StringVar(&f.bytes, "bytes", "", "")
	set.StringVar(&f.expect, "expect", "", "")
	set.BoolVar(&f.resume, "resume", false, "")
	set.BoolVar(&f.answersOnly, "answers-only", false, "")
	set.BoolVar(&f.trust, "trust-copc", false, "")
	set.StringVar(&f.proof, "proof", "", "")
	set.StringVar(&f.proofPoints, "proof-points", "", "")
	term.SetRules(c, answer.Rules, rules)
	return c
}

func checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return term.WithHint(term.Usagef("expected a mesh and a point file, found no files"), "inpoly part.stl points.csv > inside.csv; see inpoly help")
	case len(args) == 1:
		return term.WithHint(term.Usagef("%s: expected a mesh and a point file, found one file", args[0]),
			"inpoly mesh points locates the points (- reads them from standard input); inpoly check mesh diagnoses a mesh")
	}
	return term.CheckStdin(args, "points")
}

type run struct {
	lines.Run
	pointFlags
	query    *answer.Query
	in       *points.Reader
	sample   *answer.Sample // nil if --verify is 0
	verified answer.Verified
	expected *answer.SideSet // nil without --expect
	proofs   *answer.Proofs  // nil without --proof
	proved   proof.Summary
	skipped  answer.Skipped
	doubt    *answer.Doubt // nil if no side can be doubtful
}

func (r *run) do(ctx context.Context) (err error) {
	if r.Opt, err = r.Options(); err != nil {
		return err
	}
	if r.expected, err = answer.ParseSides("--expect", r.expect); err != nil {
		return err
	}
	if err := r.checkOutput(); err != nil {
		return err
	}
	if err := r.CheckVerify(len(r.Meshes)); err != nil {
		return err
	}
	if err := r.checkProof(); err != nil {
		return err
	}
	pointOptions, err := r.pointOptions()
	if err != nil {
		return err
	}
	if r.in, err = r.OpenPoints(r.Terminal, r.Meshes[0], r.Input, pointOptions); err != nil {
		return err
	}
	defer func() { r.in.Close() }() // repeat replaces r.in
	if r.proofs != nil {
		if err := r.proofs.CheckRows(r.in.Rows()); err != nil {
			return err
		}
	}
	// Sink returns an error if the format cannot store the columns. The call below reports such an
	// error before the meshes are read.
	if err := r.SetFormat(r.in, r.answersOnly); err != nil {
		return err
	}
	bodies := r.Body != ""
	newSink := r.in.Sink
	if r.answersOnly {
		newSink = r.in.AnswerSink
	}
	sink, err := newSink(r.Format, r.AnswerColumns(len(r.Meshes) > 1 || bodies, nil))
	if err != nil {
		return err
	}
	if _, ok := sink.(table.Resumer); r.resume && !ok {
		return term.WithHint(term.Usagef("--resume does not work with output in the format %s", cmp.Or(r.Format, r.in.Format())),
			"omit --resume, or select another format with --format")
	}
	check := func(s *answer.Solids) error { return r.CheckParts(s, r.proofs != nil) }
	if err := r.OpenSolids(ctx, bodies, answer.ExpectedPoints(r.in, pointOptions.Shards), check); err != nil {
		return err
	}
	r.query, r.sample = answer.NewQuery(r.Solids, &r.Flags.Flags), answer.NewSample(&r.Flags.Flags)
	r.query.Proofs = r.proofs
	var doubts []string
	if r.trust {
		if doubts, err = r.skipNodes(ctx); err != nil {
			return err
		}
	}
	sum, err := r.stream(ctx)
	if errors.Is(err, table.ErrNodeBox) {
		doubts = []string{err.Error() + ": the run was repeated with all points"}
		sum, err = r.repeat(ctx, pointOptions)
	}
	if err != nil {
		return err
	}
	seen := bvh.Box{Min: sum.Min, Max: sum.Max}
	if r.skipped.Nodes > 0 {
		seen = r.skipped.Box.Add(sum.Min).Add(sum.Max)
	}
	r.WarnInput(answer.Input{Reader: r.in, Summary: sum, Noun: "point", Points: true, Box: seen,
		Part: r.shard != "" || r.bytes != "" || r.skipped.Nodes > 0, Bad: doubts})
	return r.finish(sum)
}

// checkOutput returns an error for invalid values of --out and --resume.
func (r *run) checkOutput() error {
	if r.SetOutputs(r.OutPath); r.proof != "" {
		r.SetOutputs(r.OutPath, r.proof)
	}
	if r.resume && !term.IsStdout(r.OutPath) {
		if err := r.SetResumable(r.OutPath); err != nil {
			return err
		}
	}
	if r.shard != "" || r.bytes != "" {
		r.SetPartial()
	}
	if r.resume && (term.IsStdout(r.OutPath) || r.Input == "-" || r.Meshes[0] == "-") {
		return term.WithHint(term.Usagef(resumeText), resumeHint)
	}
	return answer.CheckOut(r.OutPath, "")
}

func (r *run) pointOptions() (points.Options, error) {
	opt, err := r.PointOptions()
	if err != nil {
		return opt, err
	}
	if opt.Shard, opt.Shards, err = parseShard(r.shard); err != nil {
		return opt, term.Usagef("--shard %w", err)
	}
	if opt.Bytes, err = parseBytes(r.bytes); err != nil {
		return opt, term.Usagef("--bytes %w", err)
	}
	return opt, nil
}

// parseShard parses I/N. For the empty string it returns 0, 0.
func parseShard(s string) (i, n int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := parsePair(s, "/")
	if !ok || a < 1 || a > b || b > math.MaxInt {
		return 0, 0, fmt.Errorf("%q: expected I/N with 1 ≤ I ≤ N, such as 2/8", s)
	}
	return int(a), int(b), nil
}

// parseBytes parses a byte range LO-HI. For the empty string it returns two zeros.
func parseBytes(s string) (r [2]int64, err error) {
	if s == "" {
		return r, nil
	}
	lo, hi, ok := parsePair(s, "-")
	if !ok || lo < 0 || hi <= lo {
		return r, fmt.Errorf("%q: expected LO-HI with 0 ≤ LO < HI, such as 0-1000000", s)
	}
	return [2]int64{lo, hi}, nil
}

func parsePair(s, separator string) (a, b int64, ok bool) {
	first, second, ok := strings.Cut(s, separator)
	a, errA := strconv.ParseInt(first, 10, 64)
	b, errB := strconv.ParseInt(second, 10, 64)
	return a, b, ok && errA == nil && errB == nil
}

// stream locates all points, writes the output, verifies the sample and writes the proof file. If one
// of these steps fails, no output file and no proof file appears.
func (r *run) stream(ctx context.Context) (points.Summary, error) {
	bar := r.NewProgress()
	defer bar.Done()
	job := points.Job{
		Columns: r.query.Columns, Format: r.Format, Answer: r.query.Sampled(r.sample), Drops: r.query.Drops(), Workers: r.Workers, AnswersOnly: r.answersOnly,
		Progress: func(done, total int64) { bar.Points(done, total, r.query.Rows()) },
	}
	out, proofFile, err := r.createOutputs()
	defer r.DropOutput()
	if err != nil {
		return points.Summary{}, err
	}
	var spool *disk.Temporary // the results on standard output, which a second run can replace
	if r.trust && term.IsStdout(r.OutPath) {
		if spool, err = disk.CreateTemporary(""); err != nil {
			return points.Summary{}, fmt.Errorf("create a temporary file for the output: %w", err)
		}
		defer spool.Close()
		out = spool
	}
	bar.Start(term.PointsStage)
	sum, err := job.Run(ctx, r.in, out)
	if err == nil && spool != nil {
		err = copySpool(r.Out, spool)
	}
	if err == nil {
		r.doubt, err = r.query.Doubt(ctx)
	}
	if err == nil && r.sample != nil {
		r.verified, err = r.sample.Verify(ctx, r.Solids.Solid(0), r.Tolerance, r.Workers)
	}
	if err == nil && r.proofs != nil {
		r.proved, err = r.proofs.WriteProof(ctx, proofFile, r.Solids.Target(0), r.Meshes[0])
	}
	if err != nil || term.IsStdout(r.OutPath) && r.proofs == nil {
		return sum, err
	}
	if err := r.in.Close(); err != nil { // the output can replace the points; Windows replaces no open file
		return sum, err
	}
	return sum, r.CommitOutput()
}

// createOutputs creates the output file and the proof file. out is standard output without --out, and
// proofFile is nil without --proof. The caller must call CommitOutput or DropOutput.
func (r *run) createOutputs() (out, proofFile io.Writer, err error) {
	var files term.Outputs
	add := func(f term.Output) term.Output {
		files = append(files, f)
		r.SetOutput(files)
		return f
	}
	out = r.Out
	if !term.IsStdout(r.OutPath) {
		file, err := r.createOutput()
		if err != nil {
			return nil, nil, err
		}
		out = add(file)
	}
	if r.proofs != nil {
		file, err := atomicfile.Create(r.proof)
		if err != nil {
			return nil, nil, err
		}
		proofFile = add(file)
	}
	return out, proofFile, nil
}

// createOutput creates the output file. With --resume it continues an unfinished output file.
func (r *run) createOutput() (term.Output, error) {
	if !r.resume {
		return atomicfile.Create(r.OutPath)
	}
	key, err := r.key()
	if err != nil {
		return nil, err
	}
	return atomicfile.CreateResumable(r.OutPath, key)
}

// key returns a hash of everything that determines the output: the paths, sizes and modification
// times of the inputs, the loaded solids, the flags and the version. The hash includes the solids,
// because a mesh file can refer to other files.
func (r *run) key() (string, error) {
	if r.Unsteady(r.Solids) {
		return "", term.WithHint(term.Usagef("--resume: the mesh is not closed, so its winding numbers depend slightly on the other points of the run, and a resumed run would differ from a single run"),
			"use a --method other than auto and fmm: its winding numbers do not depend on the run")
	}
	h := sha256.New()
	fmt.Fprintln(h, Version())
	for _, path := range append(slices.Clone(r.Meshes), r.Input) {
		full, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		size, modified := r.in.Size(), r.in.ModTime() // another file can have the path now
		if path != r.Input {
			fi, err := disk.Stat(path)
			if err != nil {
				return "", err
			}
			size, modified = fi.Size(), fi.ModTime()
		}
		fmt.Fprintf(h, "%q %d %d\n", full, size, modified.UnixNano())
	}
	fmt.Fprintln(h, r.Format, r.State, r.Winding, r.Certify, r.Distance, r.Nearest, r.Body, r.Keep, r.answersOnly, r.Doubt, r.Epsilon, r.Method, r.Rule,
		r.Tolerance, r.Weld, r.Orient, strings.EqualFold(r.Parts, "all"), r.Seed, r.Columns, r.Text, r.shard, r.bytes, r.Frame, r.Pose)
	r.Solids.Hash(h)
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (r *run) finish(sum points.Summary) error {
	if err := r.Summarize(r.summary(sum), r.Stats, r.statistics(sum)); err != nil {
		return err
	}
	return errors.Join(r.CheckRows(sum, "point"), r.checkExpected(sum))
}

// checkExpected returns an error if a point has a side that --expect does not list.
func (r *run) checkExpected(sum points.Summary) error {
	if r.expected == nil {
		return nil
	}
	others, n := r.expected.Without(sum.Sides)
	if n == 0 {
		return nil
	}
	expected := term.Either(strings.FieldsFunc(r.expect, func(c rune) bool { return c == ',' || c == ' ' }))
	return term.Refusedf("expect", "found %d of %s with a side other than %s: %s", n, plural.Count(sum.Rows, "point"), expected, answer.OtherSides(others))
}
