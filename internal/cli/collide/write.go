package collide

import (
	"bufio"
	"errors"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

// These are the headers of the output tables.
const (
	contactHeader = "time,a,b,node,state,x,y,z,depth,nx,ny,nz,bound,face\n"
	faceHeader    = "time,a,b,face_a,face_b\n"
)

// contactWriter writes the table of contacts and optionally the table of touching faces.
type contactWriter struct {
	contacts, faces *bufio.Writer
	line            []byte
	uncertain       int64
	rows, most      int64 // number of rows of both tables, and its limit
}

// createContacts creates the outputs. The caller must call t.CommitOutput or t.DropOutput.
func createContacts(t *term.Terminal, out, faces string) (*contactWriter, error) {
	var files term.Outputs
	t.SetOutput(files)
	create := func(path, header string) (*bufio.Writer, error) {
		w := t.Out
		if !term.IsStdout(path) {
			f, err := atomicfile.Create(path)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
			t.SetOutput(files)
			w = f
		}
		buffer := bufio.NewWriterSize(w, 1<<16)
		_, err := buffer.WriteString(header)
		return buffer, err
	}
	c := &contactWriter{}
	var err error
	if c.contacts, err = create(out, contactHeader); err == nil && faces != "" {
		c.faces, err = create(faces, faceHeader)
	}
	if err != nil {
		t.DropOutput()
		return nil, err
	}
	return c, nil
}

// write appends rows of a step at the given time.
func (c *contactWriter) write(now float64, s *scene, contacts []collide.Contact, faces []collide.FacePair) error {
	if c.rows += int64(len(contacts) + len(faces)); c.rows > c.most {
		err := plural.Errorf("%s: more than %d rows of contacts and triangles until the time %v", s.path, c.most, now)
		return term.WithHint(err, "--max-contacts N allows more")
	}
	for i := range contacts {
		x := &contacts[i]
		state := "in"
		switch x.Side {
		case inpoly.OnSurface:
			state = "on"
		case inpoly.Unknown:
			state = answer.UncertainName
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
	for _, x := range faces {
		c.begin(now, s, x.A, x.B)
		c.integer(x.FaceA)
		c.integer(x.FaceB)
		if err := c.end(c.faces); err != nil {
			return err
		}
	}
	return nil
}

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

func (c *contactWriter) flush() error {
	err := c.contacts.Flush()
	if c.faces != nil {
		err = errors.Join(err, c.faces.Flush())
	}
	return err
}

// appendNumber appends the shortest decimal number that parses to x. It appends NaN as nan and −0
// as 0.
func appendNumber(b []byte, x float64) []byte {
	if x != x {
		return append(b, "nan"...)
	}
	return strconv.AppendFloat(b, x+0, 'g', -1, 64)
}

// cell returns a name as a CSV cell. It adds quotes if they are necessary.
func cell(name string) string {
	if name == strings.TrimSpace(name) && !strings.ContainsAny(name, ",\"\r\n#") {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
