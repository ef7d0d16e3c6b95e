// Package formats lists the file formats of meshes and points: their names and suffixes, and whether their files hold
// meshes or points. It is the only such list. Packages loaders and points attach their readers and writers by name.
//
// The content of a file decides its format if possible. If the content is ambiguous, the suffix decides. Suffixes also
// choose the format of an output, and reveal swapped arguments.
package formats

import (
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
	// Binary says that a terminal cannot show the output.
	Binary bool
	// Joins means that outputs have a header with the number of rows, so a Joiner must join their parts.
	Joins bool
}

// List has all formats. If the content of a mesh file matches several formats, the first one counts.
var List = []Format{
	{Name: "stl", Suffixes: []string{"stl", "stla", "stlb"}, Mesh: true},
	{Name: "obj", Suffixes: []string{"obj"}, Mesh: true},
	{Name: "ply", Suffixes: []string{"ply"}, Mesh: true, Points: true, Output: "ply", Written: []string{"ply"}, Binary: true, Joins: true},
	{Name: "off", Suffixes: []string{"off", "coff", "noff", "cnoff", "stoff"}, Mesh: true},
	{Name: "gltf", Suffixes: []string{"gltf"}, Mesh: true},
	{Name: "glb", Suffixes: []string{"glb"}, Mesh: true},
	{Name: "3mf", Suffixes: []string{"3mf"}, Mesh: true},
	{Name: "msh", Suffixes: []string{"msh"}, Mesh: true},
	{Name: "vtk", Suffixes: []string{"vtk", "vtp", "vtu", "vts", "vtr", "vti"}, Mesh: true},
	{Name: "cityjson", Suffixes: []string{"cityjson", "city.json", "city.jsonl"}, Mesh: true},

	{Name: "text", Suffixes: []string{"csv", "tsv", "txt", "xyz", "dat", "pts", "asc"}, Points: true, Output: "csv", Written: []string{"csv"}},
	{Name: "npy", Suffixes: []string{"npy"}, Points: true, Output: "npy", Written: []string{"npy"}, Binary: true, Joins: true},
	{Name: "npz", Suffixes: []string{"npz"}, Points: true},
	{Name: "las", Suffixes: []string{"las"}, Points: true, Output: "las", Written: []string{"las"}, Binary: true, Joins: true},
	{Name: "laz", Suffixes: []string{"laz"}, Points: true, Output: "laz", Written: []string{"laz"}, Binary: true},
	{Name: "parquet", Suffixes: []string{"parquet"}, Points: true, Output: "parquet", Written: []string{"parquet"}, Binary: true},
	{Name: "jsonl", Suffixes: []string{"jsonl", "ndjson"}, Points: true, Output: "jsonl", Written: []string{"jsonl", "ndjson"}},
	{Name: "pcd", Suffixes: []string{"pcd"}, Points: true, Output: "pcd", Written: []string{"pcd"}, Binary: true, Joins: true},
	{Name: "geojson", Suffixes: []string{"geojson", "geojsonl"}, Points: true},
}

// packed are the suffixes of compressed files. They follow the suffix of the format, as in .csv.gz.
var packed = []string{".gz", ".zst", ".zstd"}

// Named returns the format with a name, or nil.
func Named(name string) *Format {
	for i := range List {
		if List[i].Name == name {
			return &List[i]
		}
	}
	return nil
}

// Outputs returns the formats of outputs of points.
func Outputs() []Format {
	return slices.DeleteFunc(slices.Clone(List), func(f Format) bool { return f.Output == "" })
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
