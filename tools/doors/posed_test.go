package doors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/tools/doors/job"
)

// TestPosedAnswers compares all doors with the Go packages for solids at poses, bit for bit: 20,000
// points for each door, method and question. TestSameAnswers has a sample. TestPosedBounds of internal/apitest compares the
// Go packages with rational numbers.
func TestPosedAnswers(t *testing.T) {
	if os.Getenv("INPOLY_DOORS") == "" || !testcorpus.Full() {
		t.Skip("INPOLY_FULL=1 make same-answers runs this test")
	}
	dir := t.TempDir()
	steps := posedSteps(t, dir, 20_000, rand.New(rand.NewPCG(seed, 1)))
	for _, d := range append(append([]door{}, native...), portable...) {
		flags := []string{}
		if d.name == "Node" || d.name == "Chromium" {
			flags = append(flags, "-tags=noasm")
		}
		t.Run(d.name, func(t *testing.T) {
			run := d.build(t, dir)
			want := answer(t, buildReference(t, dir, flags...), dir, "Go"+fmt.Sprint(flags), steps)
			checkMoved(t, steps, want)
			compare(t, steps, want, answer(t, run, dir, d.name, steps))
		})
	}
}

// posedSteps returns steps that ask for all answers at poses: n points for each method and each kind of
// answer, divided over a closed mesh, an open mesh and an assembly, at quarter turns with whole shifts, at
// compositions, and at other poses. After each solid at a pose that rounds nothing, the same questions are
// asked of the solid whose vertices are moved.
func posedSteps(t *testing.T, dir string, n int, r *rand.Rand) (steps []job.Step) {
	round := func(s mesh.Soup) mesh.Soup { return testmesh.Move(s, onGrid) }
	sphere := testmesh.Soup(testmesh.Sphere(2))
	scenes := [][]mesh.Soup{
		{round(testmesh.Torus(2, 0.5, 16, 8))},
		{round(testmesh.Without(sphere, 0, 1, 2, 3, 4, 5))},
		{round(sphere), testmesh.UnitCube()},
	}
	write := func(name string, write func(path string) error) string {
		path := filepath.Join(dir, name)
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const kinds = 3
	for _, method := range methods {
		for i, soups := range scenes {
			for kind := range kinds {
				name := fmt.Sprintf("posed-%s-%d-%d", method, i, kind)
				exact := kind == 0 || kind == 2 && i == 0
				var files, sources, moved []string
				at := make([]pose.Pose, len(soups)) // the composition of all poses
				for k := range at {
					at[k] = pose.At(r3.Vector{})
				}
				for part := range []int{1, 1, 2}[kind] {
					poses := make([]pose.Pose, len(soups))
					for k := range poses {
						poses[k] = somePose(r, exact || kind == 2 && part == 0)
						at[k] = poses[k].Mul(at[k])
					}
					files = append(files, write(fmt.Sprintf("%s-%d.poses.f64", name, part), func(path string) error { return job.WritePoses(path, poses) }))
				}
				for k, s := range soups {
					sources = append(sources, write(fmt.Sprintf("%s-%d.f64", name, k), func(path string) error { return job.WriteVectors(path, s.Vertices) }),
						write(fmt.Sprintf("%s-%d.u32", name, k), func(path string) error { return job.WriteFaces(path, s.Faces) }))
					there := testmesh.Move(s, func(v r3.Vector) r3.Vector { return onGrid(at[k].Apply(v)) })
					moved = append(moved, write(fmt.Sprintf("%s-%d.moved.f64", name, k), func(path string) error { return job.WriteVectors(path, there.Vertices) }), sources[2*k+1])
				}
				count := (n + kinds*len(scenes) - 1) / (kinds * len(scenes))
				pts := posedPoints(r, soups, at, count)
				if exact { // vertices become exact, and other points stay near faces
					for k, p := range pts {
						if q := onGrid(p); q.Sub(p).Norm() < 1e-9 {
							pts[k] = q
						}
					}
				}
				points := write(name+".points.f64", func(path string) error { return job.WriteVectors(path, pts) })
				o := job.Open{How: "arrays", Method: method, Rule: rules[(i+kind)%len(rules)], Orient: "never", Workers: 1, Sources: sources}
				args := map[string][]string{"points": {points, fmt.Sprint(count)}, "single": {fmt.Sprint(min(count, 20))}, "locate": {"count"}}
				var questions []job.Step
				for _, name := range posedQuestions {
					questions = append(questions, job.Step{Name: name, Args: args[name]})
				}
				steps = append(append(steps, o.Step(), job.Step{Name: "pose", Args: files}), questions...)
				if exact {
					o.Sources = moved
					steps = append(append(steps, o.Step()), questions...)
				}
			}
		}
	}
	return steps
}

// onGrid rounds to a grid on which a shift by a few thousands is exact.
func onGrid(v r3.Vector) r3.Vector {
	return r3.Vector{X: math.Round(v.X*0x1p20) / 0x1p20, Y: math.Round(v.Y*0x1p20) / 0x1p20, Z: math.Round(v.Z*0x1p20) / 0x1p20}
}

// somePose returns a pose. If it is exact, it exchanges axes, changes signs and shifts by whole numbers.
func somePose(r *rand.Rand, exact bool) pose.Pose {
	if exact {
		half := math.Sqrt(0.5)
		q := [][4]float64{{1, 0, 0, 0}, {0, 0, 1, 0}, {half, 0, 0, half}, {half, -half, 0, 0}, {0.5, 0.5, -0.5, 0.5}, {0, half, half, 0}}[r.IntN(6)]
		whole := func() float64 { return float64(r.IntN(2001) - 1000) }
		return pose.Pose{Rotation: quat.Number{Real: q[0], Imag: q[1], Jmag: q[2], Kmag: q[3]}, Translation: r3.Vector{X: whole(), Y: whole(), Z: whole()}}
	}
	q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
	far := math.Pow(10, 9*r.Float64())
	return pose.Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: r3.Vector{X: far * r.NormFloat64(), Y: far * r.NormFloat64(), Z: r.NormFloat64()}}
}

// posedPoints returns points in and around the moved meshes, half of them as near to a face as float64
// numbers allow.
func posedPoints(r *rand.Rand, soups []mesh.Soup, at []pose.Pose, n int) []r3.Vector {
	pts := make([]r3.Vector, n)
	for i := range pts {
		k := r.IntN(len(soups))
		s := soups[k]
		f := s.Faces[r.IntN(len(s.Faces))]
		a, b, c := s.Vertices[f[0]], s.Vertices[f[1]], s.Vertices[f[2]]
		var v r3.Vector
		switch r.IntN(4) {
		case 0:
			v = a
		case 1:
			u, w := r.Float64(), r.Float64()
			v = a.Add(b.Sub(a).Mul(u)).Add(c.Sub(a).Mul(w * (1 - u)))
		default:
			v = r3.Vector{X: 5 * (r.Float64() - 0.5), Y: 5 * (r.Float64() - 0.5), Z: 3 * (r.Float64() - 0.5)}
		}
		pts[i] = at[k].Apply(v)
	}
	return pts
}

// checkMoved checks that the answers at poses that round nothing are those of the moved meshes, bit for
// bit. Closest points, parameters of hits and the winding numbers of open meshes are compared within their bounds by other
// tests, because they are rounded in other coordinates.
func checkMoved(t *testing.T, steps []job.Step, answers []byte) {
	t.Helper()
	compared := 0
	read := func(step int) []job.Answer {
		all, err := job.Answers(steps, answers, step)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for i := 0; i+1 < len(steps); i++ {
		if steps[i+1].Name != "pose" || i+len(posedQuestions)+2 >= len(steps) {
			continue
		}
		next := i + 2 + len(posedQuestions)
		if next+1 >= len(steps) || steps[next].Name != "open" || steps[next+1].Name == "pose" {
			continue // the pose rounds
		}
		for k, name := range posedQuestions {
			posed, moved := read(i+2+k), read(next+1+k)
			for j, a := range posed {
				switch a.Field {
				case "nearest point", "winding", "winding bound", "parameter", "bound of the parameter":
					continue
				}
				compared++
				if string(a.Bytes) != string(moved[j].Bytes) {
					t.Errorf("%s: %s: %s differ from those of the moved mesh", opened(steps[i]), name, a.Field)
				}
			}
		}
	}
	if compared < 6*3*len(posedQuestions) {
		t.Errorf("%d answers are compared with those of moved meshes", compared)
	}
}

// posedQuestions are the steps after the step pose.
var posedQuestions = []string{"points", "single", "sides", "windings", "distances", "nearest", "hits", "locate"}
