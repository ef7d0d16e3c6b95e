package blocks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

// check checks the flags that do not depend on the inputs. It sets f.vtk and f.subLevels.
func (f *flags) check(out string) (frame blocks.Frame, err error) {
	suffix := strings.TrimPrefix(term.Suffix(out), ".")
	switch {
	case slices.Contains(vtkFormats, f.Format):
		f.vtk, f.Format = f.Format, ""
	case f.Format == "" && slices.Contains(vtkFormats, suffix):
		f.vtk = suffix
	}
	if frame, err = f.frame(); err != nil {
		return frame, err
	}
	if f.table != "" && f.vtk != "" {
		return frame, term.WithHint(term.Usagef("--table: the output cannot be a .%s file, which has no place for the columns of the table", f.vtk), "convert the table later, or describe the blocks with --origin, --size and --counts")
	}
	if f.minSize != "" {
		if f.subLevels, err = levelsFor(frame.Size, f.minSize); err != nil {
			return frame, err
		}
	}
	if f.vtk == "vti" && f.subLevels > 0 {
		return frame, term.WithHint(term.Usagef("a .vti file cannot hold sub-blocks"), "write a .vtu file")
	}
	return frame, nil
}

// vtkFormats are the formats of VTK files.
var vtkFormats = []string{"vti", "vtu"}

// levelsFor returns the largest number of levels with which sub-blocks have at least the lengths of --min-size.
func levelsFor(size r3.Vector, value string) (int, error) {
	least, err := lengths("--min-size", value)
	if err != nil {
		return 0, err
	}
	levels := math.MaxInt
	for k, x := range coordinates(least) {
		h := coordinates(size)[k]
		if !(x > 0) || x > h {
			return 0, term.Usagef("--min-size %s: lengths must be positive and at most those of a block", value)
		}
		n := 0
		for ; n <= blocks.MaxSubLevels && h/2 >= x; n++ {
			h /= 2
		}
		levels = min(levels, n)
	}
	if levels > blocks.MaxSubLevels {
		return 0, term.Usagef("--min-size %s: needs more than %d levels of sub-blocks", value, blocks.MaxSubLevels)
	}
	return levels, nil
}

// lengths parses three lengths, or one for all axes.
func lengths(flag, value string) (r3.Vector, error) {
	v, err := answer.ParseNumbers(value, 1, 3)
	switch {
	case err != nil:
		return r3.Vector{}, term.Usagef("%s %w", flag, err)
	case len(v) == 1:
		return r3.Vector{X: v[0], Y: v[0], Z: v[0]}, nil
	}
	return r3.Vector{X: v[0], Y: v[1], Z: v[2]}, nil
}

func coordinates(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// frame returns the frame that the flags describe. With --table, it has only a rotation, and a size if
// --size is set.
func (f *flags) frame() (out blocks.Frame, err error) {
	if f.table == "" && (f.size == "" || f.counts == "" || f.origin == "") {
		return out, term.WithHint(term.Usagef("blocks: expected --origin, --size and --counts, or --table"), example)
	}
	out.Counts = [3]int{1, 1, 1}
	if f.size != "" {
		if out.Size, err = lengths("--size", f.size); err != nil {
			return out, err
		}
	}
	if f.table == "" {
		if out.Origin, err = lengths("--origin", f.origin); err == nil && !strings.Contains(f.origin, ",") {
			err = term.Usagef("--origin %q: expected three numbers separated by commas", f.origin)
		}
		if err == nil {
			out.Counts, err = parseCounts(f.counts)
		}
		if err != nil {
			return out, err
		}
	}
	if f.rotation != "" {
		a, err := answer.ParseNumbers(f.rotation, 1, 3)
		if err != nil {
			return out, term.Usagef("--rotation %w", err)
		}
		a = append(a, 0, 0) // the azimuth alone
		if out.Rotation, err = blocks.Rotation(a[0], a[1], a[2]); err != nil {
			return out, term.Usagef("--rotation %w", err)
		}
	}
	if f.size != "" {
		if err := out.Check(); err != nil {
			return out, term.Usagef("blocks: %w", err)
		}
	}
	return out, nil
}

func parseCounts(value string) (counts [3]int, err error) {
	n, err := answer.ParseNumbers(value, 3)
	if err != nil {
		return counts, term.Usagef("--counts %w", err)
	}
	for k, x := range n {
		if x != math.Trunc(x) || x < 1 || x > math.MaxInt32 {
			return counts, term.Usagef("--counts %s: expected integers from 1 to %d", value, math.MaxInt32)
		}
		counts[k] = int(x)
	}
	return counts, nil
}

// parsePriority returns the indices of solids in the order of their priority: first those that the value of
// --priority names, and then the others. Each element is a name, or a number from 1.
func parsePriority(value string, names []string) ([]int, error) {
	var order []int
	if value != "" {
		for part := range strings.SplitSeq(value, ",") {
			part = strings.TrimSpace(part)
			k := slices.Index(names, part)
			if n, err := strconv.Atoi(part); k < 0 && err == nil {
				if n < 1 || n > len(names) {
					return nil, term.Usagef("--priority %s: %s", part, plural.Sprintf("there are %d solids", len(names)))
				}
				k = n - 1
			}
			if k < 0 {
				err := term.Usagef("--priority %q: expected names of solids, or their numbers from 1", part)
				return nil, cmp.Or(term.DidYouMean(err, "--priority", part, names), err)
			}
			if slices.Contains(order, k) {
				return nil, term.Usagef("--priority: %s occurs twice", names[k])
			}
			order = append(order, k)
		}
	}
	for k := range names {
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	return order, nil
}

// frameText describes a frame.
func frameText(f *blocks.Frame) string {
	return fmt.Sprintf("%d×%d×%d blocks of %g×%g×%g", f.Counts[0], f.Counts[1], f.Counts[2], f.Size.X, f.Size.Y, f.Size.Z)
}
