package testmesh

import (
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

func TestPanics(t *testing.T) {
	panics := func(f func()) (does bool) {
		defer func() { does = recover() != nil }()
		f()
		return
	}
	if !panics(func() { Sphere(-1) }) || !panics(func() { Foam(mesh.FoamOptions{Cells: -1}) }) {
		t.Error("an option out of range does not panic")
	}
}
