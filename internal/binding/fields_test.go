package binding

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/side"
)

// The functions check, slice and clear include each slice, and the slices of side.AllAnswers are cleared to
// the same elements there.
func TestAllFields(t *testing.T) {
	one := side.AllAnswers{
		Answers:  side.Answers{Sides: make([]side.Side, 1), Winding: make([]float64, 1), Bound: make([]float64, 1)},
		Distance: make([]float64, 1), DistanceBound: make([]float64, 1), Face: make([]int32, 1),
		NearestBody: make([]int32, 1), Body: make([]int32, 1), Nearest: make([]side.Projection, 1),
	}
	answers.ClearAll(&one)
	near, text := one.Nearest[0], fmt.Sprint
	want := map[string]string{
		"Sides": text(one.Sides[0]), "Winding": text(one.Winding[0]), "Bound": text(one.Bound[0]), "Distance": text(one.Distance[0]),
		"DistanceBound": text(one.DistanceBound[0]), "Face": text(one.Face[0]), "NearestBody": text(one.NearestBody[0]),
		"Body": text(one.Body[0]), "Nearest": text(near.Point), "NearestBound": text(near.PointBound),
		"Barycentric": text(near.Barycentric), "Feature": text(near.Feature), "Normal": text(near.Normal),
	}
	slicesFound := 0
	for i := range reflect.TypeFor[Answers]().NumField() {
		field := reflect.TypeFor[Answers]().Field(i)
		if field.Type.Kind() != reflect.Slice {
			continue
		}
		slicesFound++
		of := func(a *Answers) reflect.Value { return reflect.ValueOf(a).Elem().Field(i) }
		a := newAnswers(3)
		if err := a.check(3); err != nil {
			t.Fatal(err)
		}
		part := a.slice(1, 2)
		part.clear()
		for k := range 3 {
			if cleared := text(of(&a).Index(k).Interface()) == want[field.Name]; cleared != (k == 1) {
				t.Errorf("%s: after clear of element 1, element %d is %v", field.Name, k, of(&a).Index(k))
			}
		}
		if of(&part).Len() != 1 {
			t.Errorf("%s is cut to %d elements", field.Name, of(&part).Len())
		}
		for _, n := range []int{0, 2, 4} {
			b := newAnswers(3)
			of(&b).Set(reflect.MakeSlice(field.Type, n, n))
			if err := b.check(3); !errors.Is(err, ErrArgument) {
				t.Errorf("%s of length %d: error %v", field.Name, n, err)
			}
		}
	}
	if slicesFound != len(want) {
		t.Errorf("%d slices, want %d", slicesFound, len(want))
	}
	a := Answers{Normal: newAnswers(2).Normal}
	if err := a.check(3); err == nil || err.Error() != ErrArgument.Error()+": 2 normals for 3 points" {
		t.Errorf("error %v", err)
	}
	if part := a.slice(0, 1); part.Sides != nil || !slices.Equal(part.Normal, a.Normal[:1]) {
		t.Errorf("part %v", part)
	}
}
