package loaders_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// TestCorpusMutations damages each small mesh of the corpus: it changes, removes or repeats bytes,
// or cuts off the end. Load must return an *Error or a valid soup, within a memory limit.
// INPOLY_FULL=1 runs more cases.
func TestCorpusMutations(t *testing.T) {
	root := corpusRoot(t)
	const seed = 4
	rounds, largest := 4, 20<<10
	if os.Getenv("INPOLY_FULL") != "" {
		rounds, largest = 60, 200<<10
	}
	read := 0
	for n, row := range readManifest(t, root) {
		path := filepath.Join(root, filepath.FromSlash(row["path"]))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 || len(data) > largest {
			continue
		}
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		folder := os.DirFS(filepath.Dir(path))
		for round := range rounds {
			hurt := damage(r, data)
			const limit = 64 << 20
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			soup, _, err := loaders.Read(t.Context(), path, bytes.NewReader(hurt), loaders.Options{FS: folder, MaxMemory: limit})
			runtime.ReadMemStats(&after)
			// Decoders allocate garbage that the budget does not count, so this bound is loose. The
			// test still detects a huge allocation after a wrong count in the file.
			if got := after.TotalAlloc - before.TotalAlloc; got > 4*limit {
				t.Errorf("%s, round %d of seed %d: allocated %d MB", row["path"], round, seed, got>>20)
			}
			var e *loaders.Error
			if err != nil {
				if !errors.As(err, &e) {
					t.Errorf("%s, round %d of seed %d: error is a %T", row["path"], round, seed, err)
				}
				continue
			}
			read++
			if _, err := mesh.New(t.Context(), *soup, mesh.Options{}); err != nil {
				t.Errorf("%s, round %d of seed %d: %v", row["path"], round, seed, err)
			}
		}
	}
	if read == 0 {
		t.Error("no damaged file was read: the damage is too great to test anything")
	}
	t.Logf("%d damaged files were read", read)
}

// TestCorpusTruncations cuts the end off each small mesh of the corpus. Read must refuse the file
// or return all triangles before the cut.
func TestCorpusTruncations(t *testing.T) {
	root := corpusRoot(t)
	const seed = 5
	rounds, largest := 6, 20<<10
	if os.Getenv("INPOLY_FULL") != "" {
		rounds, largest = 60, 200<<10
	}
	whole, part := 0, 0
	for n, row := range readManifest(t, root) {
		path := filepath.Join(root, filepath.FromSlash(row["path"]))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		options := loaders.Options{FS: os.DirFS(filepath.Dir(path))}
		want, info, err := loaders.Read(t.Context(), path, bytes.NewReader(data), options)
		if err != nil || len(data) > largest {
			continue
		}
		// Files in these formats need no end mark. For instance, "endsolid" is optional.
		open := info.Format == loaders.OBJ || info.Format == loaders.STL && len(data) != 84+50*len(want.Faces)
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		for round := range rounds {
			most := len(data)
			if round%2 == 0 {
				most = min(most, 16)
			}
			cut := len(data) - 1 - r.IntN(most)
			got, gotInfo, err := loaders.Read(t.Context(), path, bytes.NewReader(data[:cut]), options)
			if err != nil || gotInfo.Format != info.Format {
				continue
			}
			// If the last index of the last face lost digits, the triangles of this face differ.
			// The last triangles are therefore not compared. The largest face of the corpus has 64
			// triangles.
			tail := min(64, 1+len(want.Faces)-info.Polygons)
			same := commonPrefix(got.Faces, want.Faces)
			if open {
				part++
				if len(got.Faces) > len(want.Faces) || same < len(got.Faces)-tail {
					t.Errorf("%s cut to %d of %d bytes: %d triangles, %d of them as before", row["path"], cut, len(data), len(got.Faces), same)
				}
				continue
			}
			whole++
			if len(got.Faces) != len(want.Faces) || same < len(got.Faces)-tail || commonPrefix(got.Vertices, want.Vertices) < len(want.Vertices)-1 {
				t.Errorf("%s cut to %d of %d bytes: %d of %d triangles", row["path"], cut, len(data), len(got.Faces), len(want.Faces))
			}
		}
	}
	if whole == 0 || part == 0 {
		t.Errorf("%d whole and %d shorter files were read, want some of both", whole, part)
	}
	t.Logf("%d whole and %d shorter files were read", whole, part)
}

// commonPrefix returns the length of the longest common prefix of a and b.
func commonPrefix[T comparable](a, b []T) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// damage returns a changed copy of data.
func damage(r *rand.Rand, data []byte) []byte {
	hurt := bytes.Clone(data)
	for range 1 + r.IntN(3) {
		if len(hurt) == 0 {
			break
		}
		at := r.IntN(len(hurt))
		end := at + min(1+r.IntN(16), len(hurt)-at)
		switch r.IntN(6) {
		case 0:
			hurt[at] = byte(r.Uint32())
		case 1:
			hurt[at] ^= 1 << r.IntN(8)
		case 2: // replace a digit by another digit, which keeps text valid
			for i := at; i < len(hurt); i++ {
				if hurt[i] >= '0' && hurt[i] <= '9' {
					hurt[i] = '0' + byte(r.IntN(10))
					break
				}
			}
		case 3:
			hurt = append(hurt[:at:at], hurt[end:]...)
		case 4:
			hurt = append(hurt[:end:end], hurt[at:]...)
		case 5:
			hurt = hurt[:at]
		}
	}
	return hurt
}
