// Example simulates one of three scenes:
//
//   - pour: balls, jacks and pebbles fall into a bowl
//   - tower: two towers of bricks, of which a ball hits one
//   - wall: a ball hits a wall of bricks
//
// It prints the energy and the number of bodies that have left the scene. It writes a series of frames for
// ParaView, a restart file and pictures.
//
//	go run ./example -out run                            # in the folder dem
//	go run ./example -out run                            # continues from the restart file
//	go run ./example -out run -scene tower -color force
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"

	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/dem/vtk"
)

func main() {
	var j job
	flag.StringVar(&j.scene, "scene", "pour", "one of "+sceneNames())
	flag.StringVar(&j.colors, "color", byShape, "color of the bodies in pictures: shape or force")
	flag.StringVar(&j.out, "out", "run", "folder for the results")
	flag.Float64Var(&j.until, "time", 0, "end of the simulation in seconds; 0 means that of the scene")
	flag.IntVar(&j.workers, "workers", 0, "number of goroutines; 0 means all processors")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q: the example has only flags", flag.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := j.start(ctx, os.Stdout); err != nil {
		stop()
		log.Fatal(err)
	}
}

// job has the values of the flags.
type job struct {
	scene, colors, out string
	until              float64
	workers            int
}

// check returns an error for a value that is not valid.
func (j *job) check() error {
	switch {
	case j.colors != byShape && j.colors != byForce:
		return fmt.Errorf("-color %q: must be shape or force", j.colors)
	case !(j.until >= 0) || math.IsInf(j.until, 0):
		return fmt.Errorf("-time %v: must be a number of seconds, or 0 for the time of the scene", j.until)
	case j.workers < 0 || j.workers > rigid.MaxWorkers:
		return fmt.Errorf("-workers %d: must be from 0 to %d", j.workers, rigid.MaxWorkers)
	case j.out == "":
		return errors.New("-out: must be the name of a folder")
	}
	return nil
}

// start checks the flags, makes the scene and simulates it.
func (j *job) start(ctx context.Context, log io.Writer) error {
	if err := j.check(); err != nil {
		return err
	}
	s, err := newScene(ctx, j.scene)
	if err != nil {
		return err
	}
	return j.run(ctx, s, log)
}

// run simulates a scene until its end, from the restart file if there is one.
func (j *job) run(ctx context.Context, s *scene, log io.Writer) error {
	if err := os.MkdirAll(j.out, 0o755); err != nil {
		return err
	}
	until := j.until
	if until == 0 {
		until = s.end
	}
	s.options.Workers = j.workers
	restart := filepath.Join(j.out, j.scene+"-restart.bin")
	world, err := begin(ctx, restart, s)
	if err != nil {
		return err
	}
	frames, err := vtk.Open(filepath.Join(j.out, j.scene+".pvd"))
	if err != nil {
		return err
	}
	for world.Time() < until {
		if err := world.Step(ctx); err != nil {
			return err
		}
		if world.Steps()%s.frameSteps != 0 {
			continue
		}
		if err := frames.Add(world); err != nil {
			return err
		}
		if world.Steps()%s.pictureSteps != 0 {
			continue
		}
		if _, err := fmt.Fprintln(log, line(world)); err != nil {
			return err
		}
		if err := s.draw(ctx, world, j.colors, j.scene, filepath.Join(j.out, fmt.Sprintf("%s-%05d.png", j.scene, world.Steps()))); err != nil {
			return err
		}
		if err := save(world, restart); err != nil {
			return err
		}
	}
	return nil
}

// line describes the state of a world.
func line(w *rigid.World) string {
	gone := 0
	for i := range w.Len() {
		if w.Removed(i) {
			gone++
		}
	}
	return fmt.Sprintf("%.1f s: %d contacts, %s J, %d of %d bodies have left", w.Time(), len(w.Contacts()), rounded(w.Energy().Total()), gone, w.Len())
}

// rounded returns a number with four digits, without an exponent.
func rounded(x float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 3, 64), 64)
	if err != nil {
		return fmt.Sprint(x)
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// begin returns the world of the restart file, or a new world.
func begin(ctx context.Context, restart string, s *scene) (*rigid.World, error) {
	state, err := os.Open(restart)
	if errors.Is(err, os.ErrNotExist) {
		return rigid.New(ctx, s.Scene, s.options)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = state.Close() }() // the file is only read
	world, err := rigid.Load(ctx, state, s.Scene, s.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", restart, err)
	}
	return world, nil
}

// save writes the restart file. The old file remains until the new one is complete.
func save(w *rigid.World, restart string) error {
	var state bytes.Buffer
	if err := w.Save(&state); err != nil {
		return err
	}
	if err := os.WriteFile(restart+".part", state.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(restart+".part", restart)
}
