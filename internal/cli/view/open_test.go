package view

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestOpenPageMissing calls openPage when no program of the list is installed.
func TestOpenPageMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := openPage(t.Context(), "part.html")
	if err == nil || !strings.Contains(err.Error(), "--open: part.html was written, but there is no program to open it") {
		t.Errorf("without a program, --open gave %v", err)
	}
}

// TestOpenPageWaits starts a program that runs longer than openPage waits.
func TestOpenPageWaits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program of this system cannot be replaced by a script")
	}
	dir := t.TempDir()
	sleep := "#!/bin/sh\necho \"$1\" > " + filepath.Join(dir, "path") + "\nexec /bin/sleep 2\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(sleep), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if err := openPage(t.Context(), filepath.Join(dir, "a b.html")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "path")); err != nil || string(got) != filepath.Join(dir, "a b.html")+"\n" {
		t.Errorf("the program got the path %q (%v)", got, err)
	}
}

func TestSplitArgs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	faces := write("faces.ply", "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n")
	cloud := write("cloud.ply", "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n")
	none := write("none.ply", "ply\nformat ascii 1.0\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n")
	bad := write("bad.ply", "no header")
	for _, c := range []struct {
		args   []string
		points string
	}{
		{[]string{"a.stl"}, ""}, {[]string{"-"}, ""}, {[]string{cloud}, ""}, {[]string{"a.stl", "b.STL.gz"}, ""}, {[]string{"a.stl", "b.csv"}, "b.csv"},
		{[]string{"a.stl", "-"}, "-"}, {[]string{"a.stl", "b.obj", "points"}, "points"}, {[]string{"a.stl", faces}, ""}, {[]string{"a.stl", cloud}, cloud},
		{[]string{"a.stl", none}, none}, {[]string{"a.stl", bad}, bad}, {[]string{"a.stl", filepath.Join(dir, "missing.ply")}, filepath.Join(dir, "missing.ply")},
	} {
		meshes, points := splitArgs(c.args)
		want := c.args
		if c.points != "" {
			want = c.args[:len(c.args)-1]
		}
		if points != c.points || !slices.Equal(meshes, want) {
			t.Errorf("%v: meshes %v, points %q; want %v, %q", c.args, meshes, points, want, c.points)
		}
	}
}
