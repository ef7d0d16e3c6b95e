package segments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// blockTotals has the number and the length of the parts of a block with each side.
type blockTotals struct {
	first  int64 // number of the first line of the block
	count  [4]int64
	length [4]float64
	// unsampled is the number of lines with a part that is uncertain because it is not sampled.
	unsampled int64
}

// add adds a part. It adds no length of a segment that is not valid.
func (t *blockTotals) add(p *part) {
	t.count[p.side]++
	if !math.IsNaN(p.length) {
		t.length[p.side] += p.length
	}
}

// totals collects the totals of all blocks.
type totals struct {
	done   atomic.Int64 // number of completed lines
	mu     sync.Mutex
	blocks []blockTotals
}

// addBlock adds the totals of a block of n lines.
func (t *totals) addBlock(b blockTotals, n int64) {
	t.done.Add(n)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocks = append(t.blocks, b)
}

// sum adds the blocks in the order of the input, so that the sums do not depend on the workers.
func (t *totals) sum() (sum blockTotals) {
	slices.SortFunc(t.blocks, func(a, b blockTotals) int { return cmp.Compare(a.first, b.first) })
	for _, b := range t.blocks {
		for side := range sum.count {
			sum.count[side] += b.count[side]
			sum.length[side] += b.length[side]
		}
		sum.unsampled += b.unsampled
	}
	return sum
}

// noun returns the noun for a line.
func (r *run) noun() string {
	if r.holes != nil {
		return "hole"
	}
	return "segment"
}

// summary returns the counts, the lengths, notes about drill holes, and the details of --verbose.
func (r *run) summary(sum points.Summary, t blockTotals, notes []string) term.Summary {
	n := r.totals.done.Load()
	parts := t.count[0] + t.count[1] + t.count[2] + t.count[3]
	line := plural.Grouped(n, r.noun()) + ", "
	counts, _ := term.CountsLine(parts, "part", answer.SideParts(t.count))
	lengths := "length"
	for i, side := range []inpoly.Side{inpoly.Inside, inpoly.Outside, inpoly.OnSurface, inpoly.Unknown} {
		if i < 2 || t.count[side] > 0 {
			word := [4]string{inpoly.Inside: "inside", inpoly.Outside: "outside", inpoly.OnSurface: "on", inpoly.Unknown: "uncertain"}[side]
			lengths += fmt.Sprintf(" %s %s,", plural.GroupedDecimal(t.length[side], 6), word)
		}
	}
	details := []string{
		term.Detail("mesh", "%s: %s", r.Solids.Name, plural.Count(int64(r.Solids.Triangles()), "triangle")),
		term.Detail("rule", "%v", r.Solids.Rule()),
		term.Detail("rows", "%s written", plural.Grouped(sum.Kept, "row")),
		term.Detail("time", "%.3g s, %s %s/s", sum.Elapsed.Seconds(), term.Short(term.Rate(n, sum.Elapsed)), plural.Noun(2, r.noun())),
	}
	lines := append([]string{line + counts, lengths[:len(lengths)-1]}, notes...)
	return term.Summary{Lines: append(lines, r.samplingLines(t)...), Details: details}
}

// samplingLines says which sides are those of samples.
func (r *run) samplingLines(t blockTotals) (lines []string) {
	open := 0
	for _, c := range r.casters {
		if !c.Exact() {
			open++
		}
	}
	switch {
	case open == 0:
		return nil
	case len(r.casters) == 1:
		lines = append(lines, "the mesh is open: sides near it are those of samples; see --step")
	default:
		lines = append(lines, fmt.Sprintf("%d of %d solids are open: sides near them are those of samples; see --step", open, len(r.casters)))
	}
	if t.unsampled > 0 {
		lines = append(lines, plural.Grouped(t.unsampled, r.noun())+" would need too many samples: parts are uncertain; a larger --step decides them")
	}
	return lines
}

// statistics returns the JSON object of --json.
func (r *run) statistics(rows *points.Reader, sum points.Summary, t blockTotals) term.Object {
	exact := true
	for _, c := range r.casters {
		exact = exact && c.Exact()
	}
	o := term.Object{
		"mesh", r.Solids.Name, "triangles", r.Solids.Triangles(), "solids", r.Solids.Len(), "rule", r.Solids.Rule(),
		plural.Noun(2, r.noun()), r.totals.done.Load(), "parts", t.count[0] + t.count[1] + t.count[2] + t.count[3], "written", sum.Kept, "exact", exact,
		"inside", t.count[inpoly.Inside], "outside", t.count[inpoly.Outside], "on", t.count[inpoly.OnSurface], "uncertain", t.count[inpoly.Unknown],
		"length_inside", term.Number(t.length[inpoly.Inside]), "length_outside", term.Number(t.length[inpoly.Outside]),
		"length_on", term.Number(t.length[inpoly.OnSurface]), "length_uncertain", term.Number(t.length[inpoly.Unknown]),
		plural.Noun(2, r.noun()) + "_unsampled", t.unsampled,
	}
	return append(append(o, r.Seconds(sum.Elapsed)...), "lines_per_s", term.Rate(r.totals.done.Load(), sum.Elapsed), "warnings", r.AllWarnings(rows))
}
