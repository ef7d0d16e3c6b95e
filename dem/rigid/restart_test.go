package rigid

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"
	"testing/iotest"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/pose"
)

func saved(t testing.TB, w *World) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := w.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRestart(t *testing.T) {
	s, o := pile(t, 30, 3), Options{TimeStep: 1e-3, Law: gritLaw, Workers: 2}
	s.Bounds = s.Walls[0].Solid.Mesh().Box()
	s.Bounds.Min.Z, s.Bounds.Max.Z = -1, 20
	s.Bodies[29].Velocity.Z = 60 // it leaves the bounds
	w := newWorld(t, s, o)
	walk(t, w, 900)
	file := saved(t, w)
	walk(t, w, 300)
	if !w.Removed(29) || len(w.Contacts()) < 10 {
		t.Fatalf("removed: %v; %d contacts: the test says little", w.Removed(29), len(w.Contacts()))
	}
	springs := 0
	for _, c := range w.Contacts() {
		if c.Spring.Norm() > 0 {
			springs++
		}
	}
	if springs < 5 {
		t.Fatalf("%d tangential springs: the test says little", springs)
	}
	// The initial poses and velocities of the scene do not matter.
	s.Bodies[0].Velocity.X = 3
	o.Workers = 1
	again, err := Load(t.Context(), bytes.NewReader(file), s, o)
	if err != nil {
		t.Fatal(err)
	}
	if again.Steps() != 900 || !bytes.Equal(saved(t, again), file) {
		t.Error("Save after Load writes another file")
	}
	walk(t, again, 300)
	if hashOf(again) != hashOf(w) || again.Energy() != w.Energy() {
		t.Error("another trajectory after Load")
	}
}

func TestRestartRefusesBadFiles(t *testing.T) {
	s, o := pile(t, 12, 4), Options{TimeStep: 1e-3, Law: gritLaw}
	for i := range s.Bodies { // they overlap at once
		p := &s.Bodies[i].Pose.Translation
		*p = p.Mul(.6)
		p.Z++
	}
	w := newWorld(t, s, o)
	walk(t, w, 3)
	file := saved(t, w)
	load := func(f []byte, s Scene, o Options) error {
		_, err := Load(t.Context(), bytes.NewReader(f), s, o)
		return err
	}
	if err := load(file, s, o); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(file); i += 1 + i/40 {
		checkError(t, "cut", load(file[:i], s, o), ErrRestart, "")
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		checkError(t, "changed", load(bad, s, o), ErrRestart, "")
	}
	checkError(t, "foreign", load([]byte("solid cube, and some more text"), s, o), ErrRestart, "begin with")
	other := o
	other.TimeStep *= 2
	checkError(t, "time step", load(file, s, other), ErrRestart, "another scene")
	few := s
	few.Bodies = s.Bodies[1:]
	checkError(t, "bodies", load(file, few, o), ErrRestart, "another scene")
	few = s
	few.Walls = s.Walls[1:]
	checkError(t, "walls", load(file, few, o), ErrRestart, "another scene")
	heavy := s
	heavy.Bodies = append([]Body(nil), s.Bodies...)
	heavy.Bodies[3].Density *= 2
	checkError(t, "density", load(file, heavy, o), ErrRestart, "another scene")
	broken := errors.New("broken")
	if _, err := Load(t.Context(), io.MultiReader(bytes.NewReader(file[:100]), iotest.ErrReader(broken)), s, o); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if err := w.Save(failingWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want %v", err, io.ErrClosedPipe)
	}
}

// TestLoadRefusesImpossibleContacts loads contacts that no step makes: the same contact twice, and a contact
// with an image in a scene without periods.
func TestLoadRefusesImpossibleContacts(t *testing.T) {
	cube := polyhedron(t, box(r3.Vector{X: 1, Y: 1, Z: 1}, 1))
	s := Scene{Bodies: []Body{{Shape: cube, Density: 1e6, Pose: pose.At(r3.Vector{})}, {Shape: cube, Density: 1e6, Pose: pose.At(r3.Vector{X: .3, Z: .9})}}}
	o := Options{TimeStep: 1e-3, Law: gritLaw}
	for _, x := range []struct {
		name   string
		change func(w *World)
		want   error
	}{
		{"no change", func(w *World) {}, nil},
		{"the same contact twice", func(w *World) {
			w.now.contacts = append(w.now.contacts, w.now.contacts[len(w.now.contacts)-1])
		}, ErrRestart},
		{"image", func(w *World) { w.now.contacts[0].Image[2] = 1 }, ErrRestart},
	} {
		w := newWorld(t, s, o)
		walk(t, w, 2)
		if len(w.now.contacts) < 2 || w.now.contacts[0].Kind != FaceOfA {
			t.Fatalf("contacts %+v", w.now.contacts)
		}
		x.change(w)
		_, err := Load(t.Context(), bytes.NewReader(saved(t, w)), s, o)
		if !errors.Is(err, x.want) {
			t.Errorf("%s: error %v, want %v", x.name, err, x.want)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// FuzzLoad loads any bytes, with a valid checksum.
func FuzzLoad(f *testing.F) {
	stone := polyhedron(f, box(r3.Vector{X: 1, Y: 1, Z: 1}, 1))
	s, o := Scene{Bodies: []Body{
		{Shape: ball(f, 1), Pose: pose.At(r3.Vector{X: 1.8})}, {Shape: ball(f, 1)}, {Shape: stone, Pose: pose.At(r3.Vector{X: -1.2, Y: .1})},
	}}, Options{TimeStep: 1e-3, Law: gritLaw, Workers: 1}
	s.Bodies[1].Pose = pose.At(r3.Vector{})
	w := newWorld(f, s, o)
	for range 3 {
		file := saved(f, w)
		f.Add(file[:len(file)-4])
		walk(f, w, 1)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := binary.LittleEndian.AppendUint32(bytes.Clone(content), crc32.Checksum(content, castagnoli))
		w, err := Load(t.Context(), bytes.NewReader(file), s, o)
		if err != nil {
			if !errors.Is(err, ErrRestart) {
				t.Errorf("error %v", err)
			}
			return
		}
		_ = w.Step(t.Context()) // an error is fine, a panic is not
	})
}
