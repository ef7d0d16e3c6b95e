package ply_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/ply"
)

// refusedInCorpus lists the corpus files that this package refuses. It maps the name of a file to a
// part of the error message.
var refusedInCorpus = map[string]string{
	"mikedh+trimesh/models/emptyIO/ply_empty_header.ply": "no element vertex",
}

// TestCorpus copies all PLY files of the corpus with Passthrough and compares all bytes.
func TestCorpus(t *testing.T) {
	root := os.Getenv("INPOLY_CORPUS")
	if root == "" {
		t.Skip("INPOLY_CORPUS does not name the corpus of meshes")
	}
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".ply") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		rel, _ := filepath.Rel(root, path)
		text := string(data)
		src, err := files.Open(text, seen%2 == 0, ply.Options{Block: 1 << 12})
		var out string
		if err == nil {
			sink, _ := src.Passthrough(nil)
			out, err = testcloud.Pass(src, sink, nil, src.Rows(), nil)
		}
		switch want, bad := refusedInCorpus[rel]; {
		case bad && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", rel, err, want)
		case !bad && err != nil:
			t.Errorf("%s: %v", rel, err)
		case !bad && out != text:
			t.Errorf("%s: the output differs", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Errorf("%s has no PLY files", root)
	}
}
