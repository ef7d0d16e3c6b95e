package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The names that packages other than internal/disk can use. None of them calls the file system.
var (
	harmlessOS = regexp.MustCompile(`^(Args|Exit|Getenv|Setenv|Executable|Interrupt|Signal|Std(in|out|err)|File|FileInfo|FileMode|` +
		`SameFile|PathError|TempDir|Err[A-Z].*|O_[A-Z]+)$`)
	harmlessSyscall = regexp.MustCompile(`^(Signal|SIG[A-Z]+|E[A-Z0-9]+|Errno)$`)
	harmfulFilepath = regexp.MustCompile(`^(EvalSymlinks|Glob|Walk|WalkDir)$`)
	harmfulImports  = []string{"golang.org/x/sys/unix", "golang.org/x/sys/windows", "io/ioutil"}
)

// Only internal/disk calls the file system, so a test can make every call fail. Only tests call
// disk.Inject.
func TestOnlyDiskCallsTheFileSystem(t *testing.T) {
	seen := 0
	for _, root := range []string{"../..", "../../beam"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel("../..", path)
			rel = filepath.ToSlash(rel)
			if d.IsDir() {
				_, onlyTests := testFloors[rel]
				module, _ := filepath.Glob(filepath.Join(path, "go.mod"))
				if onlyTests || rel == "internal/disk" || d.Name() == "testdata" || path != root && (module != nil || strings.HasPrefix(d.Name(), ".")) {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			seen++
			for _, name := range fileSystemCalls(file) {
				t.Errorf("%s: %s: use internal/disk", rel, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Fatalf("%d files found: the test looks in the wrong place", seen)
	}
}

// fileSystemCalls returns the imports and the selectors of file that can call the file system.
func fileSystemCalls(file *ast.File) (names []string) {
	for _, imp := range file.Imports {
		if path, _ := strconv.Unquote(imp.Path.Value); slices.Contains(harmfulImports, path) {
			names = append(names, path)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok || x.Obj != nil { // skip a local variable
			return true
		}
		name := s.Sel.Name
		switch {
		case x.Name == "os" && !harmlessOS.MatchString(name),
			x.Name == "syscall" && !harmlessSyscall.MatchString(name),
			x.Name == "filepath" && harmfulFilepath.MatchString(name),
			x.Name == "disk" && name == "Inject":
			names = append(names, x.Name+"."+name)
		}
		return true
	})
	return names
}

func TestFileSystemCalls(t *testing.T) {
	const source = `package p
import ("os"; "path/filepath"; "syscall"; "golang.org/x/sys/unix")
func f() { os.Open(""); os.Exit(1); syscall.Open(""); _ = syscall.EINTR; filepath.Glob(""); filepath.Join(""); disk.Inject(nil); disk.Open("") }`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := fileSystemCalls(file)
	if expected := []string{"golang.org/x/sys/unix", "os.Open", "syscall.Open", "filepath.Glob", "disk.Inject"}; !slices.Equal(got, expected) {
		t.Errorf("%v, expected %v", got, expected)
	}
}
