package proof

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

const posedTrust = "trusted: the SHA-256 of the source, because there is no --source\ntrusted: the mesh is that of the source, which is not read here\n"

// posedProof returns a proof about points around and on a mesh at a pose, and the number of points without a proof.
func posedProof(t *testing.T, s *inpoly.Solid, at pose.Pose, r *rand.Rand, n int) (string, int64) {
	t.Helper()
	posed, err := s.At(at)
	if err != nil {
		t.Fatal(err)
	}
	m := s.Mesh()
	size := m.Box().Size()
	var pts []r3.Vector
	for k := range n {
		x := m.Box().Min.Add(r3.Vector{X: size.X * (1.2*r.Float64() - 0.1), Y: size.Y * (1.2*r.Float64() - 0.1), Z: size.Z * (1.2*r.Float64() - 0.1)})
		if k%4 == 0 {
			x = m.Vertices[r.IntN(len(m.Vertices))]
		}
		pts = append(pts, at.Apply(x))
	}
	claims, err := Claims(t.Context(), posed, pts, false)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	sum, err := Write(t.Context(), &buf, posed, Source{Name: "mesh"}, claims)
	if err != nil {
		t.Fatal(err)
	}
	return buf.String(), sum.Unproved
}

// The checker accepts proofs at poses that only move, that exchange axes and that turn by any angle, also far away. It
// refuses them with another pose.
func TestPosedProofs(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	h := math.Sqrt(0.5)
	poses := []pose.Pose{
		pose.At(r3.Vector{X: 3, Y: 0.1}),
		{Rotation: quat.Number{Real: h, Imag: h}, Translation: r3.Vector{Z: 2}},
		{Rotation: quat.Number{Real: 0.8, Kmag: 0.6}, Translation: r3.Vector{X: 0.25}},
		{Rotation: quat.Number{Real: 0.5, Imag: 0.1, Jmag: -0.7, Kmag: 0.5}, Translation: r3.Vector{X: 1e5, Y: -3}},
	}
	var trials []trial
	on := 0
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if size := m.Box().Size(); len(m.Faces) > 200 || len(m.Faces) == 0 || size.Norm() > 1e6 || size.Norm() < 1e-3 {
			continue
		}
		for _, rule := range []inpoly.Rule{inpoly.NonZero, inpoly.EvenOdd} {
			s, err := inpoly.New(t.Context(), m, inpoly.Options{Orient: inpoly.OrientNever, Rule: rule})
			if err != nil {
				t.Fatal(err)
			}
			at := poses[r.IntN(len(poses))]
			q := at.Rotation
			at.Rotation = quat.Scale(1/quat.Abs(q), q)
			data, unproved := posedProof(t, s, at, r, 12)
			want := 4
			if unproved > 0 {
				want = 3
			}
			on += strings.Count(data, " on - - on ")
			name := fmt.Sprintf("%s, %v, %+v", c.Name, rule, at)
			trials = append(trials, trial{name: name, data: data, code: want, text: "\npose: ", trusted: posedTrust})
			head, tail, _ := strings.Cut(data, "\npose ")
			words, tail, _ := strings.Cut(tail, "\n")
			if strings.Contains(tail, " in - - ") || strings.Contains(tail, " on - - ") { // no point is in the mesh there
				far := head + "\npose " + words[:strings.LastIndex(words, " ")] + " 1048576\n" + tail
				trials = append(trials, trial{name: name + ", far away", data: far, code: 1, text: "refused"})
			}
			trials = append(trials,
				trial{name: name + ", no rotation", data: head + "\npose 0 0 0 0 1 2 3\n" + tail, code: 1, text: "the rotation of the pose is 0"},
				trial{name: name + ", a word", data: head + "\npose " + words + " 1\n" + tail, code: 1, text: "unknown pose"},
				trial{name: name + ", no number", data: head + "\npose " + strings.Replace(words, " ", " x", 1) + "\n" + tail, code: 1, text: "refused"})
		}
	}
	if on < 20 {
		t.Errorf("only %d points are on faces", on)
	}
	try(t, trials)
}

// A quaternion and its multiples are the same rotation for the checker. Distances at a pose have no proof.
func TestPosedDistances(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Orient: inpoly.OrientNever})
	if err != nil {
		t.Fatal(err)
	}
	at := pose.Pose{Rotation: quat.Number{Real: 0.8, Kmag: 0.6}}
	posed, err := s.At(at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claims(t.Context(), posed, []r3.Vector{{}}, true); !errors.Is(err, ErrPose) {
		t.Errorf("distances at a pose: %v", err)
	}
	claim := Claim{Row: 1, Side: inpoly.Inside, Winding: math.NaN(), Bound: math.NaN(), Distance: 0.5, Face: 0}
	if _, err := Write(t.Context(), io.Discard, posed, Source{}, []Claim{claim}); !errors.Is(err, ErrPose) {
		t.Errorf("a claim about a distance at a pose: %v", err)
	}
	data, _ := posedProof(t, s, at, rand.New(rand.NewPCG(1, 2)), 8)
	plain, _ := posedProof(t, s, pose.At(r3.Vector{}), rand.New(rand.NewPCG(1, 2)), 8)
	words := strings.Fields(points([]byte(plain))[1])
	withDistance := strings.Replace(plain, strings.Join(words[4:7], " "), words[4]+" 0 0.5", 1)
	try(t, []trial{
		{name: "as written", data: data, code: 4, text: "pose: 0.8 0 0 0.6 0 0 0", trusted: posedTrust},
		{name: "the opposite quaternion", data: strings.Replace(data, "pose 0.8 0 0 0.6", "pose -0.8 0 0 -0.6", 1), code: 4, text: "accepted", trusted: posedTrust},
		{name: "twice the quaternion", data: strings.Replace(data, "pose 0.8 0 0 0.6", "pose 1.6 0 0 1.2", 1), code: 4, text: "accepted", trusted: posedTrust},
		{name: "a distance", data: withDistance, code: 1, text: "at a pose has no proof"},
	})
}
