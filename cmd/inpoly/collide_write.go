package main

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/ask"
	"github.com/inpoly/inpoly/internal/atomicfile"
)

var zeroVector r3.Vector

// contactHeader and faceHeader are the first lines of the tables.
const (
	contactHeader = "time,a,b,node,state,x,y,z,depth,nx,ny,nz,bound,face\n"
	faceHeader    = "time,a,b,face_a,face_b\n"
)

// contactWriter writes contacts, and faces that touch if faces is not nil.
type contactWriter struct {
	contacts, faces *bufio.Writer
	line            []byte
	uncertain       int64
}

// bothFiles are output files that are there both or neither, unless the second cannot be
// named.
type bothFiles []*atomicfile.File

func (b bothFiles) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (b bothFiles) Commit() error {
	for i, f := range b {
		if err := f.Commit(); err != nil {
			b[i:].Abort()
			return err
		}
	}
	return nil
}

func (b bothFiles) Abort() {
	for _, f := range b {
		f.Abort()
	}
}

// createContacts begins the outputs; dropOutput ends them.
func (a *app) createContacts(out, faces string) (*contactWriter, error) {
	var files bothFiles
	a.setOutput(&files)
	create := func(path string) (io.Writer, error) {
		if onlyStdout(path) {
			return a.out, nil
		}
		f, err := atomicfile.Create(path)
		if err != nil {
			return nil, err
		}
		a.mu.Lock()
		files = append(files, f)
		a.mu.Unlock()
		return f, nil
	}
	c := &contactWriter{}
	for _, t := range []struct {
		path, header string
		to           **bufio.Writer
		wanted       bool
	}{{out, contactHeader, &c.contacts, true}, {faces, faceHeader, &c.faces, faces != ""}} {
		if !t.wanted {
			continue
		}
		w, err := create(t.path)
		if err == nil {
			*t.to = bufio.NewWriterSize(w, 1<<16)
			_, err = (*t.to).WriteString(t.header)
		}
		if err != nil {
			a.dropOutput()
			return nil, err
		}
	}
	return c, nil
}

// write writes the contacts of a step.
func (c *contactWriter) write(now float64, s *scene, w *collide.World) error {
	for _, x := range w.Contacts() {
		state := "in"
		switch x.Side {
		case inpoly.OnSurface:
			state = "on"
		case inpoly.Unknown:
			state = ask.Unsure
			c.uncertain++
		}
		c.begin(now, s, x.A, x.B)
		c.integer(x.Node)
		c.line = append(append(c.line, ','), state...)
		for _, v := range [...]float64{x.Point.X, x.Point.Y, x.Point.Z, x.Depth, x.Normal.X, x.Normal.Y, x.Normal.Z, x.Bound} {
			c.line = appendNumber(append(c.line, ','), v)
		}
		c.integer(x.Face)
		if err := c.end(c.contacts); err != nil {
			return err
		}
	}
	for _, x := range w.FacePairs() {
		c.begin(now, s, x.A, x.B)
		c.integer(x.FaceA)
		c.integer(x.FaceB)
		if err := c.end(c.faces); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a row with the time and the names of two bodies.
func (c *contactWriter) begin(now float64, s *scene, a, b int32) {
	c.line = appendNumber(c.line[:0], now)
	c.line = append(append(c.line, ','), cell(s.bodies[a].name)...)
	c.line = append(append(c.line, ','), cell(s.bodies[b].name)...)
}

func (c *contactWriter) integer(i int32) {
	c.line = strconv.AppendInt(append(c.line, ','), int64(i), 10)
}

func (c *contactWriter) end(w *bufio.Writer) error {
	c.line = append(c.line, '\n')
	_, err := w.Write(c.line)
	return err
}

// flush writes what is in the buffers.
func (c *contactWriter) flush() error {
	err := c.contacts.Flush()
	if c.faces != nil {
		err = errors.Join(err, c.faces.Flush())
	}
	return err
}

// appendNumber appends a number so that reading gives the same, 0 without a sign and NaN
// as nan.
func appendNumber(b []byte, x float64) []byte {
	if x != x {
		return append(b, "nan"...)
	}
	return strconv.AppendFloat(b, x+0, 'g', -1, 64)
}

// cell quotes a name for CSV if it needs that.
func cell(name string) string {
	if name == strings.TrimSpace(name) && !strings.ContainsAny(name, ",\"\r\n#") {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
