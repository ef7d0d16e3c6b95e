package raster

import (
	"math"
	"sync"

	"github.com/golang/geo/r3"
)

// Color is a color in linear light. Each component is in [0, 1].
type Color [3]float32

// SRGB converts from 8-bit sRGB (IEC 61966-2-1).
func SRGB(r, g, b uint8) Color {
	return Color{linear(r), linear(g), linear(b)}
}

func linear(v uint8) float32 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return float32(x / 12.92)
	}
	return float32(math.Pow((x+0.055)/1.055, 2.4))
}

// Mix returns (1−t)·a + t·b.
func Mix(a, b Color, t float32) Color {
	var out Color
	for k := range out {
		out[k] = a[k] + (b[k]-a[k])*t
	}
	return out
}

// encoded maps linear light, in steps of 1/(len−1), to 8-bit sRGB. The steps are so small that no
// 8-bit value is skipped: the steepest slope of the curve is 12.92·255 for each unit.
var encoded = sync.OnceValue(func() *[1 << 14]uint8 {
	var out [1 << 14]uint8
	for i := range out {
		x := float64(i) / float64(len(out)-1)
		if x <= 0.0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(255 * x))
	}
	return &out
})

func encode(x float32) uint8 {
	table := encoded()
	return table[int(min(1, max(0, x))*float32(len(table)-1)+0.5)]
}

// Camera is a perspective projection. Right, Up and Back are orthonormal. Back points from the
// scene toward the viewer.
type Camera struct {
	Right, Up, Back r3.Vector
	Eye             r3.Vector  // position of the viewer
	Focal           float64    // pixels of a length 1 at depth 1
	Middle          [2]float64 // pixel coordinates of the direction −Back
	Near            float64    // nearest drawn depth, greater than 0
}

// view returns the coordinates of p to the right, up and away from the viewer.
func (c *Camera) view(p r3.Vector) r3.Vector {
	return c.direction(p.Sub(c.Eye))
}

func (c *Camera) direction(d r3.Vector) r3.Vector {
	return r3.Vector{X: d.Dot(c.Right), Y: d.Dot(c.Up), Z: -d.Dot(c.Back)}
}

// Project returns the pixel coordinates and the depth of p. The pixel coordinates have no meaning if
// the depth is less than Near.
func (c *Camera) Project(p r3.Vector) (x, y, depth float64) {
	v := c.view(p)
	return c.Middle[0] + c.Focal*v.X/v.Z, c.Middle[1] - c.Focal*v.Y/v.Z, v.Z
}

// Scene is a picture to draw. Objects are drawn in the order of their depths. Faces and lines whose depths
// are equal are drawn in the order of their nearest corners, then in the order of the fields and of the
// lists, and before balls.
type Scene struct {
	Width, Height int // in pixels, from 1 to MaxSize
	Camera        Camera
	Background    Color
	Fog           Fog
	Meshes        []Mesh
	Lines         []Lines
	Balls         []Balls
}

// MaxSize is the largest width or height of a picture. With this limit, products of coordinates do
// not overflow; see guard.
const MaxSize = 16384

// Fog mixes the background into distant objects. The share of the background increases linearly
// from 0 at depth From to Share at depth To.
type Fog struct {
	From, To, Share float64
}

// Mesh is a set of triangles with lighting.
type Mesh struct {
	Vertices [][3]float32
	Faces    [][3]uint32
	Normals  [][3]float32 // unit normals of the corners, three for each face; nil selects the normals of the faces
	Color    Color
	Back     *Color // color of the back sides, from which the corners are in clockwise order; nil selects Color
	// Opacity is in (0, 1]. The parts of a translucent mesh that face sideways have opacity Rim, or
	// Opacity if Rim is smaller.
	Opacity, Rim float32
	Lift         float64    // relative decrease of the depth, for triangles that lie on other triangles
	Clip         *HalfSpace // draws only the part in the half-space; the error of the limit is about 2⁻⁵³ of the size of a triangle
	// Texture replaces Color and the lighting if it is not nil. It returns the color and the opacity
	// at a point of the mesh.
	Texture func(p r3.Vector) (Color, float32)
}

// HalfSpace is the set of the points p with Normal·p ≤ Offset.
type HalfSpace struct {
	Normal r3.Vector
	Offset float64
}

// Lines is a set of segments with a width in pixels.
type Lines struct {
	Ends    [][2][3]float32
	Width   float64
	Color   Color
	Opacity float32
	Hidden  float32 // opacity where opaque objects hide a line
	Lift    float64 // relative decrease of the depth
	Clip    *HalfSpace
}

// Balls is a set of balls of equal radius.
type Balls struct {
	Centers [][3]float32
	Radius  float64
	MinSize float64 // smallest drawn radius in pixels
	Color   Color
	Opacity float32
}

func vector(p [3]float32) r3.Vector {
	return r3.Vector{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
}
