package mesh

import (
	"context"
	"math"
)

// measurePrecision compares the coordinates with the float32 numbers that most
// mesh formats store, and with the size of the mesh.
func (d *Diagnosis) measurePrecision(ctx context.Context, m *Mesh) error {
	d.Float32 = true
	largest := 0.0
	err := inOrder(ctx, len(m.Vertices), func(lo, hi int) error {
		l, single := largest, d.Float32
		for _, p := range m.Vertices[lo:hi] {
			l = max(l, math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z))
			single = single && isFloat32(p.X) && isFloat32(p.Y) && isFloat32(p.Z)
		}
		largest, d.Float32 = l, single
		return nil
	})
	d.Float32Spacing = float32Spacing(largest)
	if len(m.Vertices) > 0 {
		f := newFrame(m.box)
		d.Size = math.Ldexp(length(f.difference(m.box.Max, m.box.Min)), f.exponent)
	}
	return err
}

// isFloat32 reports whether x survives a round trip through float32.
func isFloat32(x float64) bool { return float64(float32(x)) == x }

// float32Spacing returns the distance of neighboring float32 numbers at x ≥ 0, as
// if their exponent had no upper limit: 2^(e−24) for x in [2^(e−1), 2^e), at least
// 2^−149, the smallest subnormal.
func float32Spacing(x float64) float64 {
	_, e := math.Frexp(x)
	if x == 0 {
		e = -149
	}
	return math.Ldexp(1, max(e-24, -149))
}
