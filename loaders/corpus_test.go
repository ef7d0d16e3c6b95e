package loaders_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// corpusRoot returns the folder of the corpus of real meshes, which is not part of this repository.
// docs/corpus.md describes the corpus.
func corpusRoot(t *testing.T) string {
	t.Helper()
	root := os.Getenv("INPOLY_CORPUS")
	if root == "" {
		t.Skip("INPOLY_CORPUS is not set: the corpus of real meshes is not checked")
	}
	return root
}

// manifestRow is a row of MANIFEST.tsv. Its keys are the names of the columns.
type manifestRow map[string]string

// readManifest returns the rows of the manifest.
func readManifest(t *testing.T, root string) []manifestRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	head := strings.Split(lines[0], "\t")
	var rows []manifestRow
	for n, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(head) {
			t.Fatalf("MANIFEST.tsv line %d: %d fields, want %d", n+2, len(fields), len(head))
		}
		row := manifestRow{}
		for i, name := range head {
			row[name] = fields[i]
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatal("MANIFEST.tsv has no rows")
	}
	return rows
}

// count returns the value of an integer column. An empty cell means 0.
func (r manifestRow) count(t *testing.T, column string) int {
	t.Helper()
	if r[column] == "" {
		return 0
	}
	n, err := strconv.Atoi(r[column])
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return n
}

// TestCorpus loads, welds and diagnoses each mesh of the corpus. It compares the result with the
// manifest, which an independent reader wrote. The differences must be exactly those in
// knownDifferences.
func TestCorpus(t *testing.T) {
	root := corpusRoot(t)
	listed := map[string]bool{}
	for _, row := range readManifest(t, root) {
		listed[row["path"]] = true
		t.Run(row["path"], func(t *testing.T) {
			got := compareRow(t, root, row)
			want := knownDifferences[row["path"]].what
			if !slices.Equal(got, want) {
				t.Errorf("differences from the manifest: %q, listed as known: %q", got, want)
			}
		})
	}
	for path := range knownDifferences {
		if !listed[path] {
			t.Errorf("known difference of %s, which is not in the manifest", path)
		}
	}
}

// compareRow returns the differences between loader and manifest. The difference is "refused" if
// only the loader refuses the mesh, and "read" if only the reader of the manifest refused it. Every
// other difference has the form "column got want".
func compareRow(t *testing.T, root string, row manifestRow) []string {
	path := filepath.Join(root, filepath.FromSlash(row["path"]))
	soup, info, err := loaders.Load(t.Context(), path, loaders.Options{})
	want := row.count(t, "triangles")
	if err != nil {
		checkRefusal(t, err, path)
		if want > 0 {
			t.Logf("refused: %v", err)
			return []string{"refused"}
		}
		return nil
	}
	m, err := mesh.New(t.Context(), *soup, mesh.Options{})
	if err != nil {
		t.Fatalf("mesh.New: %v", err)
	}
	d, err := m.Diagnose(t.Context())
	if err != nil {
		t.Fatalf("Diagnose: %v", err)
	}
	if row["load_error"] != "" {
		t.Logf("read: %d triangles of %d vertices, volume %.9g, notes %q; the manifest: %s",
			d.Triangles, d.Vertices, d.Volume, info.Notes, row["load_error"])
		return []string{"read"}
	}
	var diff []string
	for _, c := range []struct {
		column string
		got    int
	}{
		{"triangles", d.Triangles},
		{"welded_vertices", d.Vertices},
		{"boundary_edges", d.BoundaryEdges},
		{"nonmanifold_edges", d.NonManifoldEdges},
		{"misoriented_edges", d.MisorientedEdges},
		{"components", len(d.Components)},
		{"inward_components", d.InwardComponents},
		{"duplicate_faces", d.DuplicateFaces},
		{"collapsed_on_weld", d.Collapsed},
	} {
		if row[c.column] == "" && c.column != "triangles" {
			continue // the manifest has no value in this column
		}
		if want := row.count(t, c.column); c.got != want {
			diff = append(diff, fmt.Sprintf("%s %d %d", c.column, c.got, want))
		}
	}
	for _, c := range []struct {
		column string
		got    bool
	}{
		{"watertight", d.Watertight},
		{"zero_boundary", d.ZeroBoundary},
		{"consistent_orientation", d.ConsistentOrientation},
	} {
		if want > 0 && c.got != (row[c.column] == "yes") {
			diff = append(diff, fmt.Sprintf("%s %t %s", c.column, c.got, row[c.column]))
		}
	}
	if want > 0 {
		diff = append(diff, compareVolume(t, &d, row)...)
	}
	return diff
}

// compareVolume compares the signed volumes. It has a tolerance, because the manifest stores nine
// digits.
func compareVolume(t *testing.T, d *mesh.Diagnosis, row manifestRow) []string {
	want, err := strconv.ParseFloat(row["volume"], 64)
	if err != nil {
		t.Fatalf("column volume: %v", err)
	}
	s := d.Box.Size()
	longest := max(s.X, s.Y, s.Z)
	scale := max(math.Abs(want), s.X*s.Y*s.Z, 1e-3*longest*longest*longest)
	if math.Abs(d.Volume-want) <= 1e-6*scale {
		return nil
	}
	return []string{fmt.Sprintf("volume %.6g %.6g", d.Volume, want)}
}

// checkRefusal fails unless err is an *Error with the file and a reason. The error must also have a
// place, except for reasons that concern the whole file.
func checkRefusal(t *testing.T, err error, path string) {
	t.Helper()
	var e *loaders.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T, want *loaders.Error: %v", err, err)
	}
	if e.File != path || e.Err == nil {
		t.Errorf("error names file %q and reason %v, want file %q", e.File, e.Err, path)
	}
	for _, whole := range []error{loaders.ErrEmpty, loaders.ErrNoTriangles, loaders.ErrUnknownFormat} {
		if errors.Is(err, whole) {
			return
		}
	}
	if e.Line <= 0 && e.Offset < 0 && e.Path == "" {
		t.Errorf("error without a place: %v", err)
	}
	for _, reason := range []error{loaders.ErrUnsupported, loaders.ErrTruncated, loaders.ErrSyntax,
		loaders.ErrIndexRange, loaders.ErrNotFinite, loaders.ErrTooLarge, os.ErrNotExist} {
		if errors.Is(err, reason) {
			return
		}
	}
	t.Errorf("error without one of the documented reasons: %v", err)
}

// TestCorpusSuffix reads each file as a stream without a suffix. If the content identifies the
// format, the mesh must be the same as with the suffix.
func TestCorpusSuffix(t *testing.T) {
	root := corpusRoot(t)
	for _, row := range readManifest(t, root) {
		if row.count(t, "triangles") == 0 || strings.Contains(row["features"], "external-bin") || row["format"] == "obj" {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(row["path"]))
		want, _, err := loaders.Load(t.Context(), path, loaders.Options{})
		if err != nil {
			continue // TestCorpus checks the refused files
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := loaders.Read(context.Background(), "stream", f, loaders.Options{})
		f.Close()
		if errors.Is(err, loaders.ErrUnknownFormat) && strings.Contains(row["features"], "no-OFF-keyword") {
			continue
		}
		if err != nil || len(got.Faces) != len(want.Faces) {
			t.Errorf("%s without its suffix: %v", row["path"], err)
		}
	}
}
