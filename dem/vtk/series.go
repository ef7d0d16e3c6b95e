// Package vtk writes the frames of a rigid.World for ParaView and other programs that use VTK.
//
//	frames, err := vtk.Open("out/run.pvd")
//	for world.Time() < 5 {
//		if world.Steps()%100 == 0 {
//			err = frames.Add(world)
//		}
//		err = world.Step(ctx)
//	}
//
// A series is an index, run.pvd, and files beside it. run_balls_*.vtp has the balls of a frame as
// points with radii. run_polyhedra_*.vtp has the polyhedra as polygons. run_walls.vtp has the walls
// with meshes; half-spaces are left out. The number in a name is the step. Each body has the arrays
// body (its index), velocity and spin. The array body of a wall is the number of bodies plus the
// index of the wall. Floats have 64 bits and are appended to the XML in binary form.
//
// Each file is complete or absent: it is written under another name and then renamed. The index
// lists a frame only after its files are complete. So an interrupted run leaves a valid series. A
// run that continues from a restart file opens the same series: its first call of Add removes the
// frames from the current step on.
package vtk

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/dem/rigid"
)

// ErrIndex is the error for an index file that Series did not write.
var ErrIndex = errors.New("not the index of a series")

// Series is a series of frames on disk. One goroutine at a time may use it.
type Series struct {
	dir, name string
	frames    []frame
	walls     bool // the file of the walls is written
}

// frame is a frame in the index.
type frame struct {
	step  uint64
	time  float64
	files []string // the file of the balls, then the file of the polyhedra, without folders
}

// Open opens the series with the given index, or begins a new one if the file does not exist. The name
// must end in .pvd. Open creates no file.
//
// Errors: ErrIndex; errors of the file system.
func Open(index string) (*Series, error) {
	name, ok := strings.CutSuffix(filepath.Base(index), ".pvd")
	if !ok || name == "" {
		return nil, fmt.Errorf("vtk: the index %q must have a name that ends in .pvd", index)
	}
	s := &Series{dir: filepath.Dir(index), name: name}
	content, err := os.ReadFile(index)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("vtk: %w", err)
	}
	if err := s.parse(content); err != nil {
		return nil, fmt.Errorf("vtk: %s: %w: %w", index, ErrIndex, err)
	}
	return s, nil
}

// dataSet is an entry of an index.
type dataSet struct {
	Time float64 `xml:"timestep,attr"`
	Part int     `xml:"part,attr"`
	File string  `xml:"file,attr"`
}

// These are the parts of a frame.
const (
	balls = iota
	polyhedra
	walls
)

var partNames = [...]string{"balls", "polyhedra", "walls"}

// fileName returns the name of a file of a frame.
func (s *Series) fileName(part int, step uint64) string {
	if part == walls {
		return s.name + "_walls.vtp"
	}
	return fmt.Sprintf("%s_%s_%09d.vtp", s.name, partNames[part], step)
}

// parse reads an index.
func (s *Series) parse(content []byte) error {
	var file struct {
		XMLName xml.Name  `xml:"VTKFile"`
		Sets    []dataSet `xml:"Collection>DataSet"`
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	if err := d.Decode(&file); err != nil {
		return err
	}
	for _, x := range file.Sets {
		if x.Part == walls && x.File == s.fileName(walls, 0) {
			continue
		}
		if x.Part != balls && x.Part != polyhedra {
			return fmt.Errorf("part %d of the frame at %v is unknown", x.Part, x.Time)
		}
		digits := strings.TrimSuffix(x.File[strings.LastIndexByte(x.File, '_')+1:], ".vtp")
		step, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || s.fileName(x.Part, step) != x.File {
			return fmt.Errorf("the name %q is not that of a frame", x.File)
		}
		if n := len(s.frames); n == 0 || s.frames[n-1].step != step {
			if n > 0 && step < s.frames[n-1].step {
				return fmt.Errorf("the frames are not in the order of their steps: %q", x.File)
			}
			s.frames = append(s.frames, frame{step: step, time: x.Time})
		}
		f := &s.frames[len(s.frames)-1]
		f.files = append(f.files, x.File)
	}
	return nil
}

// Len returns the number of frames.
func (s *Series) Len() int { return len(s.frames) }

// Add writes the current state of the world as a frame. It first removes the frames from the step
// of the world on. It takes time proportional to the number of vertices of all polyhedra and to the
// number of frames. If Add fails, the index on disk keeps the earlier frames.
func (s *Series) Add(w *rigid.World) error {
	hasWalls := slices.ContainsFunc(w.Walls(), func(s *inpoly.Solid) bool { return s != nil })
	if !s.walls && hasWalls {
		if err := s.write(s.fileName(walls, 0), wallMeshes(w).writeTo); err != nil {
			return err
		}
	}
	s.walls = true
	f := frame{step: w.Steps(), time: w.Time()}
	for part, d := range []*polyData{ballPoints(w), polyhedronMeshes(w)} {
		if d.points() == 0 {
			continue
		}
		name := s.fileName(part, f.step)
		if err := s.write(name, d.writeTo); err != nil {
			return err
		}
		f.files = append(f.files, name)
	}
	keep := len(s.frames)
	for keep > 0 && s.frames[keep-1].step >= f.step {
		keep--
	}
	stale := s.frames[keep:]
	frames := append(s.frames[:keep:keep], f)
	if err := s.write(s.name+".pvd", func(out io.Writer) error { return s.writeIndex(out, frames, hasWalls) }); err != nil {
		return err
	}
	s.frames = frames
	for _, old := range stale {
		if old.step == f.step {
			continue
		}
		for _, name := range old.files {
			if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("vtk: %w", err)
			}
		}
	}
	return nil
}

func (s *Series) writeIndex(out io.Writer, frames []frame, hasWalls bool) error {
	b := new(bytes.Buffer)
	b.WriteString("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n")
	put := func(f *frame, part int, name string) {
		fmt.Fprintf(b, "<DataSet timestep=\"%v\" part=\"%d\" file=\"", f.time, part)
		_ = xml.EscapeText(b, []byte(name)) // a Buffer does not fail
		b.WriteString("\"/>\n")
	}
	for i := range frames {
		f := &frames[i]
		for _, name := range f.files {
			part := balls
			if name == s.fileName(polyhedra, f.step) {
				part = polyhedra
			}
			put(f, part, name)
		}
		if hasWalls {
			put(f, walls, s.fileName(walls, 0))
		}
	}
	b.WriteString("</Collection>\n</VTKFile>\n")
	_, err := b.WriteTo(out)
	return err
}

// write writes a file that is complete or absent.
func (s *Series) write(name string, content func(io.Writer) error) (err error) {
	path := filepath.Join(s.dir, name)
	part := path + ".part"
	defer func() {
		if err != nil {
			err = fmt.Errorf("vtk: %w", err)
			_ = os.Remove(part) // the first error is the one to report
		}
	}()
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	err = content(f)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(part, path)
}
