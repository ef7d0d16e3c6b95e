package vtk

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/mesh"
)

// polyData is the content of a file of the type PolyData (VTK file formats, "XML File Formats").
type polyData struct {
	vertices []r3.Vector
	faces    [][3]int32 // triangles; without triangles, each vertex is a cell
	// The arrays below have one value for each point of balls, or for each face of polyhedra.
	body           []int32
	radius         []float64
	velocity, spin []r3.Vector
}

func (d *polyData) points() int { return len(d.vertices) }

func ballPoints(w *rigid.World) *polyData {
	d := new(polyData)
	for i := range w.Len() {
		if r := w.Shape(i).Radius(); r > 0 && !w.Removed(i) {
			d.vertices, d.radius = append(d.vertices, w.Center(i)), append(d.radius, r)
			d.addMotion(w, i)
		}
	}
	return d
}

func polyhedronMeshes(w *rigid.World) *polyData {
	d := new(polyData)
	for i := range w.Len() {
		if s := w.Shape(i).Solid(); s != nil && !w.Removed(i) {
			p := w.Pose(i)
			d.addMesh(s.Mesh(), p.Apply)
			for range s.Mesh().Faces {
				d.addMotion(w, i)
			}
		}
	}
	return d
}

// wallMeshes returns the walls that have meshes. A half-space has none.
func wallMeshes(w *rigid.World) *polyData {
	d := new(polyData)
	for i, s := range w.Walls() {
		if s == nil {
			continue
		}
		d.addMesh(s.Mesh(), func(v r3.Vector) r3.Vector { return v })
		for range s.Mesh().Faces {
			d.body = append(d.body, int32(w.Len()+i))
		}
	}
	return d
}

func (d *polyData) addMotion(w *rigid.World, i int) {
	v, spin := w.Velocity(i)
	d.body, d.velocity, d.spin = append(d.body, int32(i)), append(d.velocity, v), append(d.spin, spin)
}

func (d *polyData) addMesh(m *mesh.Mesh, place func(r3.Vector) r3.Vector) {
	first := int32(len(d.vertices))
	for _, v := range m.Vertices {
		d.vertices = append(d.vertices, place(v))
	}
	for _, f := range m.Faces {
		d.faces = append(d.faces, [3]int32{f[0] + first, f[1] + first, f[2] + first})
	}
}

// array is a block of the appended data.
type array struct {
	kind, name string
	components int
	data       any // for binary.Write
	bytes      int
}

// writeTo writes the file. The XML describes the arrays and their places in the appended data.
func (d *polyData) writeTo(out io.Writer) error {
	if len(d.vertices) > math.MaxInt32 || len(d.faces) > math.MaxInt32/3 {
		return fmt.Errorf("%d vertices and %d faces: too many for a frame", len(d.vertices), len(d.faces))
	}
	b := bufio.NewWriter(out)
	var arrays []array
	offset := 0
	declare := func(kind, name string, components int, data any) {
		a := array{kind, name, components, data, binary.Size(data)}
		fmt.Fprintf(b, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%d\"/>\n", kind, name, components, offset)
		offset += 8 + a.bytes
		arrays = append(arrays, a)
	}
	cells, corners := len(d.faces), 3
	if cells == 0 {
		cells, corners = len(d.vertices), 1
	}
	connectivity, offsets := make([]int32, cells*corners), make([]int32, cells)
	for i := range connectivity {
		connectivity[i] = int32(i)
		if corners == 3 {
			connectivity[i] = d.faces[i/3][i%3]
		}
	}
	for i := range offsets {
		offsets[i] = int32(corners * (i + 1))
	}
	values := func() {
		declare("Int32", "body", 1, d.body)
		if d.radius != nil {
			declare("Float64", "radius", 1, d.radius)
		}
		if d.velocity != nil {
			declare("Float64", "velocity", 3, d.velocity)
			declare("Float64", "spin", 3, d.spin)
		}
	}
	verts, polys, kind, section := 0, cells, "Polys", "CellData"
	if corners == 1 {
		verts, polys, kind, section = cells, 0, "Verts", "PointData"
	}
	fmt.Fprintf(b, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"+
		"<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n<%s>\n", len(d.vertices), verts, polys, section)
	values()
	fmt.Fprintf(b, "</%s>\n<Points>\n", section)
	declare("Float64", "Points", 3, d.vertices)
	fmt.Fprintf(b, "</Points>\n<%s>\n", kind)
	declare("Int32", "connectivity", 1, connectivity)
	declare("Int32", "offsets", 1, offsets)
	fmt.Fprintf(b, "</%s>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", kind)
	for _, a := range arrays {
		if err := binary.Write(b, binary.LittleEndian, uint64(a.bytes)); err != nil {
			return err
		}
		if err := binary.Write(b, binary.LittleEndian, a.data); err != nil {
			return err
		}
	}
	b.WriteString("\n</AppendedData>\n</VTKFile>\n")
	return b.Flush()
}
