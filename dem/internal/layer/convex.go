package layer

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// Surface is the surface of a body, divided into tiles.
type Surface struct {
	tiles  []tile
	tree   *bvh.Tree // tree over the boxes of the tiles, if there are many tiles
	radius float64   // largest distance of a point from the origin
}

// tile is a convex polygon.
type tile struct {
	points []r3.Vector
	center r3.Vector
	radius float64 // largest distance of a point from center
}

// Convex is a convex polyhedron.
type Convex struct {
	Surface
	vertices []r3.Vector // its corners
	planes   []plane     // its faces
	box      bvh.Box
	// slack bounds the distance of a vertex of a face from the plane of the face. A point outside
	// of the mesh is at most slack deep below the planes.
	slack float64
}

// Len returns the number of tiles.
func (s *Surface) Len() int { return len(s.tiles) }

// Radius returns the largest distance of a point of the surface from the origin.
func (s *Surface) Radius() float64 { return s.radius }

// Planes returns the number of faces, without regard to their division into triangles.
func (c *Convex) Planes() int { return len(c.planes) }

// add appends a tile.
func (s *Surface) add(points []r3.Vector) {
	t := tile{points: points}
	for _, p := range points {
		t.center = t.center.Add(scaled(1/float64(len(points)), p))
	}
	for _, p := range points {
		t.radius = max(t.radius, length(p.Sub(t.center)))
		s.radius = max(s.radius, length(p)*(1+0x1p-40))
	}
	t.radius *= 1 + 0x1p-40
	s.tiles = append(s.tiles, t)
}

// many is the number of tiles from which a tree is faster than a test of all of them. // tuning
const many = 48

// NewSurface returns the surface of a mesh, with its triangles as tiles. The frame has its origin at the
// given point of the frame of the mesh. Faces without area have no effect.
//
// Errors: the error of ctx.
func NewSurface(ctx context.Context, m *mesh.Mesh, origin r3.Vector) (*Surface, error) {
	s := &Surface{}
	boxes := make([]bvh.Box, len(m.Faces))
	for i := range m.Faces {
		t := m.Triangle(int32(i))
		boxes[i] = bvh.EmptyBox()
		points := make([]r3.Vector, 3)
		for k, p := range t {
			points[k] = p.Sub(origin)
			extend(&boxes[i], points[k])
		}
		s.add(points)
	}
	var err error
	if len(s.tiles) >= many {
		s.tree, err = bvh.Build(ctx, boxes, bvh.Options{MaxLeaf: 8})
	}
	return s, err
}

// noise is the relative error of the coordinates of a mesh that NewConvex expects: the error of a
// float32.
const noise = 0x1p-22

// NewConvex returns the convex polyhedron that a closed mesh with outward normals describes, or nil
// if the mesh is not convex. For each side of a face, across has the side of the neighboring face
// at the same edge, or −1. The origin of the frame is the given point of the frame of the mesh.
//
// Deviations that are as small as the rounding of coordinates in files do not matter: NewConvex
// unites faces in nearly one plane, and moves each plane outward so that it has all vertices on one
// side.
//
// NewConvex takes O(f·v) time for v vertices and f faces, where faces in one plane count once.
//
// Errors: the error of ctx.
func NewConvex(ctx context.Context, m *mesh.Mesh, across []int32, origin r3.Vector) (*Convex, error) {
	b := builder{mesh: m, across: across, points: make([]r3.Vector, len(m.Vertices))}
	largest := 0.
	box := bvh.EmptyBox()
	for i, v := range m.Vertices {
		b.points[i] = v.Sub(origin)
		largest = max(largest, math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
		extend(&box, b.points[i])
	}
	b.size = length(box.Max.Sub(box.Min))
	b.tolerance = max(noise*b.size, min(noise*largest, 1e-4*b.size))
	faces, area, err := b.faces(ctx)
	if err != nil || faces == nil {
		return nil, err
	}
	return b.build(faces, box, area), nil
}

// builder has the mesh of a convex polyhedron.
type builder struct {
	mesh      *mesh.Mesh
	across    []int32
	points    []r3.Vector // the vertices, in the frame of the body
	size      float64     // diagonal of the box
	tolerance float64
}

// face is a face of the polyhedron: triangles in one plane.
type face struct {
	plane
	vertices []int32
	slack    float64 // see Convex
}

// faces unites the triangles in one plane to a face. It also returns the area of the mesh. If the
// mesh is not convex, the list of faces is nil.
func (b *builder) faces(ctx context.Context) (faces []face, area float64, err error) {
	n := len(b.mesh.Faces)
	normals, areas := make([]r3.Vector, n), make([]float64, n)
	order := make([]int32, n)
	for i, f := range b.mesh.Faces {
		cross := b.points[f[1]].Sub(b.points[f[0]]).Cross(b.points[f[2]].Sub(b.points[f[0]]))
		areas[i], order[i] = length(cross), int32(i)
		area += areas[i] / 2
		if areas[i] > 0 {
			normals[i] = scaled(1/areas[i], cross)
		}
	}
	// Start with the largest triangles: of the triangles in a plane, the largest has the most
	// accurate normal.
	slices.SortFunc(order, func(i, j int32) int { return cmp.Or(cmp.Compare(areas[j], areas[i]), cmp.Compare(i, j)) })
	united := make([]bool, n)
	for k, seed := range order {
		if k%64 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if united[seed] || areas[seed] == 0 {
			continue
		}
		f := b.unite(seed, normals, united)
		// The normal of a narrow triangle is inexact.
		height := areas[seed] / b.longest(seed)
		allowed := min(b.tolerance*max(1, b.size/height), 1e-3*b.size)
		low := math.Inf(1)
		for _, v := range f.vertices {
			low = min(low, f.normal.Dot(b.points[v]))
		}
		f.offset = low
		for _, p := range b.points {
			if x := f.normal.Dot(p); x > f.offset {
				if f.offset = x; x > low+2*allowed {
					return nil, 0, nil
				}
			}
		}
		f.slack = f.offset - low
		faces = append(faces, f)
	}
	return faces, area, ctx.Err()
}

// longest returns the length of the longest side of a triangle.
func (b *builder) longest(i int32) (size float64) {
	f := b.mesh.Faces[i]
	for k := range f {
		size = max(size, length(b.points[f[k]].Sub(b.points[f[(k+1)%3]])))
	}
	return size
}

// unite returns the face that contains a triangle and the triangles around it in the same plane.
func (b *builder) unite(seed int32, normals []r3.Vector, united []bool) face {
	n := normals[seed]
	height := n.Dot(b.points[b.mesh.Faces[seed][0]])
	f := face{plane: plane{normal: n}}
	united[seed] = true
	for next := []int32{seed}; len(next) > 0; {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		f.vertices = append(f.vertices, b.mesh.Faces[i][:]...)
		for k := range int32(3) {
			j := b.across[3*i+k] / 3
			if b.across[3*i+k] < 0 || united[j] || normals[j].Dot(n) < 0 {
				continue
			}
			flat := true
			for _, v := range b.mesh.Faces[j] {
				flat = flat && math.Abs(n.Dot(b.points[v])-height) <= b.tolerance
			}
			if flat {
				united[j] = true
				next = append(next, j)
			}
		}
	}
	slices.Sort(f.vertices)
	f.vertices = slices.Compact(f.vertices)
	return f
}

// few is the largest number of faces for which a body gets two refinements: its faces are divided
// into tiles, and their normals are tried as directions of the slab. // tuning
const few = 24

// build returns the polyhedron that has the given faces. If the sum of their areas is not the area
// of the mesh, the mesh covers a face twice, and build returns nil.
func (b *builder) build(faces []face, box bvh.Box, area float64) *Convex {
	c := &Convex{box: box, slack: b.tolerance}
	corner := make([]bool, len(b.points))
	var polygons [][]r3.Vector
	areas, total := make([]float64, 0, len(faces)), 0.
	for i := range faces {
		f := &faces[i]
		loop := b.outline(f)
		c.planes, c.slack = append(c.planes, f.plane), max(c.slack, f.slack)
		if len(loop) < 3 {
			continue
		}
		polygon := make([]r3.Vector, len(loop))
		for k, v := range loop {
			// Move the corner into the plane of the face. The cuts of a polygon that is not flat
			// would depend on their order.
			p := b.points[v]
			polygon[k], corner[v] = p.Add(scaled(f.depth(p), f.normal)), true
		}
		polygons, areas = append(polygons, polygon), append(areas, areaOf(polygon))
		total += areas[len(areas)-1]
	}
	if math.Abs(total-area) > 1e-2*area {
		return nil
	}
	for v, is := range corner {
		if is {
			c.vertices = append(c.vertices, b.points[v])
		}
	}
	for i, polygon := range polygons {
		if areas[i]*few*2 < total {
			c.add(polygon)
			continue
		}
		for _, part := range divided(polygon) {
			c.add(part)
		}
	}
	return c
}

// outline returns the convex hull of a face as a counterclockwise list of vertices (Andrew 1979,
// "Another efficient algorithm for convex hulls in two dimensions").
func (b *builder) outline(f *face) (loop []int32) {
	u := f.normal.Ortho()
	v := f.normal.Cross(u)
	type place struct {
		x, y   float64
		vertex int32
	}
	places := make([]place, len(f.vertices))
	for i, k := range f.vertices {
		places[i] = place{u.Dot(b.points[k]), v.Dot(b.points[k]), k}
	}
	slices.SortFunc(places, func(p, q place) int {
		return cmp.Or(cmp.Compare(p.x, q.x), cmp.Compare(p.y, q.y), cmp.Compare(p.vertex, q.vertex))
	})
	// left reports whether r is to the left of the line from p to q by more than the tolerance.
	// Then q is a corner of a counterclockwise loop.
	left := func(p, q, r place) bool {
		x, y := r.x-p.x, r.y-p.y
		return float64((q.y-p.y)*x)-float64((q.x-p.x)*y) < -b.tolerance/4*math.Hypot(x, y)
	}
	half := func() (chain []place) {
		for _, r := range places {
			for len(chain) > 1 && !left(chain[len(chain)-2], chain[len(chain)-1], r) {
				chain = chain[:len(chain)-1]
			}
			chain = append(chain, r)
		}
		return chain[:len(chain)-1]
	}
	lower := half()
	slices.Reverse(places)
	for _, p := range append(lower, half()...) {
		loop = append(loop, p.vertex)
	}
	return loop
}

func areaOf(polygon []r3.Vector) float64 {
	var sum r3.Vector
	for i := 2; i < len(polygon); i++ {
		sum = sum.Add(polygon[i-1].Sub(polygon[0]).Cross(polygon[i].Sub(polygon[0])))
	}
	return length(sum) / 2
}

// sectors is the largest number of tiles of one face.
const sectors = 6

// divided divides a convex polygon into tiles around its center. A tile of a polygon with few corners contains
// one corner.
func divided(polygon []r3.Vector) (parts [][]r3.Vector) {
	n := len(polygon)
	var center r3.Vector
	for _, p := range polygon {
		center = center.Add(scaled(1/float64(n), p))
	}
	between := func(i int) r3.Vector { return scaled(.5, polygon[i%n].Add(polygon[(i+1)%n])) }
	count := min(n, sectors)
	for k := range count {
		first, last := k*n/count, (k+1)*n/count // corners first+1 to last, and the middles of the sides around them
		part := []r3.Vector{center, between(first)}
		for i := first + 1; i <= last; i++ {
			part = append(part, polygon[i%n])
		}
		parts = append(parts, append(part, between(last)))
	}
	return parts
}

// Checksum returns a checksum of the corners and the planes.
func (c *Convex) Checksum() uint32 {
	sum := crc32.NewIEEE()
	_ = binary.Write(sum, binary.LittleEndian, c.vertices) // a hash accepts everything
	for i := range c.planes {
		_ = binary.Write(sum, binary.LittleEndian, c.planes[i].normal)
	}
	return sum.Sum32()
}
