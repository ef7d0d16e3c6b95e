package ask

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points"
)

// Flags are the flags that decide the answers, as they stand on the command line.
type Flags struct {
	State             bool
	Winding, Distance bool
	Certify, Nearest  bool
	Method, Rule      string
	Tolerance         float64
	Epsilon           float64
	Orient            bool
	Seed              uint64
	Columns           string // of the coordinates
	Text              string // columns taken as text
	Format            string // of the output, "" for that of the points
	Body, Keep        string
	Workers           int
	MaxMemory         string
	Strict            bool
	Verify            int // size of the sample

	// What Options makes of them.
	choice bodyChoice
	kept   *keep
}

// Define adds the flags of one question about points, and those of DefineShared.
func (f *Flags) Define(set *pflag.FlagSet) {
	set.BoolVar(&f.State, "state", false, "")
	set.BoolVar(&f.Winding, "winding", false, "")
	set.BoolVar(&f.Certify, "certify", false, "")
	set.BoolVar(&f.Distance, "distance", false, "")
	set.BoolVar(&f.Nearest, "nearest", false, "")
	set.Float64Var(&f.Epsilon, "epsilon", 0, "")
	set.StringVar(&f.Method, "method", "auto", "")
	set.Float64Var(&f.Tolerance, "tolerance", 0, "")
	set.BoolVar(&f.Orient, "orient", false, "")
	set.Uint64Var(&f.Seed, "seed", 0, "")
	set.StringVar(&f.Columns, "columns", "", "")
	set.StringVar(&f.Text, "text", "", "")
	set.StringVar(&f.Format, "format", "", "")
	set.StringVar(&f.Body, "body", "", "")
	set.StringVar(&f.Keep, "keep", "", "")
	set.IntVar(&f.Verify, "verify", 0, "")
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "xyz" {
			name = "columns"
		}
		return pflag.NormalizedName(name)
	})
	f.DefineShared(set)
}

// DefineShared adds the flags that questions about a mesh alone have, too.
func (f *Flags) DefineShared(set *pflag.FlagSet) {
	set.StringVar(&f.Rule, "rule", "nonzero", "")
	set.IntVar(&f.Workers, "workers", 0, "")
	set.StringVar(&f.MaxMemory, "max-memory", "", "")
	set.BoolVar(&f.Strict, "strict", false, "")
}

// maxWorkers is as many as the library takes.
const maxWorkers = 1024

// Options checks the flags and turns them into the options of the library. An error is
// one of the command line.
func (f *Flags) Options() (inpoly.Options, error) {
	var opt inpoly.Options
	var err error
	if opt.Method, err = inpoly.ParseMethod(f.Method); err != nil {
		return opt, fmt.Errorf("--method: %w", err)
	}
	if opt.Rule, err = inpoly.ParseRule(f.Rule); err != nil {
		return opt, fmt.Errorf("--rule: %w", err)
	}
	if !(f.Tolerance >= 0) || math.IsInf(f.Tolerance, 0) {
		return opt, fmt.Errorf("--tolerance %g: want a finite distance ≥ 0", f.Tolerance)
	}
	if !(f.Epsilon >= 0) || math.IsInf(f.Epsilon, 0) {
		return opt, fmt.Errorf("--epsilon %g: want a finite number ≥ 0", f.Epsilon)
	}
	if f.Workers < 0 || f.Workers > maxWorkers {
		return opt, fmt.Errorf("--workers %d: want a number from 0 to %d", f.Workers, maxWorkers)
	}
	if f.Verify < 0 || f.Verify > maxVerify {
		return opt, fmt.Errorf("--verify %d: want a number from 0 to %d", f.Verify, maxVerify)
	}
	if opt.MaxMemory, err = parseSize(f.MaxMemory); err != nil {
		return opt, fmt.Errorf("--max-memory: %w", err)
	}
	if f.Format != "" && !slices.Contains(points.OutputFormats(), f.Format) {
		return opt, fmt.Errorf("--format %q: want one of %s", f.Format, strings.Join(points.OutputFormats(), ", "))
	}
	if f.Body != "" {
		if f.choice, err = parseBodyChoice(f.Body); err != nil {
			return opt, fmt.Errorf("--body: %w", err)
		}
	}
	if f.kept, err = parseKeep(f.Keep); err != nil {
		return opt, fmt.Errorf("--keep: %w", err)
	}
	opt.Epsilon = f.Epsilon
	opt.Tolerance, opt.Workers, opt.Seed, opt.Orient = f.Tolerance, f.Workers, f.Seed, f.Orient
	return opt, nil
}

// FitsVerify tells why answers from so many meshes cannot be verified, if that is asked.
func (f *Flags) FitsVerify(meshes int) error {
	if f.Verify > 0 && (meshes > 1 || f.Body != "") {
		return errors.New("--verify is for one solid: the sum over all triangles tells nothing of several")
	}
	return nil
}

// Unsteady reports whether f asks for winding numbers of s that change within their bounds
// as more points come (see inpoly.FMM), so that parts of the points have other ones than
// the whole.
func (f *Flags) Unsteady(s *Solids) bool {
	return (f.Winding || f.Certify) && !s.Closed() && (f.Method == "auto" || f.Method == "fmm")
}

// PointOptions returns the options of a reader. An error is one of the command line.
func (f *Flags) PointOptions() (opt points.Options, err error) {
	if opt.Columns, err = parseColumns(f.Columns); err != nil {
		return opt, fmt.Errorf("--columns: %w", err)
	}
	if f.Text != "" {
		for name := range strings.SplitSeq(f.Text, ",") {
			opt.Text = append(opt.Text, strings.TrimSpace(name))
		}
	}
	return opt, nil
}

// parseSize reads a number of bytes with an optional K, M, G or T (powers of
// 1024; B or iB may follow). "" is 0.
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
		return 0, fmt.Errorf("size %q: want a number of bytes such as 500000, 512M or 4G", s)
	}
	return n << shift, nil
}

// parseColumns reads three names. "" is none.
func parseColumns(s string) (columns [3]string, err error) {
	if s == "" {
		return columns, nil
	}
	parts := strings.Split(s, ",")
	if len(parts) != 3 {
		return columns, fmt.Errorf("columns %q: want three names or numbers, such as 2,3,4", s)
	}
	for k, p := range parts {
		if columns[k] = strings.TrimSpace(p); columns[k] == "" {
			return columns, fmt.Errorf("columns %q: want three names or numbers, such as 2,3,4", s)
		}
	}
	return columns, nil
}
