package apitest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// farDirections returns directions from the origin in the frame of a mesh: axes, directions in the planes
// and along the edges of faces, and random directions.
func farDirections(r *rand.Rand, m *mesh.Mesh) []r3.Vector {
	list := []r3.Vector{{X: 1}, {Y: -1}, {Z: 1}, {X: 1, Y: 1, Z: 1}, {X: -1, Z: 1e-9}}
	t := m.Triangle(int32(r.IntN(m.NumFaces())))
	list = append(list, t[1].Sub(t[0]), t[1].Sub(t[0]).Add(t[2].Sub(t[0]).Mul(0.25)))
	for range 3 {
		list = append(list, r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()})
	}
	return list
}

// TestPosedFar compares posed meshes with the twin at points up to 1e300 times their size away. It also
// compares precise winding numbers: a ray from such a point has its end far from the mesh, too.
func TestPosedFar(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 4))
	open := testmesh.UnitCube()
	open.Faces = open.Faces[:len(open.Faces)-1]
	meshes := []struct {
		name string
		m    *mesh.Mesh
	}{
		{"cube", testmesh.Mesh(testmesh.UnitCube())},
		{"open cube", testmesh.Mesh(open)},
		{"triangle", testmesh.Mesh(mesh.Soup{Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}}, Faces: [][3]int32{{0, 1, 2}}})},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(1))},
		{"small open cube", testmesh.Mesh(testmesh.Scale(open, 0x1p-30))},
	}
	var n posedCounts
	for i, c := range meshes {
		matrix, err := pose.FromMatrix([3][3]float64{{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}, r3.Vector{X: 3})
		if err != nil {
			t.Fatal(err)
		}
		poses := append(testPoses(r, vec.MaxAbs(c.m.Box().Size())), matrix,
			pose.At(r3.Vector{X: 1e18, Y: -3e17}),
			pose.Pose{Rotation: quat.Number{Real: 0.6, Jmag: 0.8}, Translation: r3.Vector{X: 1e200, Z: -1e250}})
		for k, p := range poses {
			s, err := inpoly.New(t.Context(), c.m, inpoly.Options{Method: allMethods[(i+k)%len(allMethods)], Rule: inpoly.NonZero})
			if err != nil {
				t.Fatal(err)
			}
			var pts []r3.Vector
			for _, exp := range []int{6, 12, 15, 16, 17, 18, 19, 25, 60, 150, 152, 160, 299} {
				for _, d := range farDirections(r, c.m) {
					if testcorpus.Full() || r.IntN(6) == 0 {
						v := p.Apply(d.Mul(math.Pow10(exp) / vec.MaxAbs(d)))
						if vec.MaxAbs(v) <= 1e300 {
							pts = append(pts, v)
						}
					}
				}
			}
			name := fmt.Sprintf("%s, pose %d, %v", c.name, k, s.Report().Method)
			checkPosed(t, name, s, p, pts, &n)
			checkPrecise(t, name, s, p, append(pts, r3.Vector{X: math.MaxFloat64}, r3.Vector{X: 1e308, Y: 1e308, Z: -1e308}))
		}
	}
	t.Logf("%d points", n.points)
}

// checkPrecise compares precise winding numbers with the twin.
func checkPrecise(t *testing.T, name string, s *inpoly.Solid, p pose.Pose, pts []r3.Vector) {
	t.Helper()
	at, err := s.At(p)
	if err != nil {
		t.Fatal(err)
	}
	twin := newPosedTwin(s.Mesh(), p)
	for _, x := range pts {
		w, bound, err := locate.Of(at).PreciseWinding(t.Context(), x, 0x1p-60)
		if err != nil {
			t.Fatal(err)
		}
		_, _, on := twin.judge(x)
		v, _ := w.Float64()
		b, _ := bound.Float64()
		if want := twin.winding(x, on); !(math.Abs(v-want) <= b+1e-13) || b > 0x1p-60 && vec.MaxAbs(x) <= 1e307 {
			t.Fatalf("%s: precise W at %v is %v ± %v, want %v", name, x, v, b, want)
		}
	}
}
