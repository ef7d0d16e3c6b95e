package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/inpoly/inpoly"

// layers lists the packages from top to bottom. A package may import packages of lower
// layers and any internal package.
var layers = [][]string{
	{"cmd/inpoly"},
	{"view", "voxels", "collide"},
	{"."},
	{"cells", "fmm"},
	{"cells/internal/verify"},
	{"cells/internal/build"},
	{"cells/internal/layout"},
	{"raycross"},
	{"bem", "nearest"},
	{"loaders"},
	{"loaders/internal/stl", "loaders/internal/obj", "loaders/internal/ply", "loaders/internal/off", "loaders/internal/gltf", "loaders/internal/threemf"},
	{"loaders/internal/soup"},
	{"loaders/internal/scan"},
	{"mesh", "neighbor"},
	{"bvh"},
	{"predicates", "harmonics"},
	{"points"},
	{"points/internal/text", "points/internal/npy", "points/internal/ply", "points/internal/las", "points/internal/parquet", "points/internal/jsonl"},
	{"points/table"},
	{"side"},
}

// internals lists the packages that each internal package may import.
var internals = map[string][]string{
	"internal/arch":       nil,
	"internal/atomicfile": nil,
	"internal/ask":        {".", "bem", "bvh", "points", "points/table", "raycross"},
	"internal/par":        nil,
	"internal/pointio":    {"points/table", "side"},
	"internal/plural":     nil,
	"internal/vec":        nil,
	"internal/morton":     {"bvh"},
	"internal/decimal":    nil,
	"internal/disjoint":   nil,
	"internal/interval":   nil,
	"internal/plyfile":    nil,
	"internal/referee":    nil,
	"internal/shards":     {"points"},
	"internal/testmesh":   {"mesh"},
	"internal/testcloud":  {"points/table", "side"},
	"internal/unpack":     nil,
}

// testOnly lists the packages that only tests may import.
var testOnly = map[string]bool{"internal/referee": true, "internal/testmesh": true, "internal/testcloud": true}

func TestImportArrows(t *testing.T) {
	rank := map[string]int{}
	for i, layer := range layers {
		for _, p := range layer {
			rank[p] = len(layers) - i
		}
	}
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("../..", path)
		if d.IsDir() {
			name := d.Name()
			if rel != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			// Nested modules are not part of the layers.
			if m, _ := filepath.Glob(filepath.Join(path, "go.mod")); rel != "." && m != nil {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(rel))
		for _, imp := range file.Imports {
			to, _ := strconv.Unquote(imp.Path.Value)
			if to != module && !strings.HasPrefix(to, module+"/") {
				continue
			}
			seen++
			to = strings.TrimPrefix(strings.TrimPrefix(to, module), "/")
			if to == "" {
				to = "."
			}
			checkArrow(t, rank, from, to, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no import of the module found: the test looks in the wrong place")
	}
}

// A published module can import public packages only. Go itself would let dem import the
// internal packages of the root, because their paths have the same prefix.
func TestDemImportsNoInternals(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../../dem", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range file.Imports {
			seen++
			if to, _ := strconv.Unquote(imp.Path.Value); strings.HasPrefix(to, module+"/internal/") {
				t.Errorf("%s imports %s", path, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no import found: the test looks in the wrong place")
	}
}

func checkArrow(t *testing.T, rank map[string]int, from, to, path string) {
	t.Helper()
	if testOnly[to] {
		t.Errorf("%s imports %s, which is for tests", path, to)
		return
	}
	if allowed, ok := internals[from]; ok {
		for _, a := range allowed {
			if a == to {
				return
			}
		}
		t.Errorf("%s imports %s: %s may import only %v", path, to, from, allowed)
		return
	}
	if rank[from] == 0 {
		t.Errorf("%s: package %s has no layer", path, from)
		return
	}
	if _, ok := internals[to]; ok {
		return
	}
	if rank[to] == 0 {
		t.Errorf("%s imports %s, which has no layer", path, to)
	} else if rank[to] >= rank[from] {
		t.Errorf("%s imports %s, which is not below %s", path, to, from)
	}
}
