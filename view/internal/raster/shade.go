package raster

import (
	"math"

	"github.com/golang/geo/r3"
)

// Light moves with the viewer: X is to the right, Y is up, Z points away from the viewer.
var (
	keyLight  = r3.Vector{X: -0.45, Y: 0.75, Z: -0.62}.Normalize()
	fillLight = r3.Vector{X: 0.8, Y: 0.05, Z: -0.5}.Normalize()
)

// The shares of the lights were chosen by looking at pictures. The sum of the first four is 1 for a
// surface that faces the key light, approximately.
const (
	ambient   = 0.26
	skyLight  = 0.14 // share of the light from above
	keyShare  = 0.62
	fillShare = 0.16
	gloss     = 0.10
	glossPow  = 36
)

// light returns the diffuse and the glossy light on a surface with unit normal n that faces the
// viewer. The unit vector v points toward the viewer.
func light(n, v r3.Vector) (diffuse, glossy float64) {
	diffuse = ambient + skyLight*(0.5+0.5*n.Y) + keyShare*max(0, n.Dot(keyLight)) + fillShare*max(0, n.Dot(fillLight))
	if half := keyLight.Add(v).Normalize(); n.Dot(half) > 0 {
		glossy = gloss * math.Pow(n.Dot(half), glossPow)
	}
	return diffuse, glossy
}

// shade returns the fragment of a triangle at the center of a pixel, without the depth.
func (t *tile) shade(s *triangle, p *paint, x, y int, area float64) fragment {
	if !p.lit && p.texture == nil && t.scene.Fog.Share == 0 {
		return newFragment(p.color, p.opacity, p.line)
	}
	// The center of the pixel can lie outside the triangle, so the weights are clamped.
	var w [3]float64
	sum := 0.0
	for k := range w {
		w[k] = max(0, float64(s.edge(k, int64(x*unit+unit/2), int64(y*unit+unit/2)))/area) * float64(s.near[k])
		sum += w[k]
	}
	depth := 0.0
	var n r3.Vector
	for k := range w {
		w[k] /= sum
		depth += w[k] / float64(s.near[k])
		n = n.Add(vector(s.normal[k]).Mul(w[k]))
	}
	v := t.ray(x, y)
	color, opacity := p.color, p.opacity
	switch {
	case p.texture != nil:
		c := &t.camera
		back := v.Mul(depth / v.Z) // from the viewer to the surface
		at := c.Eye.Add(c.Right.Mul(back.X)).Add(c.Up.Mul(back.Y)).Sub(c.Back.Mul(back.Z))
		var share float32
		color, share = p.texture(at)
		opacity *= share
	case p.lit:
		n = unitVector(n)
		facing := n.Dot(v)
		if facing < 0 { // the interpolated normal of a face that the viewer hardly sees
			n, facing = unitVector(n.Sub(v.Mul(facing))), 0
		}
		if p.rim > opacity {
			side := 1 - facing
			opacity += (p.rim - opacity) * float32(side*side*side)
		}
		color = lit(color, n, v)
	}
	return newFragment(t.fogged(color, depth), opacity, p.line)
}

func lit(c Color, n, v r3.Vector) Color {
	diffuse, glossy := light(n, v)
	for k := range c {
		c[k] = c[k]*float32(diffuse) + float32(glossy)
	}
	return c
}

func (t *tile) shadeBall(b *ball, x, y int) fragment {
	dx, dy := (float64(x)+0.5-b.x)/b.radius, (float64(y)+0.5-b.y)/b.radius
	if r := math.Hypot(dx, dy); r > 1 {
		dx, dy = dx/r, dy/r
	}
	n := r3.Vector{X: dx, Y: -dy, Z: -math.Sqrt(max(0, 1-dx*dx-dy*dy))}
	v := t.ray(x, y)
	if n.Dot(v) < 0 { // at the rim
		n = n.Sub(v.Mul(n.Dot(v)))
	}
	diffuse, glossy := light(unitVector(n), v)
	color := b.color
	for k := range color {
		// Balls get more ambient light than meshes, because their colors have a meaning.
		color[k] = color[k]*float32(0.35+0.75*diffuse) + float32(glossy)
	}
	return newFragment(t.fogged(color, b.depth), b.opacity, 0)
}

// fogged mixes the background into a color at a depth.
func (t *tile) fogged(c Color, depth float64) Color {
	f := &t.scene.Fog
	if f.Share == 0 || depth <= f.From {
		return c
	}
	share := f.Share
	if depth < f.To {
		share *= (depth - f.From) / (f.To - f.From)
	}
	return Mix(c, t.scene.Background, float32(share))
}

func newFragment(c Color, opacity float32, line int32) fragment {
	opacity = min(1, max(0, opacity))
	f := fragment{opacity: uint16(opacity*full + 0.5), line: int16(line)}
	for k, v := range c {
		f.light[k] = uint16(min(1, max(0, v))*opacity*full + 0.5)
	}
	return f
}

// scaled returns f with its opacity multiplied by a factor in [0, 1].
func (f fragment) scaled(factor float32) fragment {
	f.opacity = uint16(float32(f.opacity) * factor)
	for k := range f.light {
		f.light[k] = uint16(float32(f.light[k]) * factor)
	}
	return f
}
