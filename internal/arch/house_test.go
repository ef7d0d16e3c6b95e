package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources parses the Go files of the folder dir, without tests. dir is relative to the root.
func sources(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, error %v", dir, len(paths), err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = f
	}
	return files
}

// The root package stays small, because it contains no geometry.
func TestRootPackageIsSmall(t *testing.T) {
	files := sources(t, ".")
	lines, exported := 0, []string{}
	for path, f := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				exported = append(exported, fn.Name.Name)
			}
		}
	}
	if len(files) > 10 || lines > 1750 || len(exported) > 55 {
		t.Errorf("%d files, %d lines, %d exported functions and methods %v; want at most 10, 1750 and 55",
			len(files), lines, len(exported), exported)
	}
}

// The number of packages that other modules can import stays small.
func TestPublicPackages(t *testing.T) {
	var public []string
	for _, floor := range floors[1:] { // nothing can import the programs of the first floor
		for _, p := range floor {
			if !strings.Contains("/"+p+"/", "/internal/") {
				public = append(public, p)
			}
		}
	}
	if len(public) > 22 {
		t.Errorf("%d public packages, want at most 22: %v", len(public), public)
	}
}

// methodConstants returns the names of the constants of type Method in options.go, which are also those in
// internal/engine/locate.
func methodConstants(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for path, f := range sources(t, ".") {
		if filepath.Base(path) != "options.go" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				if x, ok := v.Type.(*ast.Ident); ok && x.Name == "Method" {
					names[v.Names[0].Name] = true
				}
			}
			return true
		})
	}
	if !names["Auto"] || len(names) < 6 {
		t.Fatalf("constants of methods: %v", names)
	}
	return names
}

// Only internal/engine/locate compares a value with the constants for methods.
func TestNoSwitchOverMethods(t *testing.T) {
	methodNames := methodConstants(t)
	for _, floor := range floors {
		for _, p := range floor {
			if p == "internal/engine/locate" {
				continue
			}
			for path, f := range sources(t, p) {
				ast.Inspect(f, func(n ast.Node) bool {
					for _, e := range compared(n) {
						if s, ok := e.(*ast.SelectorExpr); ok && methodNames[s.Sel.Name] {
							if x, ok := s.X.(*ast.Ident); ok && (x.Name == "inpoly" || x.Name == "locate") {
								t.Errorf("%s: a case of %s.%s", path, x.Name, s.Sel.Name)
							}
						}
						if x, ok := e.(*ast.Ident); ok && p == "." && methodNames[x.Name] {
							t.Errorf("%s: a case of %s", path, x.Name)
						}
					}
					return true
				})
			}
		}
	}
}

// Only internal/cli/term prints text to standard error, so it escapes all messages. Other packages
// can print constants.
func TestOneWriterOfMessages(t *testing.T) {
	dirs := []string{"cmd/inpoly", "beam/cmd/inpoly-beam"}
	for _, floor := range floors {
		for _, p := range floor {
			if strings.HasPrefix(p, "internal/cli") && p != "internal/cli/term" {
				dirs = append(dirs, p)
			}
		}
	}
	for _, dir := range dirs {
		for path, f := range sources(t, dir) {
			ast.Inspect(f, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if s, ok := c.Fun.(*ast.SelectorExpr); !ok || fmt.Sprint(s.X) != "fmt" && fmt.Sprint(s.X) != "io" {
					return true
				}
				toError := false
				for _, a := range c.Args {
					if s, ok := a.(*ast.SelectorExpr); ok && (s.Sel.Name == "Err" || s.Sel.Name == "Stderr") {
						toError = true
					} else if _, constant := a.(*ast.BasicLit); toError && !constant {
						t.Errorf("%s: a call prints a text that is not constant to standard error", path)
					}
				}
				return true
			})
		}
	}
}

// compared returns the expressions that n compares with a value: the cases of a switch clause, or
// the operands of == and !=.
func compared(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CaseClause:
		return n.List
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	}
	return nil
}

// goPath matches the path of a Go file in a text. The other pattern matches a list of names and the
// path that follows the list.
var (
	goPath = regexp.MustCompile(`[a-z][a-zA-Z0-9_/-]*\.go\b`)
	named  = regexp.MustCompile("((?:`[a-zA-Z]+`(?: and |, )?)+),? ([a-z][a-zA-Z0-9_/-]*\\.go)\\b")
)

// The documents for developers refer only to existing files and to functions in these files.
func TestDocumentedFiles(t *testing.T) {
	paths, functions := 0, 0
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range goPath.FindAllString(string(text), -1) {
			if !strings.Contains(path, "/") || strings.Contains(path, "/tri") || strings.Contains(path, "NAME") { // skip examples and shortened paths
				continue
			}
			paths++
			if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
				t.Errorf("%s: there is no %s", name, path)
			}
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			source, err := os.ReadFile(filepath.Join("../..", m[2]))
			if err != nil {
				continue // skip a shortened path
			}
			for _, function := range regexp.MustCompile("[a-zA-Z]+").FindAllString(strings.ReplaceAll(m[1], " and ", " "), -1) {
				functions++
				if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + function + `\b`).Match(source) {
					t.Errorf("%s: there is no %s in %s", name, function, m[2])
				}
			}
		}
	}
	if paths < 20 || functions < 20 {
		t.Errorf("%d paths and %d functions found, want at least 20 of each", paths, functions)
	}
}
