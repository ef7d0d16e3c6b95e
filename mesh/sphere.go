package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// ErrOption reports an option of Sphere or Foam that is out of range.
var ErrOption = errors.New("option is out of range")

// MaxRefine is the largest number of refinement steps of a sphere. With one more step, the sphere
// would have more than MaxFaces faces.
const MaxRefine = 13

// MinLength and MaxLength are the limits of the radius of a sphere and of the edge length of a foam.
// They lie well inside the normal range of float32. So even small coordinates of a Sphere or a Foam
// have 24 significant bits, and no two vertices coincide after rounding to float32.
const (
	MinLength = 0x1p-100
	MaxLength = 0x1p100
)

// SphereOptions describes a sphere. The zero value is the octahedron with the radius 1.
type SphereOptions struct {
	// Refine is the number of refinement steps, from 0 to MaxRefine.
	Refine int
	// Radius is the distance of the vertices from the origin, from MinLength to MaxLength. It has
	// the unit of the coordinates. 0 means 1.
	Radius float64
	// Progress, if it is not nil, is called after each step. done is the number of triangles so
	// far, and total is the number of triangles of the finished sphere.
	Progress func(done, total int64)
}

// Faces returns the number of triangles of the sphere, 8·4^Refine, or 0 if Refine is out of range.
func (opt SphereOptions) Faces() int64 {
	if opt.Refine < 0 || opt.Refine > MaxRefine {
		return 0
	}
	return 8 << (2 * opt.Refine)
}

// Check returns an error that wraps ErrOption if an option is out of range.
func (opt SphereOptions) Check() error {
	if opt.Faces() == 0 {
		return fmt.Errorf("refine %d: %w: must be from 0 to %d", opt.Refine, ErrOption, MaxRefine)
	}
	return checkLength("radius", opt.Radius)
}

// Sphere returns a sphere around the origin as a closed mesh with outward normals. It has 8·4^Refine
// triangles and 4·4^Refine + 2 vertices. These are the spheres of Muth, Of, Eberhard, Steinbach 2006,
// §3.1: each step divides every triangle of an octahedron into four and projects the new vertices onto
// the sphere.
//
// The distance of each vertex from the origin differs from Radius by at most 8·2⁻⁵³·Radius. The mesh
// is inside the ball. Its volume is less than 4/3·π·Radius³, and each step divides the difference by
// about 4. The same options give the same mesh, bit for bit, on every platform.
//
// Sphere takes O(4^Refine) time and memory. Errors: ErrOption; the error of ctx if ctx ends first.
func Sphere(ctx context.Context, opt SphereOptions) (*Mesh, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	r := cmp.Or(opt.Radius, 1)
	m, err := NewOwned(ctx, Soup{
		Vertices: []r3.Vector{{X: r}, {X: -r}, {Y: r}, {Y: -r}, {Z: r}, {Z: -r}},
		Faces:    [][3]int32{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}},
	}, Options{})
	project := func(p r3.Vector) r3.Vector {
		// The conversions forbid fused operations, whose results differ.
		n := math.Sqrt(float64(p.X*p.X) + float64(p.Y*p.Y) + float64(p.Z*p.Z))
		return r3.Vector{X: p.X / n * r, Y: p.Y / n * r, Z: p.Z / n * r} // more accurate than p.Mul(r/n)
	}
	for range opt.Refine {
		if err != nil {
			return nil, err
		}
		m, err = m.Refined(ctx, project)
		if err == nil && opt.Progress != nil {
			opt.Progress(int64(m.NumFaces()), opt.Faces())
		}
	}
	return m, err
}

// checkLength returns an error if the value of an option that is a length is neither 0 nor in range.
func checkLength(name string, x float64) error {
	if x != 0 && !(x >= MinLength && x <= MaxLength) {
		return fmt.Errorf("%s %g: %w: must be from %.3g to %.3g", name, x, ErrOption, MinLength, MaxLength)
	}
	return nil
}
