// Package formats lists the file formats of meshes and points: their names and suffixes, and whether their files hold
// meshes or points. It is the only such list. Packages loaders and points attach their readers and writers by name.
//
// The content of a file decides its format if possible. If the content is ambiguous, the suffix decides. Suffixes also
// choose the format of an output, and reveal swapped arguments.
package formats

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Format is one format.
type Format struct {
	// Name is the name in reports, and the value of a flag that chooses the format.
	Name string
	// Suffixes are the suffixes of files, without the first dot, in lower case. The usual one comes first.
	Suffixes []string
	Mesh     bool // a file can hold a mesh
	Points   bool // a file can hold points
	// Output is the name of the format as an output of points, or "" if it is only read.
	Output string
	// Written are the suffixes that choose the format of an output.
	Written []string
	// Binary says that a terminal cannot show the output. ASCII is the text in the header of those outputs that are text
	// nevertheless, or "" if there are none.
	Binary bool
	ASCII  string
	// Joins means that outputs have a header with the number of rows, so a Joiner must join their parts.
	Joins bool
	// Text means that an output can have any suffix of a text.
	Text bool
	// Title is what messages call a file of points. If it is "", they call it by its suffix.
	Title string
	// Row is what messages call a row of points, if not row.
	Row string
	// Nameless means that columns have no names, unless a Reader has a Layout with a header.
	Nameless bool
	// Scaled means that outputs store coordinates as multiples of a step. They round other coordinates and have no NaN.
	Scaled bool
	// Ranges means that a range of bytes of an output selects rows.
	Ranges bool
	// Footer means that the end of a file describes its rows. Such a file cannot be read from a stream, and such an
	// output cannot be resumed.
	Footer bool
}

// List has all formats: first those of meshes only, then those of points, in the order of messages.
var List = []Format{
	{Name: "stl", Suffixes: []string{"stl", "stla", "stlb"}, Mesh: true},
	{Name: "obj", Suffixes: []string{"obj"}, Mesh: true},
	{Name: "off", Suffixes: []string{"off", "coff", "noff", "cnoff", "stoff"}, Mesh: true},
	{Name: "gltf", Suffixes: []string{"gltf"}, Mesh: true},
	{Name: "glb", Suffixes: []string{"glb"}, Mesh: true},
	{Name: "3mf", Suffixes: []string{"3mf"}, Mesh: true},
	{Name: "msh", Suffixes: []string{"msh"}, Mesh: true},
	{Name: "vtk", Suffixes: []string{"vtk", "vtp", "vtu", "vts", "vtr", "vti"}, Mesh: true},
	{Name: "cityjson", Suffixes: []string{"cityjson", "city.json", "city.jsonl"}, Mesh: true},

	{Name: "text", Suffixes: []string{"csv", "tsv", "txt", "xyz", "dat", "pts", "asc"}, Points: true, Output: "csv", Written: []string{"csv"},
		Text: true, Title: "text (CSV, TSV, columns separated by blanks)", Row: "line", Ranges: true},
	{Name: "jsonl", Suffixes: []string{"jsonl", "ndjson"}, Points: true, Output: "jsonl", Written: []string{"jsonl", "ndjson"},
		Title: "JSON Lines", Row: "line", Ranges: true},
	{Name: "geojson", Suffixes: []string{"geojson", "geojsonl"}, Points: true, Title: "GeoJSON", Row: "feature"},
	{Name: "npy", Suffixes: []string{"npy"}, Points: true, Output: "npy", Written: []string{"npy"}, Binary: true, Joins: true, Nameless: true, Ranges: true},
	{Name: "npz", Suffixes: []string{"npz"}, Points: true},
	{Name: "ply", Suffixes: []string{"ply"}, Mesh: true, Points: true, Output: "ply", Written: []string{"ply"},
		Binary: true, ASCII: "\nformat ascii", Joins: true, Ranges: true},
	{Name: "pcd", Suffixes: []string{"pcd"}, Points: true, Output: "pcd", Written: []string{"pcd"},
		Binary: true, ASCII: "\nDATA ascii", Joins: true, Ranges: true},
	{Name: "las", Suffixes: []string{"las"}, Points: true, Output: "las", Written: []string{"las"}, Binary: true, Joins: true, Scaled: true, Ranges: true},
	{Name: "laz", Suffixes: []string{"laz"}, Points: true, Output: "laz", Written: []string{"laz"}, Binary: true, Scaled: true},
	{Name: "parquet", Suffixes: []string{"parquet"}, Points: true, Output: "parquet", Written: []string{"parquet"}, Binary: true, Footer: true},
}

// textSuffixes are the suffixes that files of text can have, whatever their columns are.
var textSuffixes = []string{"csv", "tsv", "tab", "txt", "text", "xyz", "dat", "pts", "asc", "prn", "out", "log"}

// packed are the suffixes of compressed files. They follow the suffix of the format, as in .csv.gz.
var packed = []string{".gz", ".zst", ".zstd"}

// Named returns the format with a name, which can be that of its output. It returns the zero Format for other names, such
// as those of tables that a program computes.
func Named(name string) Format {
	for _, f := range List {
		if f.Name == name || f.Output == name && name != "" {
			return f
		}
	}
	return Format{}
}

// Outputs returns the formats of outputs of points.
func Outputs() []Format {
	return slices.DeleteFunc(slices.Clone(List), func(f Format) bool { return f.Output == "" })
}

// PointTitles returns what messages call the files of points.
func PointTitles() (titles []string) {
	for _, f := range List {
		if f.Points {
			titles = append(titles, cmp.Or(f.Title, "."+f.Suffixes[0]))
		}
	}
	return titles
}

// OutputSuffixes returns the suffixes that an output in the format of its input can have.
func (f Format) OutputSuffixes() []string {
	if f.Text {
		return textSuffixes
	}
	return f.Written
}

// HasSuffix reports whether the name of a file ends with a dot and one of the suffixes, which are in lower case. It ignores
// case and suffixes of compression.
func HasSuffix(path string, suffixes ...string) bool {
	name := Unpacked(path)
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, "."+s) })
}

// Unpacked returns the name of a file in lower case, without its folder and suffixes of compression.
func Unpacked(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, s := range packed {
		name = strings.TrimSuffix(name, s)
	}
	return name
}

// HasMeshName reports whether the suffix of a file belongs to mesh files only. HasPointsName does the same for files of
// points. A .ply file can hold both.
func HasMeshName(path string) bool {
	return hasName(path, func(f *Format) bool { return f.Mesh && !f.Points })
}

// HasPointsName is the counterpart of HasMeshName.
func HasPointsName(path string) bool {
	return !HasMeshName(path) && hasName(path, func(f *Format) bool { return f.Points && !f.Mesh })
}

func hasName(path string, is func(f *Format) bool) bool {
	for i := range List {
		if f := &List[i]; is(f) && HasSuffix(path, f.Suffixes...) {
			return true
		}
	}
	return false
}
