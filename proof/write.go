package proof

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"math/bits"
	"net/url"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Version is the version of the format that Write writes. Checker also reads version 1, which has no
// lines orient and pose.
const Version = 2

// Source identifies the file of the mesh. The proof file contains it, so that a reader can compare the
// file with its own copy.
type Source struct {
	Name   string
	Bytes  int64
	SHA256 [sha256.Size]byte // hash of the bytes of the file, which are possibly compressed
}

// Summary counts the points of a proof file.
type Summary struct {
	Points    int64
	Distances int64 // points with a proof of their distance
	Unproved  int64 // points without a proof: see Write
}

// Write writes a proof file about the claims, in their order. Rows must not be negative, and must
// ascend. The bytes depend only on the arguments, not on the number of workers. Write checks each side
// with the ray of the proof. The checker refuses a file without claims, because it proves nothing.
//
// A point has no proof if its side is Unknown. For an open mesh, it also has no proof if a coordinate exceeds
// mesh.MaxCoordinate. The row of such a point has the side Unknown and no distance. Summary and the checker count such
// points.
//
// If t has a pose, the points are in the world. The file has the pose and the mesh without it, and the checker moves
// the mesh exactly. A claim about a distance is then an error.
//
// The file has the mesh after the changes of Options.Orient, the name of this option, and the faces that
// it has turned over. The checker cannot verify these changes; see docs/proofs.md.
//
// Errors: ErrTolerance; ErrWelded; an error that wraps ErrPose if a claim has a distance at a pose, or ErrFalse if a side is false; an error if the rows do not
// ascend; the errors of w; the error of ctx if ctx ends first.
func Write(ctx context.Context, w io.Writer, t inpoly.Target, src Source, claims []Claim) (Summary, error) {
	if err := checkOptions(t); err != nil {
		return Summary{}, err
	}
	row := int64(-1)
	for i := range claims {
		if claims[i].Row <= row {
			return Summary{}, fmt.Errorf("row %d follows row %d: the rows of a proof must ascend", claims[i].Row, row)
		}
		row = claims[i].Row
		if locate.Of(t).Place != nil && claims[i].hasDistance() {
			return Summary{}, fmt.Errorf("row %d: %w", row, ErrPose)
		}
	}
	p, err := newProver(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	if err := p.writeMesh(ctx, buf, src, claims); err != nil {
		return Summary{}, err
	}
	type block struct {
		caster caster
		text   []byte
		sum    Summary
		err    error
	}
	blocks := make([]block, par.Workers(locate.Of(t).Workers))
	for i := range blocks {
		blocks[i].caster = p.newCaster()
	}
	var sum Summary
	var failure error
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	err = par.Ordered(stop, len(claims), 64, len(blocks), func(worker, lo, hi int) {
		b := &blocks[worker]
		b.text, b.sum, b.err = b.text[:0], Summary{}, nil
		for i := lo; i < hi && b.err == nil; i++ {
			b.text, b.err = p.appendPoint(b.text, &b.caster, &claims[i], &b.sum)
		}
	}, func(worker, _, _ int) {
		b := &blocks[worker]
		if failure != nil {
			return
		}
		if failure = b.err; failure == nil {
			_, failure = buf.Write(b.text)
		}
		sum.Points, sum.Distances, sum.Unproved = sum.Points+b.sum.Points, sum.Distances+b.sum.Distances, sum.Unproved+b.sum.Unproved
		if failure != nil {
			cancel()
		}
	})
	switch {
	case failure != nil:
		return sum, failure
	case err != nil:
		return sum, err
	}
	_, _ = buf.WriteString("end\n") // Flush returns the error
	return sum, buf.Flush()
}

// prover holds what all workers share.
type prover struct {
	target inpoly.Target
	mesh   *mesh.Mesh
	posed  posed
	tree   *bvh.Tree
	tris   []mesh.Triangle // in the order of the leaves, in the frame of the mesh
	box    bvh.Box         // around the mesh in the world
	rule   inpoly.Rule
	counts bool   // the crossings of a ray decide sides
	flat   []bool // faces of zero area
}

func newProver(ctx context.Context, t inpoly.Target) (*prover, error) {
	set := locate.Of(t)
	index, err := set.Surface.Index(ctx)
	if err != nil {
		return nil, err
	}
	p := &prover{
		target: t, mesh: t.Mesh(), tree: index.Tree.Tree(), tris: index.Tree.Triangles(), box: t.Mesh().Box(),
		rule: t.Report().Rule, flat: make([]bool, t.Mesh().NumFaces()),
	}
	if set.Place != nil {
		if err := p.place(ctx, set); err != nil {
			return nil, err
		}
	}
	p.counts = p.mesh.Closed() || p.rule == inpoly.EvenOdd && p.mesh.EvenEdges()
	for _, f := range p.mesh.Degenerate() {
		p.flat[f] = true
	}
	return p, nil
}

func (p *prover) newCaster() caster {
	return caster{
		tree: p.tree, tris: p.tris, posed: posed{place: p.posed.place}, flat: p.flat, sums: !p.counts, box: p.box, unit: endUnit(p.box),
	}
}

// writeMesh writes all lines before the first point.
func (p *prover) writeMesh(ctx context.Context, w *bufio.Writer, src Source, claims []Claim) error {
	m, tree := p.mesh, p.tree
	sum := sha256.New()
	low := 0 // all coordinates are multiples of 2^low
	for _, v := range m.Vertices {
		low = min(low, lowestBit(v))
	}
	for i := range claims {
		if vec.Finite(claims[i].Point) {
			low = min(low, lowestBit(claims[i].Point))
		}
	}
	if !p.box.Empty() {
		low = min(low, endUnit(p.box))
	}
	if p.posed.place != nil {
		low = min(low, lowestBit(p.posed.place.Pose().Translation))
	}
	for f := range m.Faces {
		hashTriangle(sum, m.Triangle(int32(f)))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fmt.Fprintf(w, "inpoly-proof %d\nsource %s %d\nname %s\nmesh %s\nrule %s\norient %s\npose %s\nscale %d\nvertices %d\n", Version,
		hex.EncodeToString(src.SHA256[:]), src.Bytes, url.PathEscape(src.Name), hex.EncodeToString(sum.Sum(nil)), p.rule,
		p.target.Report().Orient, p.posed.poseWords(), -low, len(m.Vertices))
	var line []byte
	for _, v := range m.Vertices {
		_, _ = w.Write(append(appendVector(line[:0], v), '\n')) // the caller's Flush returns errors
	}
	fmt.Fprintf(w, "faces %d\n", len(m.Faces))
	for _, f := range m.Faces {
		fmt.Fprintf(w, "%d %d %d\n", f[0], f[1], f[2])
	}
	flipped := withoutPose(p.target).Flipped()
	fmt.Fprintf(w, "flipped %d\n", len(flipped))
	for _, f := range flipped {
		fmt.Fprintf(w, "%d\n", f)
	}
	leaves, inner := 0, 0
	tree.Preorder(func(_, count int32) { leaves += int(min(count, 1)) })
	fmt.Fprintf(w, "tree %d\n", leaves)
	tree.Preorder(func(first, count int32) {
		if count == 0 {
			inner++
			return
		}
		line = strconv.AppendInt(line[:0], int64(inner), 10)
		inner = 0
		for _, f := range tree.Index()[first : first+count] {
			line = strconv.AppendInt(append(line, ' '), int64(f), 10)
		}
		_, _ = w.Write(append(line, '\n'))
	})
	_, err := fmt.Fprintf(w, "points %d\n", len(claims))
	return err
}

// appendPoint appends the line of a claim.
func (p *prover) appendPoint(text []byte, c *caster, claim *Claim, sum *Summary) ([]byte, error) {
	text = append(strconv.AppendInt(text, claim.Row, 10), ' ')
	text = append(appendVector(text, claim.Point), ' ')
	sum.Points++
	proof, err := p.prove(c, claim)
	if err != nil {
		return nil, fmt.Errorf("point %d: %w", claim.Row, err)
	}
	if proof == nil { // the row has no answer, even if the solid has one
		sum.Unproved++
		return append(append(text, inpoly.Unknown.String()...), " - - none\n"...), nil
	}
	text = append(append(text, claim.Side.String()...), ' ')
	if !claim.hasDistance() {
		text = append(text, "- - "...)
	} else {
		sum.Distances++
		text = append(strconv.AppendInt(text, int64(claim.Face), 10), ' ')
		text = append(appendNumber(text, claim.Distance), ' ')
	}
	return append(append(text, proof...), '\n'), nil
}

// leastBound is the least bound of a winding number in a proof. The checker cannot show that a sum of
// angles is exactly an integer.
const leastBound = 0x1p-60

// prove returns the proof of the side of a claim, or nil if there is none.
func (p *prover) prove(c *caster, claim *Claim) ([]byte, error) {
	at := claim.Point
	if claim.Side == inpoly.Unknown || !vec.Finite(at) {
		return nil, nil
	}
	if claim.Side == inpoly.OnSurface {
		face := c.faceAt(at)
		if face < 0 {
			return nil, fmt.Errorf("%w: the side is %q, but the point is on no face", ErrFalse, claim.Side)
		}
		return strconv.AppendInt([]byte("on "), int64(face), 10), nil
	}
	if p.counts && !c.box.Contains(at) {
		if claim.Side != inpoly.Outside {
			return nil, fmt.Errorf("%w: the side is %q, but the point is outside the box of the mesh", ErrFalse, claim.Side)
		}
		return []byte("box"), nil
	}
	if vec.MaxAbs(at) > mesh.MaxCoordinate { // the angles of edges would need thousands of bits
		return nil, nil
	}
	end, ok := c.cast(at)
	if !ok {
		if c.faceAt(at) >= 0 {
			return nil, fmt.Errorf("%w: the side is %q, but the point is on a face", ErrFalse, claim.Side)
		}
		return nil, nil
	}
	var text []byte
	if p.counts {
		w := int64(0)
		for _, h := range c.hits {
			w += int64(h.sign)
		}
		if side := p.rule.Apply(w, uint64(len(c.hits))); side != claim.Side {
			return nil, fmt.Errorf("%w: the side is %q, but a ray shows %q", ErrFalse, claim.Side, side)
		}
		if text = append(text, "ray "...); p.mesh.Closed() {
			text = strconv.AppendInt(text, w, 10)
		} else {
			text = append(text, '-')
		}
	} else {
		w, bound := claim.Winding, claim.Bound
		if math.IsNaN(w) {
			w, bound = p.target.Winding(at)
		}
		text = append(appendNumber(append(text, "sum "...), w), ' ')
		text = appendNumber(text, max(bound, leastBound))
	}
	text = appendVector(append(text, ' '), end)
	for _, h := range c.hits {
		sign := "-+"[(h.sign+1)/2]
		text = strconv.AppendInt(append(text, ' ', sign), int64(h.face), 10)
	}
	return text, nil
}

// lowestBit returns the largest e for which the coordinates of v are multiples of 2^e, or 0 for the
// zero vector.
func lowestBit(v r3.Vector) int {
	low := 0
	for _, x := range array(v) {
		if x != 0 {
			m, e := math.Frexp(x)
			low = min(low, e-53+bits.TrailingZeros64(uint64(math.Abs(m)*(1<<53))))
		}
	}
	return low
}

func hashTriangle(h hash.Hash, t mesh.Triangle) {
	var b [72]byte
	for i, v := range t {
		for k, x := range array(v) {
			binary.LittleEndian.PutUint64(b[8*(3*i+k):], math.Float64bits(x+0)) // adding 0 turns −0 into +0
		}
	}
	_, _ = h.Write(b[:]) // hashes return no errors
}

func appendVector(dst []byte, v r3.Vector) []byte {
	dst = append(appendNumber(dst, v.X), ' ')
	dst = append(appendNumber(dst, v.Y), ' ')
	return appendNumber(dst, v.Z)
}

// appendNumber appends the shortest decimal number that rounds to x.
func appendNumber(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x+0, 'g', -1, 64) }
