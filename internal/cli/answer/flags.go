package answer

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/affine"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

// Flags holds the values of the flags that determine the results.
type Flags struct {
	State             bool
	Winding, Distance bool
	Certify, Nearest  bool
	Method, Rule      string
	Tolerance         float64
	Epsilon           float64
	Weld              float64
	Orient            string
	Seed              uint64
	Columns           string // names or numbers of the coordinate columns
	Text              string // columns to copy as text
	Scale, Units      string // change of units of the points
	Matrix            string // path of a matrix
	Pose              string // pose of the solids
	Frame             string // the map that Scale, Units and Matrix request; set by Transform
	Format            string // format of the output; "" selects the format of the points
	Body, Keep        string
	Doubt             string // largest margin of a doubtful point; "" counts doubtful points only where that is free
	Workers           int
	MaxMemory         string
	Parts             string // which parts of a 3MF file of a slicer are solid
	Strict            bool
	Verify            int // number of points in the sample
	// OtherColumns has the numbers of the columns that the value of --columns has after x, y and z. It only affects
	// a warning.
	OtherColumns []int
	hasUnits     bool // the command has the flag --units

	// Options sets the fields below from Body, Keep, Doubt and Pose.
	choice    assembly.Choice
	allBodies bool // Body is "all"
	filter    *SideSet
	doubt     float64    // value of Doubt
	doubtful  bool       // Keep has doubtful points
	pose      *pose.Pose // value of Pose, or nil

	// Transform sets the fields below, unless Frame is already set. They are nil without the flags.
	factor *big.Rat    // the factor of Scale or Units
	matrix *affine.Map // the map of Matrix
}

// Define adds flags to the flag set. If there are names, Define adds only the flags with these
// names. It sets the default values of all flags.
func (f *Flags) Define(set *pflag.FlagSet, names ...string) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.BoolVar(&f.State, "state", false, "")
	all.BoolVar(&f.Winding, "winding", false, "")
	all.BoolVar(&f.Certify, "certify", false, "")
	all.BoolVar(&f.Distance, "distance", false, "")
	all.BoolVar(&f.Nearest, "nearest", false, "")
	all.StringVar(&f.Method, "method", "auto", "")
	all.StringVar(&f.Rule, "rule", "nonzero", "")
	all.Float64Var(&f.Epsilon, "epsilon", 0, "")
	all.Float64Var(&f.Tolerance, "tolerance", 0, "")
	all.Float64Var(&f.Weld, "weld", 0, "")
	all.StringVar(&f.Orient, "orient", "auto", "")
	all.Lookup("orient").NoOptDefVal = "always" // the value of --orient without =
	all.Uint64Var(&f.Seed, "seed", 0, "")
	all.StringVar(&f.Columns, "columns", "", "")
	all.StringVar(&f.Text, "text", "", "")
	all.StringVar(&f.Scale, "scale", "", "")
	all.StringVar(&f.Units, "units", "", "")
	all.StringVar(&f.Matrix, "matrix", "", "")
	all.StringVar(&f.Pose, "pose", "", "")
	all.StringVar(&f.Format, "format", "", "")
	term.OnceVar(all, &f.Body, "body")
	all.StringVar(&f.Keep, "keep", "", "")
	all.StringVar(&f.Doubt, "doubt", "", "")
	all.IntVar(&f.Workers, "workers", 0, "")
	all.StringVar(&f.MaxMemory, "max-memory", "", "")
	all.StringVar(&f.Parts, "parts", "typed", "")
	all.BoolVar(&f.Strict, "strict", false, "")
	all.IntVar(&f.Verify, "verify", 0, "")
	if len(names) == 0 {
		set.AddFlagSet(all)
	}
	for _, name := range names {
		set.AddFlag(all.Lookup(name))
	}
	f.hasUnits = set.Lookup("units") != nil
}

// DefineAll adds all flags to the flag set. It also adds --xyz as an alias of --columns.
func (f *Flags) DefineAll(set *pflag.FlagSet) {
	f.Define(set)
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "xyz" {
			name = "columns"
		}
		return pflag.NormalizedName(name)
	})
}

// DefineSolid adds the flags of commands that build a solid but read no points. It also adds the
// flags with the given names.
func (f *Flags) DefineSolid(set *pflag.FlagSet, names ...string) {
	f.Define(set, append(names, "method", "rule", "epsilon", "tolerance", "weld", "orient", "seed", "workers", "max-memory", "parts", "strict")...)
}

// MaxMemory returns the value of --max-memory in bytes, or 0 if the flag is absent or not set. Errors are of
// type term.UsageError.
func MaxMemory(set *pflag.FlagSet) (int64, error) {
	f := set.Lookup("max-memory")
	if f == nil {
		return 0, nil
	}
	limit, err := parseSize(f.Value.String())
	if err != nil {
		return 0, term.Usagef("--max-memory %w", err)
	}
	return limit, nil
}

// Rules are the rules of the flags above, and of --stats.
var Rules = []term.Rule{
	{Flags: "method", Proposed: MethodNames},
	{Flags: "rule", Proposed: RuleNames},
	{Flags: "orient", Proposed: OrientNames},
	{Flags: "parts", Proposed: PartNames},
	{Flags: "tolerance", Finite: "distance"},
	{Flags: "epsilon", Finite: "number"},
	{Flags: "weld", Finite: "distance"},
	{Flags: "workers", Range: [2]int64{0, par.MaxWorkers}},
	{Flags: "verify", Range: [2]int64{0, maxVerify}},
	{Flags: "scale", Excludes: "units", Because: "both set the factor"},
	{Flags: "verify", Excludes: "pose", Because: "the sum over all triangles is computed in the frame of the mesh"},
	{Flags: "stats", OneOf: []string{"json"}},
}

// FormatRule is the rule of a flag --format with the given values.
func FormatRule(formats []string) term.Rule {
	return term.Rule{Flags: "format", OneOf: formats, Text: "expected one of " + strings.Join(formats, ", ")}
}

// Options returns the options of the library. The flags must obey Rules. Errors are of type term.UsageError.
func (f *Flags) Options() (opt inpoly.Options, err error) {
	if opt.Method, err = inpoly.ParseMethod(f.Method); err != nil {
		return opt, term.DidYouMean(term.Usagef("--method: %w", err), "--method", f.Method, MethodNames)
	}
	if opt.Rule, err = inpoly.ParseRule(f.Rule); err != nil {
		return opt, term.DidYouMean(term.Usagef("--rule: %w", err), "--rule", f.Rule, RuleNames)
	}
	if opt.Orient, err = inpoly.ParseOrient(f.Orient); err != nil {
		return opt, term.DidYouMean(term.Usagef("--orient: %w", err), "--orient", f.Orient, OrientNames)
	}
	if opt.MaxMemory, err = parseSize(f.MaxMemory); err != nil {
		return opt, term.Usagef("--max-memory %w", err)
	}
	if opt.AllParts, err = loaders.ParseParts(cmp.Or(f.Parts, PartNames[0])); err != nil {
		return opt, term.DidYouMean(term.Usagef("--parts: %w", err), "--parts", f.Parts, PartNames)
	}
	if f.allBodies = strings.EqualFold(f.Body, "all"); f.Body != "" && !f.allBodies {
		if f.choice, err = assembly.ParseChoice(f.Body); err != nil {
			return opt, term.DidYouMean(term.Usagef("--body %q: expected %s", f.Body, term.Either(BodyNames)), "--body", f.Body, BodyNames)
		}
	}
	if f.pose, err = parsePose(f.Pose); err != nil {
		return opt, term.Usage(err)
	}
	if err := f.parseKeep(); err != nil {
		return opt, err
	}
	if f.doubt, err = parseDoubt(f.Doubt); err != nil {
		return opt, err
	}
	opt.Epsilon, opt.Weld = f.Epsilon, f.Weld
	opt.Tolerance, opt.Workers, opt.Seed = f.Tolerance, f.Workers, f.Seed
	return opt, nil
}

// These are the values of the flags --method, --rule, --orient, --body and --parts, and the names of sides in
// lists of sides.
var (
	MethodNames = methodNames()
	RuleNames   = side.RuleNames()
	OrientNames = mesh.OrientNames()
	BodyNames   = []string{"first", "innermost", "all", "count"}
	PartNames   = []string{"typed", "all"}
	SideNames   = []string{"inside", "outside", "on", "off", "uncertain"}
	KeepNames   = append(slices.Clone(SideNames), DoubtfulName) // values of --keep where points are located
)

func methodNames() (names []string) {
	for _, m := range inpoly.Methods() {
		names = append(names, m.String())
	}
	return names
}

// CheckVerify returns an error if --verify is combined with several meshes or with --body.
func (f *Flags) CheckVerify(meshes int) error {
	if f.Verify > 0 && (meshes > 1 || f.Body != "") {
		return term.Usagef("--verify: requires one mesh and no --body, because the sum over all triangles does not show which solid contains a point")
	}
	return nil
}

// CheckParts returns an error that wraps inpoly.ErrNegative if the solids have negative parts, and the flags or a proof
// need more than sides.
func (f *Flags) CheckParts(s *Solids, proof bool) error {
	for _, x := range []struct {
		wanted bool
		flag   string
	}{{f.Winding, "--winding"}, {f.Certify, "--certify"}, {f.Distance, "--distance"}, {f.Nearest, "--nearest"}, {f.Verify > 0, "--verify"}, {proof, "--proof"}} {
		if x.wanted {
			return s.checkSolid(x.flag)
		}
	}
	return nil
}

// Unsteady reports whether the requested winding numbers depend on the other points of the run. The
// other points can change such a winding number only within its bound (see inpoly.FMM).
func (f *Flags) Unsteady(s *Solids) bool {
	vary := func(r inpoly.Report) bool { return r.WindingsVary }
	return (f.Winding || f.Certify) && slices.ContainsFunc(s.Report().Solids, vary)
}

// PointOptions returns the options of the point reader. Errors of flags are of type term.UsageError.
func (f *Flags) PointOptions() (opt points.Options, err error) {
	if opt.Columns, err = parseColumns(f.Columns); err != nil {
		return opt, term.Usagef("--columns %w", err)
	}
	if f.Text != "" {
		for name := range strings.SplitSeq(f.Text, ",") {
			opt.Text = append(opt.Text, strings.TrimSpace(name))
		}
	}
	m, err := f.Transform()
	if err != nil {
		return opt, err
	}
	if m != nil {
		opt.Transform = m.Apply
	}
	return opt, nil
}

// parseSize parses a number of bytes such as 500, 512M, 4GB or 4GiB. All units are powers of 1024.
// The empty string means 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, "kKmMgGtTiIbB")
	unit := strings.ToLower(s[len(digits):])
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i")
	shift, ok := map[string]int{"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q: expected a number of bytes such as 500000, 512M or 4G", s)
	}
	return n << shift, nil
}

// parseColumns parses three names separated by commas. For the empty string it returns empty names.
func parseColumns(s string) (columns [3]string, err error) {
	if s == "" {
		return columns, nil
	}
	parts := strings.Split(s, ",")
	bad := len(parts) != 3
	for k := 0; k < 3 && !bad; k++ {
		columns[k] = strings.TrimSpace(parts[k])
		bad = columns[k] == ""
	}
	if bad {
		return columns, fmt.Errorf("%q: expected three names or numbers, such as 2,3,4", s)
	}
	return columns, nil
}

// ParseNumbers parses a list of numbers separated by commas. Its length must be one of the counts.
func ParseNumbers(s string, counts ...int) ([]float64, error) {
	parts := strings.Split(s, ",")
	if !slices.Contains(counts, len(parts)) {
		want := term.Either(strings.Fields(strings.Trim(fmt.Sprint(counts), "[]")))
		err := fmt.Errorf("%q: expected %s %s separated by commas", s, want, plural.Noun(int64(slices.Max(counts)), "number"))
		for _, count := range counts {
			if hint := term.CommaHint("", s, count); hint != "" {
				return nil, term.WithHint(err, hint)
			}
		}
		return nil, fmt.Errorf("%w; the decimal mark is a point", err)
	}
	out := make([]float64, len(parts))
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %q is not a number", s, p)
		}
		out[i] = x
	}
	return out, nil
}
