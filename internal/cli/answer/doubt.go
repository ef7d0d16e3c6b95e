package answer

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// DoubtfulName is the name of doubtful points in the value of --keep.
const DoubtfulName = "doubtful"

// defaultDoubt is the value of --doubt where the flag is not given.
const defaultDoubt = 0.25

// doubtSample is the number of points that estimate the share of doubtful points. The estimate of a share s has
// the standard deviation √(s(1−s)/1000), at most .016 (tuning).
const doubtSample = 1000

// parseDoubt returns the value of --doubt, or the default value.
func parseDoubt(text string) (float64, error) {
	if text == "" {
		return defaultDoubt, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x < 0.5) {
		return 0, term.Usagef("--doubt %q: must be a number above 0 and below 0.5, the largest distance of a doubtful winding number from the limit of the rule", text)
	}
	return x, nil
}

// doubtCounter counts doubtful points, or samples points to estimate their number. A nil doubtCounter finds no
// point doubtful.
type doubtCounter struct {
	solids *Solids
	doubt  float64
	all    bool    // examine all points instead of a sample
	sample *Sample // nil if all is set

	mu   sync.Mutex
	done Doubt
}

// Doubt has the number of doubtful points. Their winding numbers are so close to a limit of the rule that another
// way to close the holes of an open mesh can change the side; see assembly.Assembly.MarginsTo.
type Doubt struct {
	Within   float64 // value of --doubt
	Examined int64   // number of points that were examined; points that are not finite do not count
	Doubtful int64   // number of these points that are doubtful
	All      bool    // all points were examined
}

// newDoubtCounter returns nil if all sides are exact. It examines all points if the flags ask for it, or if
// winding numbers are computed anyway.
func newDoubtCounter(s *Solids, f *Flags) *doubtCounter {
	if s.HasExactSides() {
		return nil
	}
	d := &doubtCounter{solids: s, doubt: f.doubt, all: f.wantsDoubt() || f.Winding || f.Certify}
	if !d.all {
		d.sample = &Sample{size: doubtSample, limit: math.MaxUint64}
	}
	return d
}

// wantsDoubt reports whether a flag asks for doubtful points.
func (f *Flags) wantsDoubt() bool { return f.Doubt != "" || f.doubtful }

// add examines the points of a block, or adds them to the sample. It reports which points are doubtful, or
// returns nil if it does not know.
func (d *doubtCounter) add(ctx context.Context, b *table.Block, dst inpoly.Answers) ([]bool, error) {
	if d == nil {
		return nil, nil
	}
	if !d.all {
		d.sample.add(b, nil, nil)
		return nil, nil
	}
	doubtful := make([]bool, len(b.Points))
	done, err := d.examine(ctx, doubtful, dst.Answers, b.Points)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done.Examined += done.Examined
	d.done.Doubtful += done.Doubtful
	return doubtful, err
}

// examine marks the doubtful points in dst, and counts them.
func (d *doubtCounter) examine(ctx context.Context, dst []bool, known side.Answers, pts []r3.Vector) (done Doubt, err error) {
	margins := make([]float64, len(pts))
	if err := d.solids.MarginsTo(ctx, margins, known, pts); err != nil {
		return done, err
	}
	for i, m := range margins {
		if math.IsNaN(m) {
			continue
		}
		done.Examined++
		if dst[i] = m <= d.doubt; dst[i] {
			done.Doubtful++
		}
	}
	return done, nil
}

// Doubt returns the number of doubtful points, or an estimate from a sample. It returns nil if no point can be
// doubtful and no flag asks for doubtful points. The caller calls it when all rows are completed.
func (q *Query) Doubt(ctx context.Context) (*Doubt, error) {
	d := q.doubt
	switch {
	case d == nil && q.flags.wantsDoubt():
		return &Doubt{Within: q.flags.doubt, All: true}, nil
	case d == nil:
		return nil, nil
	}
	done, all := d.done, d.all
	if !all {
		pts := d.sample.points()
		var err error
		if done, err = d.examine(ctx, make([]bool, len(pts)), side.Answers{}, pts); err != nil {
			return nil, fmt.Errorf("doubtful points: %w", err)
		}
		all = len(pts) < doubtSample
	}
	done.Within, done.All = d.doubt, all
	return &done, nil
}

// Line describes the doubtful points for the summary. part says of which points, such as " of this run".
func (d *Doubt) Line(part string) string {
	are := map[bool]string{false: "are", true: "is"}
	meaning := fmt.Sprintf("doubtful: winding number within %g of the limit", d.Within)
	switch {
	case d.All:
		return fmt.Sprintf("%s%s %s %s", plural.Grouped(d.Doubtful, "point"), part, are[d.Doubtful == 1], meaning)
	case d.Doubtful == 0:
		return fmt.Sprintf("none of %s sampled points%s is %s", plural.Group(d.Examined, ","), part, meaning)
	}
	return fmt.Sprintf("about %.2g %% of the points%s are %s", 100*float64(d.Doubtful)/float64(d.Examined), part, meaning)
}

// Stats returns the number of doubtful points for --stats: exact or nil, and the counts of the sample or nil.
func (d *Doubt) Stats() (doubt, doubtful, sampled, sample any) {
	switch {
	case d == nil:
		return nil, nil, nil, nil
	case d.All:
		return d.Within, d.Doubtful, nil, nil
	}
	return d.Within, nil, d.Doubtful, d.Examined
}
