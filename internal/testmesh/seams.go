package testmesh

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Seamed returns a surface of nu × nv squares, each divided into two triangles. point maps the
// parameters u and v, from 0 to 1, to the surface. If ∂point/∂u × ∂point/∂v points outward, the
// squares are counterclockwise seen from outside. As in the geometries of three.js and in files of
// scanners, the two sides of a seam have vertices of their own, and the coordinates are float32
// numbers. Where u = 0 and u = 1 are the same place, the two vertices can differ by rounding. If
// poles is true, v = 0 and v = 1 are poles, and the triangles with an edge there are left out.
func Seamed(nu, nv int, poles bool, point func(u, v float64) r3.Vector) mesh.Soup {
	var s mesh.Soup
	for j := range nv + 1 {
		for i := range nu + 1 {
			p := point(float64(i)/float64(nu), float64(j)/float64(nv))
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))})
		}
	}
	for j := range nv {
		for i := range nu {
			a := int32(j*(nu+1) + i)
			b, c, d := a+1, a+int32(nu)+2, a+int32(nu)+1
			if !poles || j > 0 {
				s.Faces = append(s.Faces, [3]int32{a, b, c})
			}
			if !poles || j < nv-1 {
				s.Faces = append(s.Faces, [3]int32{a, c, d})
			}
		}
	}
	return s
}

// SeamedSphere returns a Seamed unit sphere. Its equator has nu edges, and nv rows of squares lead from
// pole to pole.
func SeamedSphere(nu, nv int) mesh.Soup {
	return Seamed(nu, nv, true, func(u, v float64) r3.Vector {
		sin, cos := math.Sincos(u * 2 * math.Pi)
		radius, z := math.Sincos((1 - v) * math.Pi)
		return r3.Vector{X: radius * cos, Y: radius * sin, Z: z}
	})
}

// SeamedTorus returns a Seamed torus around the z axis. The circle in its middle has the radius 1.
func SeamedTorus(minorRadius float64, nu, nv int) mesh.Soup {
	return Seamed(nu, nv, false, func(u, v float64) r3.Vector {
		sin, cos := math.Sincos(u * 2 * math.Pi)
		sinV, cosV := math.Sincos(v * 2 * math.Pi)
		radius := 1 + minorRadius*cosV
		return r3.Vector{X: radius * cos, Y: radius * sin, Z: minorRadius * sinV}
	})
}
