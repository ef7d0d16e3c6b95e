package points_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// lasCorpus returns the LAS and LAZ files of a folder of real point clouds. It skips the test without the folder.
func lasCorpus(t *testing.T) (files []string) {
	dir := os.Getenv("INPOLY_CORPUS_LAS")
	if dir == "" {
		t.Skip("INPOLY_CORPUS_LAS is not set: no real point clouds")
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); ext == ".las" || ext == ".laz" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// rawRows returns the records of all points of a LAS or LAZ file.
func rawRows(t *testing.T, path string) (rows []byte) {
	t.Helper()
	r, err := points.Open(path, points.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b table.Block
	for {
		err := r.Next(&b)
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, b.Raw...)
	}
}

// LAZ files have the same records as the LAS files of the same points.
func TestPackedCorpus(t *testing.T) {
	files := lasCorpus(t)
	pairs := 0
	for _, path := range files {
		if !strings.HasSuffix(path, ".laz") {
			continue
		}
		packed := rawRows(t, path) // no error
		stem := strings.TrimSuffix(path, ".laz")
		for _, twin := range []string{stem + ".las", stem} {
			if slices.Contains(files, twin) {
				pairs++
				if string(packed) != string(rawRows(t, twin)) {
					t.Errorf("%s and %s differ", path, twin)
				}
			}
		}
	}
	if pairs < 10 {
		t.Errorf("only %d pairs", pairs)
	}
}
