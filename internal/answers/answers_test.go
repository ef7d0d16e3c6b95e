package answers_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/side"
)

// nones has the element without an answer for each slice of side.AllAnswers, as text.
var nones = map[string]string{
	"Sides": "uncertain", "Winding": "NaN", "Bound": "+Inf", "Distance": "NaN", "Face": "-1", "DistanceBound": "NaN", "NearestBody": "-1", "Body": "-2",
	"Nearest": fmt.Sprint(side.Projection{
		Point: r3.Vector{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}, PointBound: math.Inf(1), Distance: math.NaN(),
		Normal: r3.Vector{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}, Barycentric: [3]float64{math.NaN(), math.NaN(), math.NaN()}, Face: -1,
	}),
}

// slicesOf returns the slices of a struct by their names.
func slicesOf(a reflect.Value) map[string]reflect.Value {
	list := map[string]reflect.Value{}
	for i := range a.NumField() {
		switch f := a.Field(i); f.Kind() {
		case reflect.Struct:
			for name, s := range slicesOf(f) {
				list[name] = s
			}
		case reflect.Slice:
			list[a.Type().Field(i).Name] = f
		}
	}
	return list
}

// full returns all answers for n points, with sets.
func full(n int) *side.AllAnswers {
	a := &side.AllAnswers{Sets: &side.Sets{}}
	for _, s := range slicesOf(reflect.ValueOf(a).Elem()) {
		s.Set(reflect.MakeSlice(s.Type(), n, n))
	}
	for i := range n {
		a.Sides[i] = side.Inside
	}
	answers.ResetSets(a.Sets, n)
	return a
}

// Check, Slice and Clear include each slice.
func TestAllFields(t *testing.T) {
	if got := len(slicesOf(reflect.ValueOf(*full(3)))); got != len(nones) {
		t.Fatalf("%d slices, want %d", got, len(nones))
	}
	answers.CheckAll(full(3), 3)
	answers.CheckAll(&side.AllAnswers{}, 3)
	a := full(3)
	part := answers.SliceAll(a, 1, 2)
	for name, s := range slicesOf(reflect.ValueOf(&part).Elem()) {
		if s.Len() != 1 || s.Index(0).Addr().Pointer() != slicesOf(reflect.ValueOf(a).Elem())[name].Index(1).Addr().Pointer() {
			t.Errorf("%s is cut to %d elements", name, s.Len())
		}
	}
	if part.Sets != nil || a.Sets == nil {
		t.Error("sets are not removed from the part only")
	}
	a.Sets.Bodies, a.Sets.Unknown = append(a.Sets.Bodies, 7), []bool{false, false, false}
	answers.ClearAll(&part)
	if _, certain := a.Sets.At(1); !certain {
		t.Error("a part clears sets")
	}
	answers.ClearAll(a)
	for name, s := range slicesOf(reflect.ValueOf(a).Elem()) {
		for i := range 3 {
			if got := fmt.Sprint(s.Index(i).Interface()); got != nones[name] {
				t.Errorf("%s is cleared to %s, want %s", name, got, nones[name])
			}
		}
	}
	if bodies, certain := a.Sets.At(2); a.Sets.Len() != 3 || len(bodies) > 0 || certain {
		t.Errorf("cleared set %v %v of %d", bodies, certain, a.Sets.Len())
	}
	empty := answers.SliceAll(&side.AllAnswers{}, 1, 2)
	if !reflect.ValueOf(empty).IsZero() {
		t.Errorf("part of no answers: %v", empty)
	}
}

func TestLengths(t *testing.T) {
	for name := range nones {
		for _, n := range []int{2, 4} {
			a := full(3)
			s := slicesOf(reflect.ValueOf(a).Elem())[name]
			s.Set(reflect.MakeSlice(s.Type(), n, n))
			refused(t, name, func() { answers.CheckAll(a, 3) })
		}
	}
	three := make([]float64, 3)
	ids := make([]int32, 3)
	for name, a := range map[string]side.AllAnswers{
		"no bound":              {Answers: side.Answers{Winding: three}},
		"no winding":            {Answers: side.Answers{Bound: three}},
		"no face":               {Distance: three},
		"no distance":           {Face: ids},
		"only bound":            {DistanceBound: three},
		"only nearest body":     {NearestBody: ids},
		"bound of no distance":  {DistanceBound: three, Nearest: make([]side.Projection, 3)},
		"nearest body, no face": {Distance: three, NearestBody: ids},
	} {
		refused(t, name, func() { answers.CheckAll(&a, 3) })
	}
	answers.CheckAll(&side.AllAnswers{Nearest: make([]side.Projection, 3), NearestBody: ids}, 3)
	answers.CheckAll(&side.AllAnswers{Distance: three, Face: ids}, 3)
	answers.CheckAll(&side.AllAnswers{Distance: []float64{}, Answers: side.Answers{Winding: []float64{}}}, 0)
	refused(t, "sides", func() { answers.Start(side.Answers{Sides: make([]side.Side, 2)}, 3) })
	refused(t, "nil", func() { answers.Sides.Check(nil, 3) })
	answers.Sides.Check(nil, 0)
}

// The error names the first slice of a wrong length.
func TestErr(t *testing.T) {
	p, a := answers.Lengths(3), full(3)
	a.Bound, a.Face = a.Bound[:2], nil
	answers.VisitAll(&p, a)
	if err := p.Err(); err == nil || err.Error() != "2 bounds of the windings for 3 points" {
		t.Errorf("error %v", err)
	}
}

func refused(t *testing.T, name string, check func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	check()
}
