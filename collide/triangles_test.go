package collide

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// touchTwin decides in rational arithmetic whether t and u share a point Σλ_i t_i = Σμ_j u_j. All
// λ_i and μ_j are at least 0, and Σλ_i = Σμ_j = 1. This linear system has one column for each λ_i
// and μ_j. If a solution exists, a solution with linearly independent columns exists
// (Carathéodory). So touchTwin tries all sets of columns.
func touchTwin(t, u mesh.Triangle) bool {
	const rows, columns = 5, 6
	var a [rows][columns + 1]*big.Rat
	for c := range columns {
		v, sign := t[c%3], 1.0
		if c >= 3 {
			v, sign = u[c-3], -1
		}
		entries := [rows]float64{sign * v.X, sign * v.Y, sign * v.Z, 0, 0}
		entries[3+c/3] = 1
		for r, x := range entries {
			a[r][c] = new(big.Rat).SetFloat64(x)
		}
	}
	for r := range rows {
		a[r][columns] = new(big.Rat)
	}
	a[3][columns].SetInt64(1)
	a[4][columns].SetInt64(1)
	for set := 1; set < 1<<columns; set++ {
		if set&7 != 0 && set>>3 != 0 && basic(&a, set) {
			return true
		}
	}
	return false
}

// basic reports whether the columns in columnSet are linearly independent and the system has a
// solution without negative components in these columns.
func basic(a *[5][7]*big.Rat, columnSet int) bool {
	var m [5][]*big.Rat
	var columns []int
	for c := range 6 {
		if columnSet>>c&1 != 0 {
			columns = append(columns, c)
		}
	}
	columns = append(columns, 6)
	for r := range m {
		for _, c := range columns {
			m[r] = append(m[r], new(big.Rat).Set(a[r][c]))
		}
	}
	n := len(columns) - 1
	if n > len(m) {
		return false
	}
	for c := range n {
		pivot := c
		for pivot < len(m) && m[pivot][c].Sign() == 0 {
			pivot++
		}
		if pivot == len(m) {
			return false
		}
		m[c], m[pivot] = m[pivot], m[c]
		for r := range m {
			if r == c || m[r][c].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(m[r][c], m[c][c])
			for k := c; k <= n; k++ {
				m[r][k].Sub(m[r][k], new(big.Rat).Mul(f, m[c][k]))
			}
		}
	}
	for r := range m {
		if r >= n && m[r][n].Sign() != 0 || r < n && m[r][n].Sign()*m[r][r].Sign() < 0 {
			return false
		}
	}
	return true
}

func tri(c ...float64) mesh.Triangle {
	return mesh.Triangle{{X: c[0], Y: c[1], Z: c[2]}, {X: c[3], Y: c[4], Z: c[5]}, {X: c[6], Y: c[7], Z: c[8]}}
}

func TestTrianglesTouchNamed(t *testing.T) {
	base := tri(0, 0, 0, 4, 0, 0, 0, 4, 0)
	for _, c := range []struct {
		name string
		u    mesh.Triangle
		want bool
	}{
		{"itself", base, true},
		{"turned over", tri(0, 4, 0, 4, 0, 0, 0, 0, 0), true},
		{"above", tri(0, 0, 1, 4, 0, 1, 0, 4, 1), false},
		{"the smallest step above", tri(0, 0, 5e-324, 4, 0, 5e-324, 0, 4, 5e-324), false},
		{"pierced", tri(1, 1, -1, 1, 1, 1, 9, 9, 1), true},
		{"beside the longest edge by an ulp", tri(2, math.Nextafter(2, 3), -1, 2, math.Nextafter(2, 3), 1, 9, 9, 0), false},
		{"through the longest edge", tri(2, 2, -1, 2, 2, 1, 9, 9, 0), true},
		{"through a corner", tri(4, 0, -1, 4, 0, 1, 9, 0, 0), true},
		{"corner on the face", tri(1, 1, 0, 1, 1, 1, 2, 1, 1), true},
		{"corner on a corner", tri(0, 0, 0, -1, 0, 1, 0, -1, 1), true},
		{"corner on an edge", tri(2, 0, 0, 2, -1, 1, 3, -1, 1), true},
		{"edge along an edge", tri(1, 0, 0, 3, 0, 0, 2, 0, 5), true},
		{"edge beyond an edge", tri(5, 0, 0, 6, 0, 0, 5, 0, 5), false},
		{"edge in the plane, across", tri(-1, 1, 0, 5, 1, 0, 2, 1, 3), true},
		{"edge in the plane, beside", tri(-1, 5, 0, 5, 5, 0, 2, 5, 3), false},
		{"coplanar, inside", tri(1, 1, 0, 2, 1, 0, 1, 2, 0), true},
		{"coplanar, around", tri(-9, -9, 0, 40, -9, 0, -9, 40, 0), true},
		{"coplanar, a star", tri(-1, 2, 0, 3, -1, 0, 3, 3, 0), true},
		{"coplanar, corners meet", tri(4, 0, 0, 5, 0, 0, 5, 1, 0), true},
		{"coplanar, apart", tri(4, 4, 0, 5, 4, 0, 4, 5, 0), false},
		{"coplanar, apart within the box", tri(3, 3, 0, 4, 3, 0, 3, 4, 0), false},
		{"point on the face", tri(1, 1, 0, 1, 1, 0, 1, 1, 0), true},
		{"point above", tri(1, 1, 1, 1, 1, 1, 1, 1, 1), false},
		{"point in the plane, outside", tri(3, 3, 0, 3, 3, 0, 3, 3, 0), false},
		{"segment through", tri(1, 1, -1, 1, 1, 1, 1, 1, 0), true},
		{"segment in the plane, across", tri(-1, 1, 0, 5, 1, 0, 2, 1, 0), true},
		{"segment in the plane, beside", tri(4, 1, 0, 1, 4, 0, 2.5, 2.5, 0), false},
		{"segment ends on the face", tri(1, 1, 0, 1, 1, 3, 1, 1, 2), true},
	} {
		checkTouch(t, c.name, base, c.u, c.want)
	}
	line := tri(0, 0, 0, 1, 1, 1, 2, 2, 2)
	checkTouch(t, "segments cross", line, tri(0, 2, 1, 1, 1, 1, 2, 0, 1), true)
	checkTouch(t, "segments cross without a corner", line, tri(0, 3, 1.5, 3, 0, 1.5, 3, 0, 1.5), true)
	checkTouch(t, "segments are skew", line, tri(0, 2, 1.5, 2, 0, 1.25, 2, 0, 1.25), false)
	checkTouch(t, "segments overlap on a line", line, tri(1.5, 1.5, 1.5, 3, 3, 3, 3, 3, 3), true)
	checkTouch(t, "segments apart on a line", line, tri(2.5, 2.5, 2.5, 3, 3, 3, 3, 3, 3), false)
}

// checkTouch compares TrianglesTouch and touchTwin with want. For TrianglesTouch, it tries both
// orders of the triangles and all orders of their corners.
func checkTouch(t *testing.T, name string, a, b mesh.Triangle, want bool) {
	t.Helper()
	if twin := touchTwin(a, b); twin != want {
		t.Fatalf("%s: the twin says %v, want %v: %v %v", name, twin, want, a, b)
	}
	for i := range 6 {
		p := order(a, i)
		for j := range 6 {
			q := order(b, j)
			if TrianglesTouch(p, q) != want || TrianglesTouch(q, p) != want {
				t.Fatalf("%s: got %v %v, want %v: %v %v", name, TrianglesTouch(p, q), TrianglesTouch(q, p), want, p, q)
			}
		}
	}
}

func order(t mesh.Triangle, i int) mesh.Triangle {
	if i >= 3 {
		t[0], t[1] = t[1], t[0]
	}
	return mesh.Triangle{t[i%3], t[(i+1)%3], t[(i+2)%3]}
}

// TestTrianglesTouchRandom compares TrianglesTouch with touchTwin on random triangles. Many corners
// are on a line, in a plane, or on a coarse grid, where planes, edges and corners coincide. Some
// coordinates are moved by an ulp. Some triangles are scaled to the limits of float64.
func TestTrianglesTouchRandom(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 300
	}
	if os.Getenv("INPOLY_FULL") != "" {
		n = 200_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	touching := 0
	for i := range n {
		size, flat := 2+r.IntN(4), r.IntN(4) == 0
		scale := []float64{1, 1, 1, 1e-150, 1e150, 1e-300}[r.IntN(6)]
		var c [18]float64
		for k := range c {
			c[k] = float64(r.IntN(size)) * scale
			if flat && k%3 == 2 {
				c[k] = c[1]
			}
			if r.IntN(40) == 0 {
				c[k] = math.Nextafter(c[k], r.NormFloat64())
			}
			if i%5 == 0 {
				c[k] = r.NormFloat64() * scale
			}
		}
		a, b := tri(c[:9]...), tri(c[9:]...)
		want := touchTwin(a, b)
		if want {
			touching++
		}
		if got, back := TrianglesTouch(a, b), TrianglesTouch(b, a); got != want || back != want {
			t.Fatalf("case %d: got %v and %v, want %v: %v %v", i, got, back, want, a, b)
		}
	}
	if touching < n/10 || touching > n*9/10 {
		t.Errorf("%d of %d touch: the cases say little", touching, n)
	}
}

func FuzzTrianglesTouch(f *testing.F) {
	f.Add(0., 0., 0., 4., 0., 0., 0., 4., 0., 1., 1., -1., 1., 1., 1., 9., 9., 1.)
	f.Add(0., 0., 0., 1., 1., 1., 2., 2., 2., 0., 2., 1., 1., 1., 1., 2., 0., 1.)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s float64) {
		v := []float64{a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s}
		for _, x := range v {
			if math.IsNaN(x) || math.Abs(x) > 1e300 {
				t.Skip("not finite, or too large")
			}
		}
		x, y := tri(v[:9]...), tri(v[9:]...)
		if got, want := TrianglesTouch(x, y), touchTwin(x, y); got != want {
			t.Errorf("got %v, want %v: %v %v", got, want, x, y)
		}
	})
}

func BenchmarkTrianglesTouch(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, scale := range []float64{1, 0.2} {
		var ts [1024]mesh.Triangle
		for i := range ts {
			at := r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}
			for k := range ts[i] {
				ts[i][k] = at.Add(r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}.Mul(scale))
			}
		}
		b.Run(fmt.Sprintf("size=%g", scale), func(b *testing.B) {
			i := 0
			for b.Loop() {
				TrianglesTouch(ts[i&1023], ts[(i*7+1)&1023])
				i++
			}
		})
	}
}
