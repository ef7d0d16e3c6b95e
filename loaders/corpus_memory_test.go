package loaders_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// TestCorpusMemory loads, welds and diagnoses each mesh, and compares the memory with the memory
// rule: 64 MB + 16 × (decompressed and external bytes + 50 × triangles). The measured memory
// includes garbage, so it is an upper bound of the memory in use.
func TestCorpusMemory(t *testing.T) {
	root := corpusRoot(t)
	for _, row := range readManifest(t, root) {
		path := filepath.Join(root, filepath.FromSlash(row["path"]))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rule := loadAll(t, path)
		runtime.ReadMemStats(&after)
		if got := int64(after.TotalAlloc - before.TotalAlloc); got > rule {
			t.Errorf("%s: allocated %d MB, the rule allows %d MB in use", row["path"], got>>20, rule>>20)
		}
	}
}

// loadAll loads, welds and diagnoses the mesh at path. It stops at the first step that fails. It
// returns the number of bytes that the memory rule allows.
func loadAll(t *testing.T, path string) int64 {
	t.Helper()
	soup, info, err := loaders.Load(t.Context(), path, loaders.Options{})
	if err != nil {
		return 64<<20 + 16*info.Bytes
	}
	rule := 64<<20 + 16*(info.Bytes+50*int64(len(soup.Faces)))
	m, err := mesh.New(t.Context(), *soup, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Diagnose(t.Context()); err != nil {
		t.Fatal(err)
	}
	return rule
}
