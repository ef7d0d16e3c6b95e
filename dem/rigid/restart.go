package rigid

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"github.com/golang/geo/r3"
)

// ErrRestart is the error for a restart file that is damaged, incomplete, of another format, or from
// another scene.
var ErrRestart = errors.New("bad restart file")

// magic is the first line of a restart file. It has the version of the format.
const magic = "inpoly rigid restart 3\n"

// head is the head of a restart file.
type head struct {
	Scene    uint32 // checksum of the scene and the time step; see World.fingerprint
	Bodies   uint32
	Contacts uint64
	Steps    uint64
}

// savedBody is the state of a body in a restart file.
type savedBody struct {
	Rotation                                                     [4]float64
	Translation, Center, Velocity, Momentum, Spin, Force, Torque r3.Vector
	Removed                                                      bool
}

// Save writes the whole state, so that Load continues the trajectory as if it had not been
// interrupted, bit for bit. The file does not contain the scene. It ends with a checksum. All
// numbers are little-endian, so every machine can read the file.
func (w *World) Save(out io.Writer) error {
	b := bufio.NewWriter(out)
	sum := crc32.New(castagnoli)
	f := io.MultiWriter(b, sum)
	s := &w.now
	parts := []any{[]byte(magic), head{w.fingerprint(), uint32(len(s.motions)), uint64(len(s.contacts)), w.steps}}
	for i := range s.motions {
		m := &s.motions[i]
		q := m.pose.Rotation
		parts = append(parts, &savedBody{
			[4]float64{q.Real, q.Imag, q.Jmag, q.Kmag}, m.pose.Translation, m.center, m.velocity, m.momentum, m.spin, m.force, m.torque, m.removed})
	}
	for i := range s.contacts {
		parts = append(parts, &s.contacts[i])
	}
	for _, part := range parts {
		if err := binary.Write(f, binary.LittleEndian, part); err != nil {
			return fmt.Errorf("rigid: writing a restart file: %w", err)
		}
	}
	err := binary.Write(b, binary.LittleEndian, sum.Sum32())
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("rigid: writing a restart file: %w", err)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fingerprint returns a checksum of everything that the trajectory depends on besides the state: the
// shapes and densities, the walls, gravity, bounds and time step. It does not include the law, which
// can be any code.
func (w *World) fingerprint() uint32 {
	sum := crc32.New(castagnoli)
	put := func(x any) {
		_ = binary.Write(sum, binary.LittleEndian, x) // a hash accepts everything
	}
	put([]float64{w.opt.TimeStep, w.gravity.X, w.gravity.Y, w.gravity.Z})
	put([]r3.Vector{w.bounds.Min, w.bounds.Max})
	put(w.opt.Contacts)
	put(w.cell)
	meshes := map[*surface]uint32{}
	mesh := func(f *surface) {
		if f == nil {
			return
		}
		if _, known := meshes[f]; !known {
			meshes[f] = f.checksum()
		}
		put(meshes[f])
	}
	for i := range w.bodies {
		b := &w.bodies[i]
		put([]float64{b.shape.radius, b.density})
		mesh(b.shape.surface)
		if l := b.shape.layered; l != nil {
			put(int64(len(l.parts)))
			for k := range l.parts {
				put(l.parts[k].Checksum())
			}
		}
	}
	for i := range w.walls {
		put(w.walls[i].thickness)
		mesh(w.walls[i].surface)
		if h := w.walls[i].halfSpace; h != nil {
			put(*h)
		}
	}
	return sum.Sum32()
}

func (f *surface) checksum() uint32 {
	sum := crc32.New(castagnoli)
	_ = binary.Write(sum, binary.LittleEndian, f.mesh.Vertices)
	_ = binary.Write(sum, binary.LittleEndian, f.mesh.Faces)
	return sum.Sum32()
}

// Load returns a World with the state that Save has written. The scene, the options and the law
// must be the same as for the saved World. Load ignores the poses and velocities of the bodies of
// the scene. Options.Workers can be different.
//
// Errors: the errors of New; an error that wraps ErrRestart; an error of r.
func Load(ctx context.Context, r io.Reader, scene Scene, o Options) (*World, error) {
	w, err := New(ctx, scene, o)
	if err != nil {
		return nil, err
	}
	sum := crc32.New(castagnoli)
	in := &checkedReader{bufio.NewReader(r), sum}
	first := make([]byte, len(magic))
	if err := in.read(first); err != nil {
		return nil, err
	}
	if !bytes.Equal(first, []byte(magic)) {
		return nil, fmt.Errorf("rigid: %w: it does not begin with %q", ErrRestart, magic)
	}
	var h head
	if err := in.read(&h); err != nil {
		return nil, err
	}
	if int64(h.Bodies) != int64(len(w.bodies)) || h.Scene != w.fingerprint() {
		return nil, fmt.Errorf("rigid: %w: it belongs to another scene or another time step", ErrRestart)
	}
	if err := w.read(in, h.Contacts); err != nil {
		return nil, err
	}
	want := sum.Sum32()
	var got uint32
	if err := in.read(&got); err != nil {
		return nil, err
	}
	if got != want {
		return nil, fmt.Errorf("rigid: %w: the checksum is %08x, must be %08x", ErrRestart, got, want)
	}
	w.steps = h.Steps
	return w, nil
}

type checkedReader struct {
	io.Reader
	sum hash.Hash32
}

// read reads one value. The end of the file is an error that wraps ErrRestart.
func (r *checkedReader) read(x any) error {
	err := binary.Read(io.TeeReader(r.Reader, r.sum), binary.LittleEndian, x)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("rigid: %w: it ends too early", ErrRestart)
	case err != nil:
		return fmt.Errorf("rigid: reading a restart file: %w", err)
	}
	return nil
}

// read reads and checks the bodies and the contacts.
func (w *World) read(in *checkedReader, contacts uint64) error {
	s := &w.now
	for i := range s.motions {
		var b savedBody
		if err := in.read(&b); err != nil {
			return err
		}
		m := &s.motions[i]
		q := &m.pose.Rotation
		q.Real, q.Imag, q.Jmag, q.Kmag = b.Rotation[0], b.Rotation[1], b.Rotation[2], b.Rotation[3]
		m.pose.Translation, m.center, m.velocity, m.momentum = b.Translation, b.Center, b.Velocity, b.Momentum
		m.spin, m.force, m.torque, m.removed = b.Spin, b.Force, b.Torque, b.Removed
		m.rotation = matrixOf(*q)
		valid := m.pose.Check() == nil
		for _, v := range []r3.Vector{m.center, m.velocity, m.momentum, m.spin, m.force, m.torque} {
			valid = valid && finite(v)
		}
		if !valid {
			return fmt.Errorf("rigid: %w: the state of body %d is invalid", ErrRestart, i)
		}
	}
	s.contacts, s.keys = s.contacts[:0], s.keys[:0]
	for i := range contacts {
		var c Contact
		if err := in.read(&c); err != nil {
			return err
		}
		if !w.validContact(&c) {
			return invalidContact(i)
		}
		k := w.keyOf(&c)
		if n := len(s.keys); n > 0 {
			// A ball can have several contacts with a body.
			if order := compareKeys(s.keys[n-1], k); order > 0 || order == 0 && c.Kind != Ball {
				return invalidContact(i)
			}
		}
		s.contacts, s.keys = append(s.contacts, c), append(s.keys, k)
	}
	return nil
}

func invalidContact(i uint64) error {
	return fmt.Errorf("rigid: %w: contact %d is invalid", ErrRestart, i)
}

func (w *World) validContact(c *Contact) bool {
	n := int64(len(w.bodies))
	valid := c.A >= 0 && int64(c.A) < n && c.B >= 0 && int64(c.B) < n+int64(len(w.walls)) && c.Kind >= Ball && c.Kind <= FaceOfB && c.Part >= 0
	for _, v := range []r3.Vector{c.Point, c.Normal, c.Velocity, c.Spring, c.Force, {X: c.Depth, Y: c.Area, Z: c.Mass}, {X: c.Pitch}, w.shift(c.Image)} {
		valid = valid && finite(v)
	}
	for i, n := range c.Image {
		valid = valid && (n == 0 || w.cell.Periodic[i])
	}
	return valid && c.Depth > 0 && c.Depth <= math.MaxFloat64
}
