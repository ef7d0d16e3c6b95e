package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// judgedPoints is the number of points that the referee judges for each peer. The time of the
// referee is linear in the number of triangles.
const judgedPoints = 20

// judgeAll judges the first points where each of the answers differs from sides. All peers share a
// call of the referee.
func (b *bench) judgeAll(j rivalMesh, stl string, m *mesh.Mesh, pts []r3.Vector, sides []side.Side, answers [][]byte) ([]verdict, error) {
	verdicts := make([]verdict, len(answers))
	if !b.has("refexact") {
		return verdicts, nil
	}
	judged := make([][]int, len(answers))
	var union []int
	for i, theirs := range answers {
		at := differing(theirs, sides[:len(theirs)])
		judged[i] = at[:min(len(at), judgedPoints)]
		union = append(union, judged[i]...)
	}
	slices.Sort(union)
	union = slices.Compact(union)
	if len(union) == 0 {
		return verdicts, nil
	}
	some := make([]r3.Vector, len(union))
	for i, at := range union {
		some[i] = pts[at]
	}
	truths, err := b.referee(stl, some, truthOf(m, j.flip))
	if err != nil {
		return nil, err
	}
	for i, theirs := range answers {
		v := &verdicts[i]
		for _, at := range judged[i] {
			k, _ := slices.BinarySearch(union, at)
			v.add(truths[k], codes[sides[at]], theirs[at])
		}
	}
	return verdicts, nil
}

// undecided is the truth of a point that the referee does not decide.
const undecided = 3

// add counts a judged point: its true side, and the bytes of inpoly and of the peer.
func (v *verdict) add(truth, ours, theirs byte) {
	v.looked++
	if truth == undecided {
		v.open++
		return
	}
	if ours != truth {
		v.ours++
	}
	if theirs != truth {
		v.theirs++
	}
}

// truth returns the side of a point from the exact parity of the referee (0, 1, 2 on the surface, or
// undecided) and from the winding number, which the referee rounds.
type truth func(parity byte, winding float64) byte

// truthOf returns how the referee decides the sides of a mesh.
func truthOf(m *mesh.Mesh, flipped bool) truth {
	switch {
	case flipped:
		return func(parity byte, _ float64) byte { return parity }
	case m.Closed():
		return closedTruth
	}
	return openTruth
}

// closedTruth is the rule of nonzero winding numbers. Winding number and parity must agree.
func closedTruth(parity byte, winding float64) byte {
	if parity >= 2 {
		return parity
	}
	n := math.Round(winding)
	if math.Abs(winding-n) > 0.25 || byte(math.Abs(n))&1 != parity {
		return undecided
	}
	if n != 0 {
		return 1
	}
	return 0
}

// openTruth is the rule of winding numbers above one half. The parity of an open mesh depends on the
// direction of the ray.
func openTruth(parity byte, winding float64) byte {
	const rounding = 1e-6
	switch w := math.Abs(winding); {
	case parity == 2:
		return 2
	case math.Abs(w-0.5) < rounding:
		return undecided
	case w > 0.5:
		return 1
	}
	return 0
}

// referee returns the true sides of points.
func (b *bench) referee(stl string, pts []r3.Vector, rule truth) ([]byte, error) {
	f64, list := filepath.Join(b.tmp, "referee.f64"), filepath.Join(b.tmp, "referee.i32")
	if err := writePoints(f64, pts); err != nil {
		return nil, err
	}
	all := make([]int, len(pts))
	for i := range all {
		all[i] = i
	}
	if err := os.WriteFile(list, indexBytes(all), 0o644); err != nil {
		return nil, err
	}
	out, err := execute(b.peerPath("refexact"), stl, f64, list)
	if err != nil {
		return nil, err
	}
	return readTruths(string(out), len(pts), rule)
}

// readTruths reads n lines of the referee. A line has the index, the exact parity, the parity of
// the point in single precision, the winding number, and the distance.
func readTruths(out string, n int, rule truth) ([]byte, error) {
	var truths []byte
	for line := range strings.Lines(out) {
		var i int
		var parity, single byte
		var winding float64
		if _, err := fmt.Sscan(line, &i, &parity, &single, &winding); err != nil {
			return nil, fmt.Errorf("referee printed %q: %w", line, err)
		}
		if i != len(truths) {
			return nil, fmt.Errorf("referee returned point %d, expected point %d", i, len(truths))
		}
		truths = append(truths, rule(parity, winding))
	}
	if len(truths) != n {
		return nil, fmt.Errorf("referee returned %d of %d points", len(truths), n)
	}
	return truths, nil
}
