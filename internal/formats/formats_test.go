package formats_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/formats"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		path         string
		mesh, points bool
	}{
		{"a.stl", true, false}, {"b/A.STL.gz", true, false}, {"a.stlb.zst", true, false}, {"a.vtu.zstd", true, false},
		{"town.city.json", true, false}, {"town.city.jsonl.zst", true, false}, {"rows.jsonl", false, true}, {"rows.ndjson.gz", false, true},
		{"a.ply", false, false}, {"a.csv.zstd", false, true}, {"stl", false, false}, {"a.txt", false, true}, {"a.pdf", false, false}, {"a.gz", false, false},
	} {
		if mesh, points := formats.HasMeshName(c.path), formats.HasPointsName(c.path); mesh != c.mesh || points != c.points {
			t.Errorf("%s: a mesh %t, points %t", c.path, mesh, points)
		}
	}
}

// Names and suffixes are unique, in lower case, and complete.
func TestList(t *testing.T) {
	names, suffixes := map[string]bool{}, map[string]bool{}
	for _, f := range formats.List {
		if names[f.Name] || f.Name == "" || len(f.Suffixes) == 0 || !f.Mesh && !f.Points || (f.Output != "") != (len(f.Written) > 0) || f.Output != "" && !f.Points {
			t.Errorf("%+v", f)
		}
		if f.Output == "" && (f.Binary || f.Joins || f.Text || f.Scaled || f.Ranges) || f.ASCII != "" && !f.Binary {
			t.Errorf("%s has properties that exclude each other", f.Name)
		}
		if names[f.Name] = true; formats.Named(f.Name).Name == "" {
			t.Errorf("%s is not found", f.Name)
		}
		for _, s := range f.Suffixes {
			if suffixes[s] || s != strings.ToLower(s) || strings.HasPrefix(s, ".") {
				t.Errorf("%s: suffix %q", f.Name, s)
			}
			suffixes[s] = true
		}
	}
	if f := formats.Named("csv"); f.Name != "text" || !slices.Contains(f.OutputSuffixes(), "log") {
		t.Errorf("csv is %+v", f)
	}
	if got := formats.Named("jsonl").OutputSuffixes(); !slices.Equal(got, []string{"jsonl", "ndjson"}) {
		t.Errorf("outputs of jsonl can have the suffixes %q", got)
	}
	if got := formats.PointTitles(); !slices.Contains(got, "JSON Lines") || !slices.Contains(got, ".pcd") || slices.Contains(got, ".stl") {
		t.Errorf("files of points are %q", got)
	}
	if formats.Named("pdf").Name != "" {
		t.Error("pdf is a format")
	}
}
