package answer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// Lists of rows give the claims of these rows, whatever the order of the blocks and the comments between
// them, and keep few other answers in memory.
func TestProofsOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 29))
	for round := range 20 {
		// Rows in blocks. In a text, First is a line number, and lines without a row can come before a block.
		type block struct{ first, row, size int64 }
		text := round%2 == 0
		var blocks []block
		rows, line := int64(0), int64(0)
		if text {
			line = 1
		}
		for rows < 400_000 {
			if text {
				line += r.Int64N(3)
			}
			n := 1 + r.Int64N(5000)
			blocks = append(blocks, block{line, rows, n})
			rows += n
			line += n
		}
		var words []string
		listed := map[int64]bool{}
		for range 1 + r.IntN(30) {
			lo := 1 + r.Int64N(rows)
			hi := min(rows, lo+r.Int64N(100))
			for k := lo; k <= hi; k++ {
				listed[k] = true
			}
			words = append(words, fmt.Sprintf("%d-%d", lo, hi))
		}
		p, err := NewProofs("rows:" + strings.Join(words, ","))
		if err != nil {
			t.Fatal(err)
		}
		for i := range blocks { // a few blocks are on the way at a time
			j := min(len(blocks)-1, i+r.IntN(8))
			blocks[i], blocks[j] = blocks[j], blocks[i]
		}
		most := 0
		for _, b := range blocks {
			tb := table.Block{First: b.first, Points: make([]r3.Vector, b.size), Sides: make([]side.Side, b.size)}
			for i := range tb.Points {
				tb.Points[i].X = float64(b.row + int64(i) + 1)
			}
			if err := p.add(&tb, inpoly.Answers{}); err != nil {
				t.Fatal(err)
			}
			most = max(most, len(p.claims))
		}
		claims, err := p.Claims()
		if err != nil {
			t.Fatal(err)
		}
		var want, got []int64
		for k := range listed {
			want = append(want, k)
		}
		slices.Sort(want)
		for _, c := range claims {
			if c.Point.X != float64(c.Row) {
				t.Fatalf("round %d: row %d has the point of row %v", round, c.Row, c.Point.X)
			}
			got = append(got, c.Row)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %d rows, want %d", round, len(got), len(want))
		}
		if most > 2*minPrune {
			t.Errorf("round %d: %d answers in memory for %d rows of a list", round, most, len(want))
		}
	}
}

// Proofs that are too large fail before the meshes are read, if the number of rows is known.
func TestProofLimits(t *testing.T) {
	for _, c := range []struct {
		value string
		rows  int64
		want  string
	}{
		{"all", maxProof, ""},
		{"all", maxProof + 1, "found 10000001 points or more, a proof can have 10000000 points"},
		{"all", -1, ""},
		{"5", 1 << 40, ""},
		{"rows:5,7-9", 9, ""},
		{"rows:5,7-9", 8, "row 9 does not exist: the points have 8 rows"},
		{"rows:5,7-9", 1 << 40, ""},
		{"rows:1-10000000", 1 << 40, ""},
		{"rows:1-10000000,5-10000001", 1 << 40, "the list has more than 10000000 rows"},
		{"rows:1-9223372036854775807", -1, "the list has more than 10000000 rows"},
		{"rows:9223372036854775807,1-2", -1, ""},
	} {
		p, err := NewProofs(c.value)
		if err == nil {
			err = p.CheckRows(c.rows)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %d rows: %v, want %q", c.value, c.rows, err, c.want)
		}
	}
}
