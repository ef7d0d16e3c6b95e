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

// TestCorpusMutations damages each mesh of the corpus that is not large: bytes are
// changed, removed or repeated, or the end is cut off. Whatever comes out is refused
// with an *Error or is a sound soup, within a memory limit. INPOLY_FULL=1 tries more.
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
			// Garbage of decoders is not in the budget, hence not exact; but nothing of
			// the size of a count that was believed may have been allocated.
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
			if _, err := mesh.New(*soup, mesh.Options{}); err != nil {
				t.Errorf("%s, round %d of seed %d: %v", row["path"], round, seed, err)
			}
		}
	}
	if read == 0 {
		t.Error("no damaged file was read: the damage is too great to test anything")
	}
	t.Logf("%d damaged files were read", read)
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
		case 2: // another digit keeps text well-formed
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
