package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A constant that is too large for an int of 32 bits, and a file for one system that calls what another file
// lacks, are errors on some platforms only.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.26.0\n",
		"a.go":         "package m\n\nimport \"strings\"\n\nvar Name = strings.ToUpper(\"m\")\n",
		"b/b.go":       "package b\n\nimport \"example.com/m\"\n\nvar Large int = 1 << 40\n\nfunc f() string { return m.Name }\n",
		"b/b_plan9.go": "package b\n\nvar x = missing()\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	for _, c := range []struct{ platform, packages, want string }{
		{"linux/amd64", "./...", ""},
		{"windows/arm64", "./...", ""},
		{"linux/386", ".", ""},
		{"linux/386", "./...", "cannot use 1 << 40"},
		{"plan9/amd64", "./...", "undefined: missing"},
		{"linux", "./...", "a platform is GOOS/GOARCH"},
		{"linux/amiga", "./...", "unsupported GOOS/GOARCH pair linux/amiga"},
		{"linux/amd64", "./none", "none"},
	} {
		n, err := check(dir, c.platform, []string{c.packages})
		switch {
		case c.want == "" && (err != nil || n == 0):
			t.Errorf("%s %s: %d packages, %v", c.platform, c.packages, n, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %s: %v, want %q", c.platform, c.packages, err, c.want)
		}
	}
}
