package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// Options holds the options of a Scene. All fields are optional.
type Options struct {
	// Name and PointsName are the names that the pictures show for the mesh and for the points.
	Name, PointsName string
	// Plane is the plane of the slice. The value nil selects the plane that contains the middle of
	// the box and is perpendicular to the shortest side of the box.
	Plane *Plane
	// Pixels is the number of pixels of the slice along its longer side; 0 means 512. If very many faces
	// are near each pixel, for example because faces coincide, the slice has fewer pixels, and the
	// pictures say so.
	Pixels int
	// Triangles is the largest number of triangles to draw; 0 means MaxTriangles. A larger mesh is
	// simplified, and the pictures say that it was simplified.
	Triangles int
	// Up is the axis that points up at first: "x", "y" or "z". The empty string selects y for glTF,
	// GLB and OBJ files, whose convention it is, and z for all other formats.
	Up string
	// NoSlice omits the slice and its winding numbers. WritePNG then returns ErrNoSlice. NoStacks
	// omits the further slices of an open or simplified mesh, which only the page shows.
	NoSlice, NoStacks bool
	// Windings and Distances request the winding numbers of the drawn points and their signed
	// distances from the surface. The page shows them and can color the points by them.
	Windings, Distances bool
	// Body selects the body that an assembly reports for a point in several solids.
	Body assembly.Choice
	// ColorBy is the initial color of the points in the page: "state" or "", "winding", "distance",
	// "body", or else the name of a column of the Cloud. A column with one of these names is
	// selected only if the scene has no such answer.
	ColorBy string
	// Files holds the names of the mesh files for the commands that the page shows. It has one name
	// for each solid, or one name for all solids. The page uses Name if Files is nil.
	Files []string
}

// MaxPixels is the largest value of Options.Pixels. With this value, the image needs 64 MB.
const MaxPixels = 4096

// Scene is the content of the pictures of one solid or of an assembly. It is immutable and safe for
// concurrent use.
type Scene struct {
	*subject
	opt   Options
	frame frame

	surface surface
	layers  []*layer
	flipped int // number of flipped faces; see findDefects
	slice   *slice
	stacks  [3]*stack // slices across each axis for the page, or nil

	cloud  *Cloud
	points []samplePoint
	extra  details // further answers for points
	far    int     // number of sample points that are too far from the mesh to be drawn
}

// New returns the scene of a solid and a cloud. The cloud can be nil. The caller must not add
// points to the cloud afterward. New locates the defects that the Report of the solid counts, and
// computes at most Options.Pixels² winding numbers, and for an open or simplified mesh about
// 400,000 more.
//
// Errors: options out of range; a ColorBy that the scene does not have; the error of ctx.
func New(ctx context.Context, solid *inpoly.Solid, cloud *Cloud, opt Options) (*Scene, error) {
	if err := opt.check(1); err != nil {
		return nil, err
	}
	return buildScene(ctx, newSubject(solid), cloud, opt)
}

// NewAssembly returns the scene of the solids of an assembly. Sides and distances refer to the
// union of the solids. The winding number is the sum of the winding numbers of all solids. In other
// respects, NewAssembly works like New. NewAssembly refuses a result of assembly.Assembly.At, and
// an assembly with negative parts.
func NewAssembly(ctx context.Context, a *assembly.Assembly, cloud *Cloud, opt Options) (*Scene, error) {
	if a.Len() == 0 {
		return nil, errors.New("view: the assembly has no solids")
	}
	if a.Posed(0) != nil {
		return nil, errors.New("view: the solids of the assembly have poses, which a scene cannot show")
	}
	if err := a.CheckNegative(); err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	if err := opt.check(a.Len()); err != nil {
		return nil, err
	}
	return buildScene(ctx, newAssemblySubject(a), cloud, opt)
}

// check sets default values and returns an error for values out of range. The argument is the
// number of solids.
func (opt *Options) check(solids int) error {
	opt.Pixels, opt.Triangles = cmp.Or(opt.Pixels, 512), cmp.Or(opt.Triangles, MaxTriangles)
	switch {
	case opt.Pixels < 1 || opt.Pixels > MaxPixels:
		return fmt.Errorf("view: Pixels is %d: must be from 1 to %d", opt.Pixels, MaxPixels)
	case opt.Triangles < 1:
		return fmt.Errorf("view: Triangles is %d: must be at least 1", opt.Triangles)
	case opt.Plane != nil && (opt.Plane.Axis < 0 || opt.Plane.Axis > 2 || opt.Plane.Value-opt.Plane.Value != 0):
		return fmt.Errorf("view: plane with axis %d and value %g: expected axis 0, 1 or 2 and a finite value", opt.Plane.Axis, opt.Plane.Value)
	case len(opt.Files) > 1 && len(opt.Files) != solids:
		return fmt.Errorf("view: %d Files for %d solids: expected one, or one for each solid", len(opt.Files), solids)
	case opt.Body != assembly.First && opt.Body != assembly.Innermost:
		return fmt.Errorf("view: Body is %v: expected first or innermost", opt.Body)
	}
	return opt.checkUp()
}

// buildScene expects checked options.
func buildScene(ctx context.Context, sub *subject, cloud *Cloud, opt Options) (*Scene, error) {
	s := &Scene{subject: sub, opt: opt, cloud: cloud}
	box := s.box
	if box.Empty() && cloud != nil {
		box = cloud.box
	}
	s.frame = newFrame(box)
	if err := s.takePoints(ctx); err != nil {
		return nil, err
	}
	if err := s.checkColor(); err != nil {
		return nil, err
	}
	var err error
	if s.layers, s.flipped, err = s.defects(ctx); err != nil {
		return nil, err
	}
	if s.surface, err = newSurface(ctx, sub, s.frame, opt.Triangles); err != nil {
		return nil, err
	}
	if s.box.Empty() || opt.NoSlice {
		return s, ctx.Err()
	}
	plane := middlePlane(s.box)
	if opt.Plane != nil {
		plane = *opt.Plane
	}
	if s.slice, err = newSlice(ctx, sub, plane, opt.Pixels, s.up()); err != nil {
		return nil, err
	}
	return s, s.stack(ctx)
}

// takePoints selects the points to draw and computes their answers.
func (s *Scene) takePoints(ctx context.Context) (err error) {
	if s.cloud == nil {
		return nil
	}
	var pts []r3.Vector
	for _, p := range s.cloud.sample() {
		if !s.frame.near(p.p) {
			s.far++
			continue
		}
		s.points = append(s.points, p)
		pts = append(pts, p.p)
	}
	s.extra, err = s.details(ctx, &s.opt, pts)
	return err
}

func (s *Scene) shown() (n [4]int) {
	for _, p := range s.points {
		n[p.side&3]++
	}
	return n
}

// sampled returns the size of the sample, the number of all points, and whether at least one finite
// point is not in the sample. The sample includes points that are too far away to be drawn.
func (s *Scene) sampled() (sample, total int64, thinned bool) {
	for _, n := range s.cloud.Counts() {
		total += n
	}
	sample = int64(len(s.points) + s.far)
	return sample, total, sample < total-s.cloud.nonFinite
}

// sliceInSpace returns the slice for 3D pictures. The result is nil if the slice is too far from
// the mesh.
func (s *Scene) sliceInSpace() *slice {
	if s.slice == nil || !s.frame.near(s.slice.corner(0, 0)) {
		return nil
	}
	return s.slice
}

// corners returns the ends of the edges of a layer, or the corners of its faces.
func (s *Scene) corners(l *layer) []r3.Vector {
	out := make([]r3.Vector, 0, 2*len(l.edges)+3*len(l.faces))
	for _, e := range l.edges {
		out = append(out, s.vertices[e[0]], s.vertices[e[1]])
	}
	for _, f := range l.faces {
		for _, v := range s.faces[f] {
			out = append(out, s.vertices[v])
		}
	}
	return out
}

// maxDistance limits the distance of drawn points from the middle of the box. The unit is half the
// size of the box. If a picture shows a point at this distance, the box is about a thousandth of a
// pixel wide.
const maxDistance = 1 << 20 // tuning

// frame maps positions to coordinates of pictures. The middle of the box becomes the origin. Half
// the longest side of the box becomes a length in (1/2, 1].
type frame struct {
	center r3.Vector
	scale  float64 // a power of two, so that scaling is exact
}

// newFrame returns the frame of a box. The scale is 1 for an empty box and for a single point.
func newFrame(b bvh.Box) frame {
	if b.Empty() {
		return frame{scale: 1}
	}
	// Halving the coordinates first prevents overflow.
	lo, hi := b.Min.Mul(0.5), b.Max.Mul(0.5)
	half := vec.MaxAbs(hi.Sub(lo))
	f := frame{center: lo.Add(hi), scale: 1}
	if half > 0 {
		m, e := math.Frexp(half) // half = m·2^e with m in [1/2, 1)
		if m == 0.5 {
			e--
		}
		f.scale = math.Ldexp(1, e)
	}
	return f
}

func (f frame) local(p r3.Vector) [3]float32 {
	d := p.Sub(f.center)
	return [3]float32{float32(d.X / f.scale), float32(d.Y / f.scale), float32(d.Z / f.scale)}
}

// near reports whether p is finite and near enough to be drawn.
func (f frame) near(p r3.Vector) bool {
	limit := maxDistance * f.scale
	d := p.Sub(f.center)
	return math.Abs(d.X) <= limit && math.Abs(d.Y) <= limit && math.Abs(d.Z) <= limit
}

func axis(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }

// MaxTriangles is the default limit of the drawn triangles of a mesh. A page needs about 24 bytes
// for each triangle. To render one picture, the page draws each triangle three times.
const MaxTriangles = 2_000_000 // tuning

type surface struct {
	vertices [][3]float32
	faces    [][3]uint32
	reduced  bool
	origin   []int32 // face of the subject for each triangle; nil if reduced
	label    []int32 // body of each triangle; nil if there is one body
}

// newSurface returns the triangles of m to draw. If m has too many triangles, newSurface merges the
// vertices in each cube of a grid (Rossignac, Borrel 1993). Errors: the error of ctx.
func newSurface(ctx context.Context, m *subject, f frame, limit int) (surface, error) {
	var s surface
	s.vertices = make([][3]float32, len(m.vertices))
	for i, v := range m.vertices {
		s.vertices[i] = f.local(v)
	}
	s.faces, s.origin = make([][3]uint32, 0, len(m.faces)), make([]int32, 0, len(m.faces))
	for i, t := range m.faces {
		if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
			s.faces = append(s.faces, [3]uint32{uint32(t[0]), uint32(t[1]), uint32(t[2])})
			s.origin = append(s.origin, int32(i))
			if m.label != nil {
				s.label = append(s.label, m.label[i])
			}
		}
	}
	if len(s.faces) <= limit {
		return s, ctx.Err()
	}
	// A smooth surface intersects about 3n² of n³ cubes. Each of these has about two triangles.
	for n := max(1, int(math.Sqrt(float64(limit)/6))*2); ; n = max(1, n*4/5) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if c := s.clustered(n); len(c.faces) <= limit {
			return c, nil
		} else if n == 1 {
			c.faces = c.faces[:limit]
			if c.label != nil {
				c.label = c.label[:limit]
			}
			return c, nil
		}
	}
}

// clustered merges the vertices in each cube into their mean, for 2n cubes along each axis.
func (s surface) clustered(n int) surface {
	type member struct {
		cube   uint64
		vertex uint32
	}
	members := make([]member, len(s.vertices))
	for i, v := range s.vertices {
		cube := uint64(0)
		for _, x := range v {
			// An index of a cube needs at most 21 bits, because |x| ≤ 1 and n < 2²⁰.
			cube = cube<<21 | uint64(math.Floor((float64(x)+1)*float64(n)))
		}
		members[i] = member{cube, uint32(i)}
	}
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.cube, b.cube), cmp.Compare(a.vertex, b.vertex))
	})
	out := surface{reduced: true}
	to := make([]uint32, len(s.vertices))
	for rest := members; len(rest) > 0; {
		var sum [3]float64
		k := 0
		for ; k < len(rest) && rest[k].cube == rest[0].cube; k++ {
			to[rest[k].vertex] = uint32(len(out.vertices))
			for j, x := range s.vertices[rest[k].vertex] {
				sum[j] += float64(x)
			}
		}
		m := float64(k)
		out.vertices = append(out.vertices, [3]float32{float32(sum[0] / m), float32(sum[1] / m), float32(sum[2] / m)})
		rest = rest[k:]
	}
	type labeled struct {
		face  [3]uint32
		label int32
	}
	var faces []labeled
	for i, t := range s.faces {
		a, b, c := to[t[0]], to[t[1]], to[t[2]]
		if a == b || b == c || c == a {
			continue
		}
		for b < a || c < a { // begin with the smallest vertex, so that copies of a triangle are equal
			a, b, c = b, c, a
		}
		l := labeled{face: [3]uint32{a, b, c}}
		if s.label != nil {
			l.label = s.label[i]
		}
		faces = append(faces, l)
	}
	slices.SortFunc(faces, func(a, b labeled) int {
		return cmp.Or(cmp.Compare(a.label, b.label), slices.Compare(a.face[:], b.face[:]))
	})
	for i, l := range faces {
		if i > 0 && l == faces[i-1] {
			continue
		}
		out.faces = append(out.faces, l.face)
		if s.label != nil {
			out.label = append(out.label, l.label)
		}
	}
	return out
}
