package browser

import (
	"bytes"
	"path/filepath"
	"testing"
)

func TestPage(t *testing.T) {
	c := start(t)
	t.Run("MeshThenPoints", func(t *testing.T) {
		b := c.open(t, 1360, 850, false, false)
		b.shot("empty")
		mesh, points := filepath.Join(c.data, "knot.stl"), filepath.Join(c.data, "points.csv")
		b.drop(mesh)
		b.settle()
		b.shot("mesh")
		b.drop(points)
		b.settle()
		b.shot("points")
		want, _ := c.stats(t, mesh, points)
		if got := b.counts(); got != want {
			t.Errorf("counts %v, want %v", got, want)
		}
		_, out := c.stats(t, mesh, points)
		if got := b.saved("#download", "points-inside.csv"); !bytes.Equal(got, out) {
			t.Errorf("the saved file has %d bytes and differs from the %d bytes of the command", len(got), len(out))
		}
		t.Log(b.errors, b.requests)
	})
}
