package obj

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/inpoly/inpoly/mesh"
)

// Write writes m as OBJ; see loaders.WriteOBJ.
func Write(w io.Writer, m *mesh.Mesh) error {
	buf := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for _, v := range m.Vertices {
		line = append(line[:0], 'v')
		for _, x := range [3]float64{v.X, v.Y, v.Z} {
			line = strconv.AppendFloat(append(line, ' '), x, 'g', -1, 64)
		}
		buf.Write(append(line, '\n'))
	}
	for _, f := range m.Faces {
		line = append(line[:0], 'f')
		for _, i := range f {
			line = strconv.AppendInt(append(line, ' '), int64(i)+1, 10)
		}
		buf.Write(append(line, '\n'))
	}
	if err := buf.Flush(); err != nil { // the first error of all writes
		return fmt.Errorf("writing OBJ: %w", err)
	}
	return nil
}
