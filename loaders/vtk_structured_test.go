package loaders

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

// testGrid is a structured grid. The index of the first direction varies fastest in its points, cell flags
// and point flags.
type testGrid struct {
	n          [3]int
	points     []float64
	cellFlags  []uint8
	pointFlags []uint8
}

// numbers returns numbers as text.
func numbers(values any) string { return strings.Trim(fmt.Sprint(values), "[]") }

// point returns the index of a point.
func (g *testGrid) point(i, j, k int) int { return i + g.n[0]*(j+g.n[1]*k) }

// cells returns the corners of the visible cells, as quads or hexahedra.
func (g *testGrid) cells() (cells [][]int) {
	c := 0
	layers := func(n int) int { return max(n-1, 1) }
	for k := range layers(g.n[2]) {
		for j := range layers(g.n[1]) {
			for i := range layers(g.n[0]) {
				var cell []int
				switch p := g.point; {
				case g.n[0] == 1:
					cell = []int{p(i, j, k), p(i, j+1, k), p(i, j+1, k+1), p(i, j, k+1)}
				case g.n[1] == 1:
					cell = []int{p(i, j, k), p(i+1, j, k), p(i+1, j, k+1), p(i, j, k+1)}
				case g.n[2] == 1:
					cell = []int{p(i, j, k), p(i+1, j, k), p(i+1, j+1, k), p(i, j+1, k)}
				default:
					cell = []int{p(i, j, k), p(i+1, j, k), p(i+1, j+1, k), p(i, j+1, k), p(i, j, k+1), p(i+1, j, k+1), p(i+1, j+1, k+1), p(i, j+1, k+1)}
				}
				hidden := g.cellFlags != nil && g.cellFlags[c]&33 != 0
				for _, v := range cell {
					hidden = hidden || g.pointFlags != nil && g.pointFlags[v]&2 != 0
				}
				if !hidden {
					cells = append(cells, cell)
				}
				c++
			}
		}
	}
	return cells
}

// unstructured returns a legacy file with the visible cells as an unstructured grid.
func (g *testGrid) unstructured() string {
	var t strings.Builder
	cells := g.cells()
	fmt.Fprintf(&t, "%sPOINTS %d double\n%s\n", vtkHead("ASCII", "UNSTRUCTURED_GRID"), len(g.points)/3, numbers(g.points))
	size := 0
	for _, c := range cells {
		size += 1 + len(c)
	}
	fmt.Fprintf(&t, "CELLS %d %d\n", len(cells), size)
	for _, c := range cells {
		fmt.Fprintln(&t, len(c), numbers(c))
	}
	fmt.Fprintf(&t, "CELL_TYPES %d\n", len(cells))
	for _, c := range cells {
		fmt.Fprintln(&t, map[int]int{4: 9, 8: 12}[len(c)])
	}
	return t.String()
}

// legacy returns the structured grid as a legacy file. It writes point flags as BLANKING.
func (g *testGrid) legacy(isBinary bool) string {
	kind, values := "ASCII", func(v any) string { return numbers(v) }
	if isBinary {
		kind, values = "BINARY", func(v any) string { return pack(binary.BigEndian, v) }
	}
	blanking := ""
	if g.pointFlags != nil {
		visible := make([]uint8, len(g.pointFlags))
		for i, f := range g.pointFlags {
			visible[i] = 1 - f>>1&1
		}
		blanking = fmt.Sprintf("BLANKING %d unsigned_char\n%s\n", len(visible), values(visible))
	}
	return fmt.Sprintf("%sDIMENSIONS %s\n%sPOINTS %d double\n%s\n", vtkHead(kind, "STRUCTURED_GRID"), numbers(g.n), blanking, len(g.points)/3, values(g.points))
}

// piece writes a piece with the points of the ranges from[a] ≤ i ≤ to[a].
func (g *testGrid) piece(w *vtkWriter, from, to [3]int) {
	fmt.Fprintf(&w.body, "<Piece Extent=\"%d %d %d %d %d %d\"><PointData>", from[0], to[0], from[1], to[1], from[2], to[2])
	var points []float64
	var flags []uint8
	for k := from[2]; k <= to[2]; k++ {
		for j := from[1]; j <= to[1]; j++ {
			for i := from[0]; i <= to[0]; i++ {
				p := g.point(i, j, k)
				points = append(points, g.points[3*p:3*p+3]...)
				if g.pointFlags != nil {
					flags = append(flags, g.pointFlags[p])
				}
			}
		}
	}
	if g.pointFlags != nil {
		w.array("vtkGhostType", flags)
	}
	w.body.WriteString("</PointData><CellData>")
	if g.cellFlags != nil {
		w.array("vtkGhostType", g.cellFlags)
	}
	w.body.WriteString("</CellData><Points>")
	w.array("Points", points)
	w.body.WriteString("</Points></Piece>\n")
}

// vts returns an XML file with the pieces that a function writes.
func (g *testGrid) vts(v vtkVariant, write func(w *vtkWriter)) string {
	w := &vtkWriter{vtkVariant: v}
	write(w)
	whole := fmt.Sprintf("<StructuredGrid WholeExtent=\"0 %d 0 %d 0 %d\">", g.n[0]-1, g.n[1]-1, g.n[2]-1)
	return strings.Replace(w.file("StructuredGrid"), "<StructuredGrid>", whole, 1)
}

// single returns an XML file with one piece.
func (g *testGrid) single(v vtkVariant) string {
	return g.vts(v, func(w *vtkWriter) { g.piece(w, [3]int{}, [3]int{g.n[0] - 1, g.n[1] - 1, g.n[2] - 1}) })
}

// randomGrid returns a random grid. On a coarse lattice, points often coincide and cells are often flat or
// reversed.
func randomGrid(r *rand.Rand) *testGrid {
	g := &testGrid{}
	for a := range g.n {
		g.n[a] = 1 + r.IntN(4)
	}
	if flat := r.IntN(3); g.n[flat] == 1 || r.IntN(3) == 0 { // exactly one flat direction, or none
		for a := range g.n {
			g.n[a] = max(g.n[a], 2)
		}
		g.n[flat] = 1
	} else {
		for a := range g.n {
			g.n[a] = max(g.n[a], 2)
		}
	}
	coarse, mirror := r.IntN(2) == 0, float64(1-2*r.IntN(2))
	for k := range g.n[2] {
		for j := range g.n[1] {
			for i := range g.n[0] {
				for a, x := range [3]float64{mirror * float64(i), float64(j), float64(k)} {
					switch {
					case !coarse:
						x += 0.3 * r.Float64()
					case a == r.IntN(3):
						x = float64(r.IntN(3))
					}
					g.points = append(g.points, x)
				}
			}
		}
	}
	flags := func(n int, choices ...uint8) []uint8 {
		list := make([]uint8, n)
		for i := range list {
			if r.IntN(4) == 0 {
				list[i] = choices[r.IntN(len(choices))]
			}
		}
		return list
	}
	if r.IntN(3) == 0 {
		n := 1
		for _, k := range g.n {
			n *= max(k-1, 1)
		}
		g.cellFlags = flags(n, 1, 2, 32, 33)
	}
	if r.IntN(3) == 0 {
		g.pointFlags = flags(len(g.points)/3, 1, 2)
	}
	return g
}

// sample returns the number of random cases.
func sample(few, full int) int {
	if os.Getenv("INPOLY_FULL") != "" {
		return full
	}
	return few
}

// sameNotes reports whether notes agree, except those about skipped cells.
func sameNotes(a, b []string) bool {
	kept := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.HasPrefix(s, "skipped") })
	}
	return slices.Equal(kept(a), kept(b))
}

// A structured grid gives the same mesh as the unstructured grid of its visible cells.
func TestVTKStructuredTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 2))
	variants := vtkVariants()
	read, cases := 0, sample(150, 50000)
	for range cases {
		g := randomGrid(r)
		want, wantInfo, wantErr := readString("a.vtk", g.unstructured())
		files := map[string]string{"a.vts": g.single(variants[r.IntN(len(variants))])}
		if g.cellFlags == nil {
			files["a.vtk"], files["b.vtk"] = g.legacy(false), g.legacy(true)
		}
		for name, data := range files {
			got, info, err := readString(name, data)
			if wantErr != nil {
				if !errors.Is(wantErr, ErrNoTriangles) || !errors.Is(err, ErrNoTriangles) {
					t.Fatalf("%s: got %v, want %v\n%s", name, err, wantErr, data)
				}
				continue
			}
			if err != nil || describe(got) != describe(want) || len(got.Vertices) != len(want.Vertices) || !sameNotes(info.Notes, wantInfo.Notes) {
				t.Fatalf("%s: error %v, notes %q, want %q\n%s", name, err, info.Notes, wantInfo.Notes, data)
			}
			read++
		}
	}
	if read < cases {
		t.Errorf("only %d meshes were compared", read)
	}
}

// triangles returns the triangles of a soup as sorted text, so that their order and first corner make no
// difference.
func triangles(s *mesh.Soup) string {
	var list []string
	for _, f := range s.Faces {
		v := [3]string{}
		for k, i := range f {
			v[k] = fmt.Sprint(s.Vertices[i])
		}
		for v[0] > v[1] || v[0] > v[2] {
			v = [3]string{v[1], v[2], v[0]}
		}
		list = append(list, strings.Join(v[:], " "))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// planarGrid returns a grid of planar faces, whose triangles do not depend on the first corner of a quad: the
// sums of shifts in each direction.
func planarGrid(r *rand.Rand) *testGrid {
	g := &testGrid{n: [3]int{2 + r.IntN(3), 2 + r.IntN(3), 1 + r.IntN(4)}}
	var axes [3][]float64
	for a, n := range g.n {
		x := 0.0
		for range n {
			axes[a] = append(axes[a], x)
			x += 0.25 + r.Float64()
		}
	}
	for _, z := range axes[2] {
		for _, y := range axes[1] {
			for _, x := range axes[0] {
				g.points = append(g.points, x, y, z)
			}
		}
	}
	return g
}

// The pieces of a grid give the same surface as the grid in one piece, also if they overlap.
func TestVTKStructuredPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 3))
	variants := vtkVariants()
	overlaps := 0
	for range sample(150, 10000) {
		g := planarGrid(r)
		axis := r.IntN(2)
		at := 1 + r.IntN(g.n[axis]-1)
		back := r.IntN(at + 1)
		data := g.vts(variants[r.IntN(len(variants))], func(w *vtkWriter) {
			from, to := [3]int{}, [3]int{g.n[0] - 1, g.n[1] - 1, g.n[2] - 1}
			first := to
			first[axis] = at
			g.piece(w, from, first)
			w.body.WriteString("<Piece Extent=\"0 -1 0 -1 0 -1\"></Piece>")
			from[axis] = min(at-back, g.n[axis]-2)
			g.piece(w, from, to)
		})
		want, wantInfo, err := readString("a.vtk", g.legacy(false))
		if err != nil {
			t.Fatal(err)
		}
		got, info, err := readString("a.vts", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		checkSoup(t, got)
		// Quads begin at their lowest vertex, and the order of vertices depends on the pieces. So the quads
		// of the solid are compared by their volume and area in all directions.
		if a, b := totalOf(got), totalOf(want); len(got.Faces) != len(want.Faces) || !near(a.volume, b.volume) || a.low != b.low || a.high != b.high || !sameNotes(info.Notes, wantInfo.Notes) {
			t.Fatalf("%d triangles, %+v, want %d, %+v; notes %q, want %q\n%s", len(got.Faces), a, len(want.Faces), b, info.Notes, wantInfo.Notes, data)
		}
		if g.n[2] == 1 && triangles(got) != triangles(want) {
			t.Fatalf("got\n%s\nwant\n%s\n%s", triangles(got), triangles(want), data)
		}
		if notes := strings.Join(info.Notes, "|"); strings.Contains(notes, "that an earlier piece of the grid has") {
			overlaps++
		}
	}
	if overlaps < 25 {
		t.Errorf("only %d files have pieces that overlap", overlaps)
	}
}

// A rectilinear grid gives the same mesh as a structured grid with the same points, also if its coordinates
// decrease, repeat or turn around.
func TestVTKRectilinearTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 4))
	variants := vtkVariants()
	for range sample(200, 50000) {
		var axes [3][]float64
		g := &testGrid{}
		for a := range axes {
			g.n[a] = 2 + r.IntN(4)
			if a == 2 && r.IntN(3) == 0 {
				g.n[a] = 1
			}
			step := []float64{1, -1, 0}[r.IntN(3)]
			for i := range g.n[a] {
				x := step * float64(i)
				if step == 0 {
					x = float64(r.IntN(3))
				}
				axes[a] = append(axes[a], x)
			}
		}
		for _, z := range axes[2] {
			for _, y := range axes[1] {
				for _, x := range axes[0] {
					g.points = append(g.points, x, y, z)
				}
			}
		}
		w := &vtkWriter{vtkVariant: variants[r.IntN(len(variants))]}
		extent := fmt.Sprintf("5 %d -3 %d 0 %d", 4+g.n[0], g.n[1]-4, g.n[2]-1)
		fmt.Fprintf(&w.body, "<Piece Extent=%q><Coordinates>", extent)
		text, packed := vtkHead("ASCII", "RECTILINEAR_GRID"), vtkHead("BINARY", "RECTILINEAR_GRID")
		text += "DIMENSIONS " + numbers(g.n) + "\n"
		packed += "EXTENT " + extent + "\n"
		for a, name := range []string{"X", "Y", "Z"} {
			w.array(fmt.Sprint("any name ", a), axes[a])
			text += fmt.Sprintf("%s_COORDINATES %d float\n%s\n", name, len(axes[a]), numbers(axes[a]))
			packed += fmt.Sprintf("%s_COORDINATES %d double\n%s\n", name, len(axes[a]), pack(binary.BigEndian, axes[a]))
		}
		w.body.WriteString("</Coordinates></Piece>")
		xml := strings.Replace(w.file("RectilinearGrid"), "<RectilinearGrid>", fmt.Sprintf("<RectilinearGrid WholeExtent=%q>", extent), 1)
		want, wantInfo, wantErr := readString("a.vtk", g.unstructured())
		for name, data := range map[string]string{"text.vtk": text + "POINT_DATA 3\n", "binary.vtk": packed, "a.vtr": xml} {
			got, info, err := readString(name, data)
			if wantErr != nil {
				if !errors.Is(wantErr, ErrNoTriangles) || !errors.Is(err, ErrNoTriangles) {
					t.Fatalf("%s: got %v, want %v\n%s", name, err, wantErr, data)
				}
				continue
			}
			if err != nil || describe(got) != describe(want) || !slices.Equal(info.Notes, wantInfo.Notes) || info.StoredVertices != wantInfo.StoredVertices || info.Polygons != wantInfo.Polygons {
				t.Fatalf("%s: error %v, notes %q, want %q\n%s", name, err, info.Notes, wantInfo.Notes, data)
			}
		}
	}
}

const vtkExtentNote = "the mesh is the extent of the image, because its values are not read"

// vtkImage returns an XML file of image data with the given attributes and pieces.
func vtkImage(attributes string, pieces ...string) string {
	t := "<VTKFile type=\"ImageData\">\n<ImageData " + attributes + ">\n"
	for _, p := range pieces {
		t += "<Piece Extent=\"" + p + "\"></Piece>\n"
	}
	return t + "</ImageData>\n</VTKFile>\n"
}

// Image data gives the same mesh as a structured grid with the same points.
func TestVTKImageTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 5))
	pick := func(list ...float64) float64 { return list[r.IntN(len(list))] }
	for range sample(200, 50000) {
		g := &testGrid{n: [3]int{2 + r.IntN(4), 2 + r.IntN(4), 1 + r.IntN(5)}}
		from := [3]int{r.IntN(5) - 2, r.IntN(5) - 2, r.IntN(5) - 2}
		origin, spacing := [3]float64{}, [3]float64{}
		for a := range origin {
			origin[a], spacing[a] = pick(0, 1, -2.5), pick(1, 0.5, -3, 0.25, 2, -1, 4, 0)
		}
		direction := [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
		rotated := r.IntN(2) == 0
		if rotated {
			for a := range direction {
				direction[a] = pick(0, 1, -1, 0.5)
			}
		}
		for k := range g.n[2] {
			for j := range g.n[1] {
				for i := range g.n[0] {
					for a := range 3 { // exact, because the numbers are small multiples of powers of two
						x := origin[a]
						for b, index := range [3]int{i + from[0], j + from[1], k + from[2]} {
							x += direction[3*a+b] * spacing[b] * float64(index)
						}
						g.points = append(g.points, x)
					}
				}
			}
		}
		extent := fmt.Sprint(from[0], " ", from[0]+g.n[0]-1, " ", from[1], " ", from[1]+g.n[1]-1, " ", from[2], " ", from[2]+g.n[2]-1)
		files := map[string]string{"a.vti": vtkImage(fmt.Sprintf("WholeExtent=%q Origin=%q Spacing=%q Direction=%q", extent, numbers(origin), numbers(spacing), numbers(direction)), extent)}
		if !rotated {
			files["a.vtk"] = vtkHead("BINARY", "STRUCTURED_POINTS") + fmt.Sprintf("EXTENT %s\nSPACING %s\nORIGIN %s\nPOINT_DATA 0\n", extent, numbers(spacing), numbers(origin))
		}
		want, wantInfo, wantErr := readString("a.vtk", g.unstructured())
		for name, data := range files {
			got, info, err := readString(name, data)
			if wantErr != nil {
				if !errors.Is(wantErr, ErrNoTriangles) || !errors.Is(err, ErrNoTriangles) {
					t.Fatalf("%s: got %v, want %v\n%s", name, err, wantErr, data)
				}
				continue
			}
			notes := slices.DeleteFunc(slices.Clone(info.Notes), func(s string) bool { return s == vtkExtentNote })
			if err != nil || describe(got) != describe(want) || len(notes) != len(info.Notes)-1 || !slices.Equal(notes, wantInfo.Notes) || info.StoredVertices != wantInfo.StoredVertices || info.Polygons != wantInfo.Polygons {
				t.Fatalf("%s: error %v, notes %q, want %q\n%s", name, err, info.Notes, wantInfo.Notes, data)
			}
		}
	}
}

// boxFile returns a structured grid of two cubes in two pieces. The second piece has a third, hidden cell.
func boxFile(v vtkVariant) string {
	g := &testGrid{n: [3]int{4, 2, 2}, cellFlags: nil}
	for k := range 2 {
		for j := range 2 {
			for i := range 4 {
				g.points = append(g.points, float64(i), float64(j), float64(k))
			}
		}
	}
	return g.vts(v, func(w *vtkWriter) {
		g.piece(w, [3]int{}, [3]int{1, 1, 1})
		g.cellFlags = []uint8{0, 32}
		g.piece(w, [3]int{1, 0, 0}, [3]int{3, 1, 1})
	})
}

// axesFile returns a rectilinear grid of four cells.
func axesFile(v vtkVariant) string {
	w := &vtkWriter{vtkVariant: v}
	w.body.WriteString("<Piece Extent=\"0 1 -2 0 7 9\"><PointData></PointData><Coordinates>")
	w.array("x", []float32{0, 1})
	w.array("y", []int16{0, 1, 3})
	w.array("z", []float64{0, 0.5, 1})
	w.body.WriteString("</Coordinates></Piece>")
	return strings.Replace(w.file("RectilinearGrid"), "<RectilinearGrid>", `<RectilinearGrid WholeExtent="0 1 -2 0 7 9">`, 1)
}

func TestVTKStructuredXMLAccepted(t *testing.T) {
	text := vtkVariants()[0]
	box, axes := boxFile(text), axesFile(text)
	two, extent := "took the outer surface of 2 volume cells", vtkExtentNote+"|"
	steps := strings.ReplaceAll(axes, "<DataArray type=", "<DataArray TimeStep=\"0\" type=")
	second := "<DataArray TimeStep=\"1\" type=\"Float32\" Name=\"x\">5 6</DataArray>"
	for _, a := range []acceptance{
		{"structured", "a.vts", box, 20, 20, "", "skipped 1 cell with a ghost flag (duplicate or hidden)|" + two},
		{"no suffix", "a", box, 20, 20, "", "skipped 1 cell with a ghost flag (duplicate or hidden)|" + two},
		{"gzip", "a.vtr.gz", gzipped(axes), 18, 32, "", "took the outer surface of 4 volume cells"},
		{"time steps in turn", "a.vtr", strings.Replace(steps, "</Coordinates>", strings.Repeat(second, 3)+"</Coordinates>", 1), 18, 32, "", "took the first of several time steps|took the outer surface of 4 volume cells"},
		{"time steps of each axis", "a.vtr", strings.Replace(steps, "\n</DataArray>", "\n</DataArray>"+second, 2), 18, 32, "", "took the first of several time steps|took the outer surface of 4 volume cells"},
		{"more coordinates", "a.vtr", strings.Replace(axes, "0 1 3", "0 1 3 4", 1), 18, 32, "", "ignored values at the end of 1 array beyond the necessary number|took the outer surface of 4 volume cells"},
		{"image", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`, "0 2 0 1 0 1"), 12, 20, "", extent + two},
		{"flat image", "a.vti", vtkImage(`WholeExtent="0 2 4 4 0 1" Spacing="1 0 1"`, "0 2 4 4 0 1"), 6, 4, "", strings.TrimSuffix(extent, "|")},
		{"pieces of an image", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`, "0 1 0 1 0 1", "0 -1 0 -1 0 -1", "1 2 0 1 0 1"), 16, 20, "", extent + two},
		{"pieces of an image that overlap", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`, "0 2 0 1 0 1", "1 2 0 1 0 1"), 20, 20, "", "skipped 1 cell that an earlier piece of the grid has|" + extent + two},
		{"flat pieces that overlap", "a.vti", vtkImage(`WholeExtent="0 2 0 1 3 3"`, "0 2 0 1 3 3", "1 2 0 1 3 3"), 10, 4, "", "skipped 1 cell that an earlier piece of the grid has|" + strings.TrimSuffix(extent, "|")},
		{"flat piece of a solid", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`, "0 2 0 1 0 1", "0 2 0 1 1 1"), 18, 20, "", "skipped 2 surface cells, because the file has volume cells|" + extent + two},
		{"lines beside a solid", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`, "0 2 0 1 0 1", "0 2 0 0 1 1"), 15, 20, "", "skipped 2 vertices, lines and empty cells|" + extent + two},
		{"missing piece", "a.vti", vtkImage(`WholeExtent="0 4 0 1 0 1"`, "0 1 0 1 0 1", "3 4 0 1 0 1"), 16, 24, "", "the pieces have 2 cells, fewer than the whole extent of the grid|" + extent + two},
		{"part of a grid", "a.vti", vtkImage(`WholeExtent="-2147483648 2147483647 -2147483648 2147483647 -2147483648 2147483647"`, "0 1 0 1 0 1"), 8, 12, "", "the pieces have 1 cell, fewer than the whole extent of the grid|" + extent + "took the outer surface of 1 volume cell"},
	} {
		a.run(t)
	}
}

func TestVTKStructuredXMLRefused(t *testing.T) {
	box, axes := boxFile(vtkVariants()[0]), axesFile(vtkVariants()[0])
	change := func(data, old, replacement string) string {
		t.Helper()
		if !strings.Contains(data, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(data, old, replacement, 1)
	}
	image := func(extent string) string { return vtkImage(fmt.Sprintf("WholeExtent=%q", extent), extent) }
	for _, r := range []refusal{
		{"no whole extent", "a.vts", change(box, "WholeExtent", "Extent"), ErrSyntax, `line 3: syntax error: the element "StructuredGrid" lacks the attribute WholeExtent`},
		{"no extent", "a.vts", change(box, "Piece Extent", "Piece Part"), ErrSyntax, `the element "Piece" lacks the attribute Extent`},
		{"five numbers", "a.vti", image("0 1 0 1 0"), ErrSyntax, `WholeExtent is "0 1 0 1 0", must be six integers`},
		{"seven numbers", "a.vti", image("0 1 0 1 0 1 0"), ErrSyntax, "must be six integers"},
		{"fraction", "a.vti", image("0 1 0 1 0 1.5"), ErrSyntax, "must be six integers"},
		{"extent beyond int32", "a.vti", image("0 1 0 1 0 2147483648"), ErrSyntax, "must be six integers in the range of int32"},
		{"piece beyond the whole", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`, "0 3 0 1 0 1"), ErrSyntax, "line 3: syntax error: the extent of the piece exceeds WholeExtent"},
		{"few points", "a.vts", change(change(box, `Piece Extent="0 1 `, `Piece Extent="0 2 `), "0 0 0 1 0 0", "0 0 0 1 0 0 2 0 0"), ErrTruncated, "12 points do not fit in the bytes that follow"},
		{"no points", "a.vts", strings.ReplaceAll(box, "Points>", "Other>"), ErrSyntax, "line 5: syntax error: the piece lacks the array Points"},
		{"few ghost flags", "a.vts", change(box, "0 32", "0"), ErrTruncated, "2 vtkGhostType of CellData do not fit"},
		{"all hidden", "a.vts", change(change(box, "0 32", "32 32"), `<CellData></CellData>`, `<CellData><DataArray type="Int8" Name="vtkGhostType">32</DataArray></CellData>`), ErrNoTriangles, ""},
		{"no pieces", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1"`), ErrNoTriangles, ""},
		{"empty extent", "a.vti", image("0 -1 0 -1 0 -1"), ErrNoTriangles, ""},
		{"line", "a.vti", image("0 9 0 0 5 5"), ErrNoTriangles, "the dimensions of the grid are 10 × 1 × 1, so its cells are points or lines"},
		{"huge line", "a.vti", image("0 2147483647 0 0 5 5"), ErrNoTriangles, "2147483648 × 1 × 1"},
		{"too many points", "a.vti", image("0 2000000 0 2000000 0 2000000"), ErrTooLarge, "a grid of 2000001 × 2000001 × 2000001 points"},
		{"points beyond the memory", "a.vti", image("0 1000 0 1000 0 1000"), ErrTooLarge, "memory limit"},
		{"pieces that are far apart", "a.vti", vtkImage(`WholeExtent="-2147483648 2147483647 -2147483648 2147483647 -2147483648 2147483647"`, "0 1 0 1 0 1", "2147483646 2147483647 2147483646 2147483647 2147483646 2147483647"), ErrTooLarge, "the pieces of the grid lie in an extent"},
		{"origin", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1" Origin="0 0"`, "0 2 0 1 0 1"), ErrSyntax, `line 2: syntax error: found "0 0" instead of 3 numbers: Origin is "0 0"`},
		{"spacing", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1" Spacing="0 nan 1"`, "0 2 0 1 0 1"), ErrNotFinite, `line 2: coordinate is not finite: Spacing is "0 nan 1"`},
		{"direction", "a.vti", vtkImage(`WholeExtent="0 2 0 1 0 1" Direction="1 0 0 0 1 0 0 0 1 1"`, "0 2 0 1 0 1"), ErrSyntax, "instead of 9 numbers"},
		{"point beyond the range", "a.vti", vtkImage(`WholeExtent="0 1000 0 1 0 1" Spacing="1e300 1 1"`, "0 1000 0 1 0 1"), mesh.ErrTooLarge, "point (11, 0, 0)"},
		{"two axes", "a.vtr", axes[:strings.LastIndex(axes, "<DataArray")] + axes[strings.Index(axes, "</Coordinates>"):], ErrSyntax, "the piece lacks the array Coordinates z"},
		{"fourth axis", "a.vtr", change(axes, "</Coordinates>", "<DataArray type=\"Int8\">0</DataArray></Coordinates>"), ErrSyntax, "a fourth array of coordinates"},
		{"no coordinates", "a.vtr", strings.ReplaceAll(axes, "Coordinates>", "Other>"), ErrSyntax, "the piece lacks the array Coordinates x"},
		{"few coordinates", "a.vtr", change(axes, "0 0.5 1", "0"), ErrTruncated, "3 coordinates do not fit"},
		{"coordinate", "a.vtr", change(axes, "0 0.5 1", "0 inf 1"), ErrNotFinite, "coordinate is not finite: coordinate 1 (+Inf)"},
	} {
		r.run(t)
	}
}
