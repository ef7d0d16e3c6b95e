package view

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// MaxPoints is the default limit of the points in a picture. A browser on a small computer rotates
// this number of points smoothly.
const MaxPoints = 1_000_000 // tuning

// Cloud collects points and their sides. It counts all points and stores a uniform random sample to
// draw. It is safe for concurrent use.
//
// Each point has a priority, which is a hash of its number. The sample consists of the points with
// the highest priorities. All subsets of the same size are therefore equally likely, and the sample
// depends only on the numbers of the points.
type Cloud struct {
	limit   int
	columns []Column

	mu        sync.Mutex
	counts    [4]int64
	nonFinite int64
	kept      []samplePoint
	floor     uint64 // points of lower priority cannot be in the sample
	box       bvh.Box
	values    []float64 // values of the columns: len(columns) values for each slot
	words     []*words  // texts of each column; nil for a column of numbers
}

type samplePoint struct {
	priority uint64
	row      int64
	p        r3.Vector
	side     inpoly.Side
	slot     int32 // place of the values of the point in Cloud.values
}

// Column describes a column of the points, in addition to the coordinates. A page shows its values
// and can color the points by them.
type Column struct {
	Name string
	Text bool // the values are texts, otherwise numbers
}

// Values holds the values of a column for consecutive points. Numbers is used for numbers and Texts
// for texts. A missing number is NaN, and a missing text is nil.
type Values struct {
	Numbers []float64
	Texts   [][]byte
}

// maxWords is the largest number of different texts that a Cloud stores for a column. Further texts
// are not stored, and the page says so. The texts of a column can take up to maxWordBytes.
const (
	maxWords     = 1 << 16 // tuning
	maxWordBytes = 1 << 22 // tuning
)

// words is the list of the different texts of a column.
type words struct {
	index map[string]int
	list  []string
	bytes int
}

// Numbers that stand for texts without an index.
const (
	wordMissing   = -1 // the cell is empty
	wordNotStored = -2 // see maxWords
)

// add returns the index of a text.
func (w *words) add(text []byte) float64 {
	if text == nil {
		return wordMissing
	}
	if i, ok := w.index[string(text)]; ok {
		return float64(i)
	}
	if len(w.list) >= maxWords || w.bytes+len(text) > maxWordBytes {
		return wordNotStored
	}
	word := string(text)
	w.index[word] = len(w.list)
	w.list = append(w.list, word)
	w.bytes += len(word)
	return float64(len(w.list) - 1)
}

// NewCloud returns an empty Cloud that draws at most limit points. A negative limit means 0.
func NewCloud(limit int) *Cloud {
	return &Cloud{limit: max(0, limit), box: bvh.EmptyBox()}
}

// SetColumns sets the columns of the points. It must be called before the first point is added.
// SetColumns panics if points have been added.
func (c *Cloud) SetColumns(columns []Column) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts != [4]int64{} {
		panic("view: SetColumns after points were added")
	}
	c.columns, c.words = slices.Clone(columns), make([]*words, len(columns))
	for i, column := range columns {
		if column.Text {
			c.words[i] = &words{index: map[string]int{}}
		}
	}
}

// Add adds pts with their sides. The number of pts[i] is first+i. No two points can have the same
// number. Points that are not finite are counted, but not drawn. The Cloud stores at most 2·limit
// points of 48 bytes and 8 bytes for each column. Add panics if the lengths of pts and sides differ,
// or if the Cloud has columns.
func (c *Cloud) Add(first int64, pts []r3.Vector, sides []inpoly.Side) {
	c.AddRows(first, pts, sides, nil)
}

// AddRows works like Add and also adds the values of the columns. It panics if the number of
// columns differs from SetColumns, or if a column does not have one value for each point.
func (c *Cloud) AddRows(first int64, pts []r3.Vector, sides []inpoly.Side, values []Values) {
	if len(pts) != len(sides) {
		panic("view: points and sides differ in length")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(values) != len(c.columns) {
		panic("view: values and columns differ in number")
	}
	for k, v := range values {
		if n := len(v.Numbers); c.columns[k].Text && len(v.Texts) != len(pts) || !c.columns[k].Text && n != len(pts) {
			panic("view: points and values differ in length")
		}
	}
	for i, p := range pts {
		c.counts[sides[i]&3]++
		if !vec.Finite(p) {
			c.nonFinite++
			continue
		}
		c.box = c.box.Add(p)
		row := first + int64(i)
		h := priority(row)
		if h < c.floor {
			continue
		}
		c.kept = append(c.kept, samplePoint{h, row, p, sides[i], int32(len(c.kept))})
		for k, v := range values {
			if w := c.words[k]; w != nil {
				c.values = append(c.values, w.add(v.Texts[i]))
			} else {
				c.values = append(c.values, v.Numbers[i])
			}
		}
		if len(c.kept) >= 2*c.limit+1 {
			c.prune()
		}
	}
}

// prune reduces the points to the sample. Then the slot of each point is its index.
func (c *Cloud) prune() {
	if len(c.kept) > c.limit {
		slices.SortFunc(c.kept, func(a, b samplePoint) int {
			return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.row, b.row))
		})
		c.kept = c.kept[:c.limit]
		c.floor = math.MaxUint64
		if c.limit > 0 {
			c.floor = c.kept[c.limit-1].priority
		}
	}
	n := len(c.columns)
	if n == 0 {
		return
	}
	values := make([]float64, 0, n*len(c.kept))
	for i := range c.kept {
		at := n * int(c.kept[i].slot)
		values = append(values, c.values[at:at+n]...)
		c.kept[i].slot = int32(i)
	}
	c.values = values
}

// value returns the value of a column for a point of the sample. The value of a text is its index
// in the words of the column, or a negative number.
func (c *Cloud) value(p samplePoint, column int) float64 {
	return c.values[len(c.columns)*int(p.slot)+column]
}

// Counts returns the number of points added, indexed by side. It includes points that are not
// drawn.
func (c *Cloud) Counts() (counts [4]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// sample returns the points of the sample in the order of their numbers.
func (c *Cloud) sample() []samplePoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prune()
	out := slices.Clone(c.kept)
	slices.SortFunc(out, func(a, b samplePoint) int { return cmp.Compare(a.row, b.row) })
	return out
}

// priority returns a hash of a row number: SplitMix64 (Steele, Lea, Flood 2014). It is a bijection,
// so no two rows have the same priority.
func priority(row int64) uint64 {
	x := uint64(row) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
