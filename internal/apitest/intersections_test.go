package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// twoCubes returns two unit cubes. The second one is moved by d.
func twoCubes(d r3.Vector) *mesh.Mesh {
	s, t := testmesh.UnitCube(), testmesh.Translate(testmesh.UnitCube(), d)
	for _, f := range t.Faces {
		s.Faces = append(s.Faces, [3]int32{f[0] + 8, f[1] + 8, f[2] + 8})
	}
	s.Vertices = append(s.Vertices, t.Vertices...)
	return testmesh.Mesh(s)
}

func TestIntersections(t *testing.T) {
	for _, c := range []struct {
		name                                       string
		move                                       r3.Vector
		crossing, overlapping, duplicate, touching bool
	}{
		{"apart", r3.Vector{X: 2}, false, false, false, false},
		{"overlapping cubes", r3.Vector{X: .5, Y: .25, Z: .3}, true, false, false, false},
		{"sharing a face", r3.Vector{X: 1}, false, false, true, false},
		{"sharing part of a face", r3.Vector{X: 1, Y: .5, Z: .3}, false, true, false, true},
		{"edge on edge", r3.Vector{X: 1, Y: 1, Z: .3}, false, false, false, true},
	} {
		var stages []string
		s, err := inpoly.New(context.Background(), twoCubes(c.move), inpoly.Options{Progress: func(stage string, _, _ int64) { stages = append(stages, stage) }})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Intersections(context.Background(), 3)
		if err != nil {
			t.Fatal(err)
		}
		if r.Crossing > 0 != c.crossing || r.Overlapping > 0 != c.overlapping || r.Duplicate > 0 != c.duplicate || r.Touching > 0 != c.touching {
			t.Errorf("%s: %s", c.name, r.Counts())
		}
		if !strings.Contains(fmt.Sprint(stages), "intersect") {
			t.Errorf("%s: the stages are %v, want one named intersect", c.name, stages)
		}
		text, err := json.Marshal(r)
		if err != nil || c.crossing && !strings.Contains(string(text), `"crossing"`) {
			t.Errorf("%s: JSON %s, error %v", c.name, text, err)
		}
		var back inpoly.Intersections
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
			t.Errorf("%s: JSON %s became %+v, error %v", c.name, text, back, err)
		}
		for _, p := range r.Pairs {
			if p.A/12 == p.B/12 {
				t.Errorf("%s: faces %d and %d are of one cube", c.name, p.A, p.B)
			}
		}
	}
	s, err := inpoly.New(context.Background(), twoCubes(r3.Vector{}), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Intersections(ctx, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// The warnings name the effect under each rule.
func TestIntersectionWarnings(t *testing.T) {
	for rule, want := range map[inpoly.Rule]string{
		inpoly.NonZero: "form their union", inpoly.Positive: "face outward form their union",
		inpoly.Negative: "face inward form their union", inpoly.EvenOdd: "a point in two parts is outside",
	} {
		r := inpoly.Intersections{Crossing: 1}
		if w := r.Warnings(rule); len(w) != 1 || !strings.HasPrefix(w[0], "1 pair of faces crosses: ") || !strings.Contains(w[0], want) {
			t.Errorf("%v: warnings %q, want one with %q", rule, w, want)
		}
		r = inpoly.Intersections{Overlapping: 2, Touching: 5, Duplicate: 7}
		if w := r.Warnings(rule); len(w) != 1 || !strings.HasPrefix(w[0], "2 pairs of faces overlap ") {
			t.Errorf("%v: warnings %q, want one for the overlapping faces", rule, w)
		}
	}
	if w := new(inpoly.Intersections).Warnings(inpoly.NonZero); len(w) != 0 {
		t.Errorf("warnings %q without intersections", w)
	}
}

func TestIntersectionKinds(t *testing.T) {
	for kind, want := range map[inpoly.IntersectionKind]string{
		inpoly.DuplicateFaces: "duplicate", inpoly.OverlappingFaces: "overlapping", inpoly.CrossingFaces: "crossing", inpoly.TouchingFaces: "touching", 9: "kind(9)",
	} {
		if got := kind.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var kind inpoly.IntersectionKind
	if err := kind.UnmarshalText([]byte("none")); err == nil {
		t.Error("the kind none was accepted")
	}
}
