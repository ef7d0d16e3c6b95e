package main

import (
	"bytes"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/dem/vtk"
)

// TestRun runs the first steps of each scene, draws them, and continues from a restart file.
func TestRun(t *testing.T) {
	for _, x := range scenes {
		t.Run(x.name, func(t *testing.T) {
			dir, colors := t.TempDir(), byShape
			run := func(frames int) string {
				t.Helper()
				s, err := newScene(t.Context(), x.name)
				if err != nil {
					t.Fatal(err)
				}
				s.frameSteps, s.pictureSteps = 25, 25
				j := job{scene: x.name, colors: colors, out: dir, until: float64(25*frames) * s.options.TimeStep, workers: 2}
				var log bytes.Buffer
				if err := j.run(t.Context(), s, &log); err != nil {
					t.Fatal(err)
				}
				index, err := vtk.Open(filepath.Join(dir, x.name+".pvd"))
				if err != nil || index.Len() != frames {
					t.Fatalf("%d frames, error %v, want %d", index.Len(), err, frames)
				}
				return log.String()
			}
			first := run(1)
			colors = byForce
			second := run(2)
			for _, log := range []string{first, second} {
				if strings.Count(log, "\n") != 1 || !strings.Contains(log, " contacts, ") || !strings.HasSuffix(log, " bodies have left\n") {
					t.Errorf("the lines are %q", log)
				}
			}
			for _, file := range []string{"-00025.png", "-00050.png", "-restart.bin"} {
				if info, err := os.Stat(filepath.Join(dir, x.name+file)); err != nil || info.Size() < 5_000 {
					t.Errorf("%s: %v", x.name+file, err)
				}
			}
		})
	}
}

func TestFlags(t *testing.T) {
	valid := job{scene: "pour", colors: byShape, out: "run"}
	if err := valid.check(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		change func(j *job)
		want   string
	}{
		{func(j *job) { j.scene = "castle" }, `-scene "castle": must be one of pour, tower, wall`},
		{func(j *job) { j.scene = "" }, `-scene "": must be one of pour, tower, wall`},
		{func(j *job) { j.colors = "speed" }, `-color "speed": must be shape or force`},
		{func(j *job) { j.until = -1 }, "-time -1: must be a number of seconds"},
		{func(j *job) { j.until = math.NaN() }, "-time NaN: must be a number of seconds"},
		{func(j *job) { j.until = math.Inf(1) }, "-time +Inf: must be a number of seconds"},
		{func(j *job) { j.workers = -1 }, "-workers -1: must be from 0 to "},
		{func(j *job) { j.workers = rigid.MaxWorkers + 1 }, "must be from 0 to "},
		{func(j *job) { j.out = "" }, "-out: must be the name of a folder"},
	} {
		j := valid
		j.out = filepath.Join(t.TempDir(), "out")
		c.change(&j)
		err := j.start(t.Context(), new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if _, err := os.Stat(j.out); !os.IsNotExist(err) {
			t.Errorf("%v: the folder exists", c.want)
		}
	}
}

// TestShapes checks that all bodies touch by layers: pebbles and bricks are convex, and jacks consist of convex parts.
func TestShapes(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"pour":  {"balls": 0, "jacks": 3, "pebbles": 1},
		"tower": {"ball": 0, "bricks": 1},
		"wall":  {"ball": 0, "bricks": 1, "half bricks": 1},
	} {
		s, err := newScene(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.kinds) != len(want) {
			t.Errorf("%s: %d shapes, want %d", name, len(s.kinds), len(want))
		}
		counts := map[*rigid.Shape]int{}
		for _, b := range s.Bodies {
			counts[b.Shape]++
		}
		for _, k := range s.kinds {
			if parts, ok := want[k.name]; !ok || k.shape.Parts() != parts || counts[k.shape] == 0 {
				t.Errorf("%s: %d %s with %d parts, want %d", name, counts[k.shape], k.name, k.shape.Parts(), parts)
			}
		}
	}
	// The three bars share the cube in the middle.
	s, err := newScene(t.Context(), "pour")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.kinds[1].shape.Volume(), 3*.4*.14*.14-2*.14*.14*.14; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the volume of a jack is %v, want %v", got, want)
	}
}

// TestTowerStands checks that a tower stands, that contacts are shallow, and that lower bricks carry more. With
// INPOLY_FULL=1, the tower also comes to rest.
func TestTowerStands(t *testing.T) {
	s, err := newScene(t.Context(), "tower")
	if err != nil {
		t.Fatal(err)
	}
	s.Bodies = s.Bodies[:10]
	w, err := rigid.New(t.Context(), s.Scene, s.options)
	if err != nil {
		t.Fatal(err)
	}
	end, tolerance := .3, .25
	if os.Getenv("INPOLY_FULL") == "1" {
		end, tolerance = 3, .01
	}
	// Forces are means over the last fifth of a second, about one vertical oscillation.
	means, count, deepest, moved := make([]float64, 10), 0, 0., 0.
	for w.Time() < end {
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range w.Contacts() {
			deepest = max(deepest, c.Depth)
		}
		for i := range means {
			moved = max(moved, w.Center(i).Sub(s.Bodies[i].Pose.Translation).Norm())
		}
		if w.Time() > end-.2 {
			count++
			for i, f := range forces(w) {
				means[i] += f
			}
		}
	}
	for i := range means {
		means[i] /= float64(count)
	}
	t.Logf("the deepest contact has %.2g m, centers move by up to %.2g m, forces %.0f N", deepest, moved, means)
	if deepest == 0 || deepest > .01*brickSize.Z {
		t.Errorf("the deepest contact has %v m, want at most a hundredth of a brick", deepest)
	}
	if moved > .2*brickSize.Z {
		t.Errorf("a center moves by %v m, want at most a fifth of a brick", moved)
	}
	for i := range 9 {
		if !(means[i] > means[i+1]) {
			t.Errorf("brick %d has the force %v and the one above it %v", i, means[i], means[i+1])
		}
	}
	if want := 19 * 4 * 9.81; math.Abs(means[0]/want-1) > tolerance { // ten bricks on the ground, nine on the lowest brick
		t.Errorf("the lowest brick has the force %v, want about %v", means[0], want)
	}
}

func TestForceColor(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want color.NRGBA
	}{{0, forceScale[0]}, {-1, forceScale[0]}, {.25, forceScale[1]}, {.5, forceScale[2]}, {1, forceScale[4]}, {7, forceScale[4]}} {
		if got := forceColor(c.f); got != c.want {
			t.Errorf("force %v: %v, want %v", c.f, got, c.want)
		}
	}
	light := func(c color.NRGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }
	for i := range 100 {
		if a, b := forceColor(float64(i)/100), forceColor(float64(i+1)/100); light(b) >= light(a) {
			t.Errorf("%v is not lighter than %v", a, b)
		}
	}
}

func TestRounded(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1.23456: "1.235", 12345.6: "12350", 1234567: "1235000", -.00123456: "-0.001235", 99999: "100000"} {
		if got := rounded(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}
