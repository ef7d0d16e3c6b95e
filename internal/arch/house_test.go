package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources parses the shipped Go files of the folder dir, relative to the root.
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

// The facade stays small: policy and choice, no geometry.
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
	if len(files) > 10 || lines > 1500 || len(exported) > 30 {
		t.Errorf("%d files, %d lines, %d exported functions and methods %v; want at most 10, 1500 and 30",
			len(files), lines, len(exported), exported)
	}
}

// The packages that others may import are few.
func TestPublicPackages(t *testing.T) {
	var public []string
	for _, floor := range floors {
		for _, p := range floor {
			if !strings.Contains("/"+p+"/", "/internal/") && !strings.HasPrefix(p, "cmd/") {
				public = append(public, p)
			}
		}
	}
	if len(public) > 20 {
		t.Errorf("%d public packages, want at most 20: %v", len(public), public)
	}
}

// methodNames are the constants that name a method, in the root package and in
// internal/locate.
var methodNames = map[string]bool{"Auto": true, "RayCrossing": true, "Cells": true, "Direct": true, "FMM": true}

// Only the list in internal/locate knows the methods: no switch over them elsewhere.
func TestNoSwitchOverMethods(t *testing.T) {
	for _, floor := range floors {
		for _, p := range floor {
			if p == "internal/locate" {
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

// compared returns the expressions that n compares a value with: the cases of a switch,
// or the sides of == and !=.
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

// goPath is the path of a Go file in a text.
var goPath = regexp.MustCompile(`[a-z][a-zA-Z0-9_/-]*/[a-z_0-9]+\.go\b`)

// The documents for developers name files that exist.
func TestDocumentedFiles(t *testing.T) {
	seen := 0
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range goPath.FindAllString(string(text), -1) {
			seen++
			if strings.Contains(path, "/tri") { // the example of a new format
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
				t.Errorf("%s: there is no %s", name, path)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d paths found: the test looks for the wrong thing", seen)
	}
}
