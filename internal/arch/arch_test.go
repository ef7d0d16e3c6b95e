package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/inpoly/inpoly"

// floors lists all packages from top to bottom. A package imports only packages on lower floors.
var floors = [][]string{
	{"cmd/inpoly", "bindings/c", "bindings/js/wasm", "bindings/js/command"},
	{"internal/cli"},
	{"internal/cli/check", "internal/cli/collide", "internal/cli/explain", "internal/cli/merge", "internal/cli/view", "internal/cli/voxels",
		"internal/cli/rays", "internal/cli/segments", "internal/cli/section", "internal/cli/measure", "internal/cli/blocks", "internal/cli/generate"},
	{"internal/cli/lines"},
	{"internal/cli/answer"},
	{"internal/cli/term"},
	{"view", "internal/binding"},
	{"blocks"},
	{"assembly", "voxels", "collide", "rays", "section", "measure", "proof", "view/internal/raster"},
	{"."},
	{"internal/engine/locate", "internal/engine/orient", "internal/meshfile"},
	{"internal/engine/intersect"},
	{"internal/engine/cells"},
	{"internal/engine/cells/internal/build"},
	{"internal/engine/cells/internal/layout"},
	{"fmm", "raycross", "internal/engine/columns", "internal/engine/caps"},
	{"bem", "internal/engine/nearest", "loaders", "internal/engine/raytree", "internal/engine/oriented", "internal/joined"},
	{"loaders/internal/stl", "loaders/internal/obj", "loaders/internal/ply", "loaders/internal/off", "loaders/internal/gltf", "loaders/internal/threemf", "loaders/internal/msh",
		"loaders/internal/vtk", "loaders/internal/cityjson"},
	{"loaders/internal/skin", "loaders/internal/meshopt"},
	{"loaders/internal/soup"},
	{"loaders/internal/scan"},
	{"internal/drillhole"},
	{"internal/tabular"},
	{"mesh", "neighbor", "points"},
	{"points/internal/geojson"},
	{"points/internal/text", "points/internal/npy", "points/internal/ply", "points/internal/las", "points/internal/parquet", "points/internal/jsonl",
		"points/internal/pcd"},
	{"points/internal/laz"},
	{"internal/axes", "internal/records"},
	{"internal/pointio"},
	{"points/table"},
	{"internal/answers"},
	{"internal/predicates", "harmonics", "side", "internal/morton"},
	{"internal/frame"},
	{"bvh", "internal/weld"},
	{"pose"},
	{"internal/motion"},
	{"internal/angle", "internal/lazy", "internal/par", "internal/vec", "internal/disjoint", "internal/order",
		"internal/atomicfile", "internal/unpack", "internal/plyfile", "internal/decimal", "internal/interval", "internal/jsontext"},
	{"internal/affine", "internal/formats"},
	{"internal/disk", "internal/quote"},
	{"internal/plural", "internal/suggest", "internal/version", "internal/vtkxml"},
}

// testFloors lists, for each package that only tests import, the packages that it can import.
var testFloors = map[string][]string{
	"internal/arch":                     nil,
	"internal/hostile":                  nil,
	"internal/referee":                  nil,
	"internal/testmesh":                 {"mesh"},
	"internal/testrace":                 nil,
	"internal/testcorpus":               {"mesh"},
	"internal/engine/locate/locatetest": {"bem", "internal/engine/locate", "internal/referee", "internal/testcorpus", "internal/testmesh", "internal/testrace", "internal/vec", "mesh", "side"},
	"internal/testcloud":                {"points/table", "side"},
	"points/internal/testlaz":           {"points/internal/laz"},
}

func TestImportArrows(t *testing.T) {
	rank := map[string]int{}
	for i, floor := range floors {
		for _, p := range floor {
			rank[p] = len(floors) - i
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
			// Packages of nested modules are not in floors.
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

// The module dem imports no internal packages of the root module. Go permits such imports, because
// the module paths have the same prefix. But dem has its own versions, and a change of an internal
// package could break them.
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

// checkArrow reports an error if the floors do not permit an import. The parameter from is the
// package that contains the import, and the parameter to is the imported package.
func checkArrow(t *testing.T, rank map[string]int, from, to, path string) {
	t.Helper()
	if allowed, ok := testFloors[from]; ok {
		if !slices.Contains(allowed, to) {
			t.Errorf("%s imports %s: %s may import only %v", path, to, from, allowed)
		}
		return
	}
	if _, ok := testFloors[to]; ok {
		t.Errorf("%s imports %s, which is for tests", path, to)
		return
	}
	switch {
	case rank[from] == 0:
		t.Errorf("%s: package %s is on no floor", path, from)
	case rank[to] == 0:
		t.Errorf("%s imports %s, which is on no floor", path, to)
	case rank[to] >= rank[from]:
		t.Errorf("%s imports %s, which is not below %s", path, to, from)
	}
}

// Only the command links the library that writes STL: its patterns would bring a package of regular
// expressions to the small module of bindings/js/wasm and to the C library.
func TestLibrariesHaveNoSTLWriter(t *testing.T) {
	const library = "github.com/hschendel/stl"
	for _, c := range []struct {
		env, name string
		want      bool
	}{{"GOOS=js GOARCH=wasm", "bindings/js/wasm", false}, {"", "bindings/c", false}, {"", "loaders", false}, {"", "cmd/inpoly", true}} {
		list := exec.Command("go", "list", "-deps", "-tags", "small", module+"/"+c.name)
		list.Env = append(os.Environ(), strings.Fields(c.env)...)
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		packages := strings.Fields(string(out))
		if !slices.Contains(packages, module+"/mesh") {
			t.Fatalf("%s: %d packages, and none of them is mesh", c.name, len(packages))
		}
		if slices.Contains(packages, library) != c.want {
			t.Errorf("%s links %s: %v, want %v", c.name, library, !c.want, c.want)
		}
	}
}

// The command inpoly links no network client, neither directly nor through a library.
func TestCommandHasNoNetwork(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/inpoly").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, module+"/internal/cli") {
		t.Fatalf("%d packages, and none of them is internal/cli", len(packages))
	}
	if slices.Contains(packages, "net/http") {
		t.Error("cmd/inpoly links net/http")
	}
}
