package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/merge"
)

// clouds writes point files of all formats and returns their paths.
func clouds(t testing.TB, dir, mesh string, n int) []string {
	t.Helper()
	list := []string{
		put(t, dir, "a.csv", csvOf(cloud(1, n), "\n")),
		put(t, dir, "b.csv", csvOf(cloud(2, n), "\r\n")),
		put(t, dir, "c.xyz", xyzOf(cloud(3, n))),
		put(t, dir, "d.csv", bytes.TrimSuffix(bytes.ReplaceAll(csvOf(cloud(4, n), "\n"), []byte("\n77,"), []byte("\n\"7\n7\",")), []byte("\n"))),
		put(t, dir, "e.npy", npyOf(cloud(5, n), 64)),
		put(t, dir, "f.npy", npyOf(cloud(6, n), 32)),
		put(t, dir, "g.ply", plyOf(cloud(7, n))),
		put(t, dir, "h.csv.gz", packed(csvOf(cloud(8, n), "\n"))),
	}
	for name, format := range map[string]string{"i.las": "las", "j.parquet": "parquet"} {
		path := filepath.Join(dir, name)
		inpoly(t, "-q", mesh, list[0], "--format", format, "--out", path)
		list = append(list, path)
	}
	return list
}

func TestSameAsOneMachine(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	other := put(t, dir, "beside.obj", []byte(beside))
	lid := put(t, dir, "open.obj", []byte(open))
	all := clouds(t, dir, mesh, 3000)
	whole := func(list []string) []string { // removes files whose shards cannot be joined
		var out []string
		for _, p := range list {
			if !strings.HasSuffix(p, ".parquet") {
				out = append(out, p)
			}
		}
		return out
	}
	for _, c := range []struct {
		name   string
		mesh   []string
		inputs []string
		size   int
		flags  []string
	}{
		{"one shard a file", []string{mesh}, all, 100_000, nil},
		{"small shards", []string{mesh}, whole(all), 700, nil},
		{"tiny shards", []string{mesh}, whole(all)[:4], 40, nil},
		{"all columns", []string{mesh}, whole(all), 999, []string{"--state", "--winding", "--certify", "--distance", "--nearest"}},
		{"left out", []string{mesh}, whole(all), 800, []string{"--keep", "inside"}},
		{"nothing left", []string{mesh}, whole(all), 800, []string{"--keep", "uncertain"}},
		{"csv", []string{mesh}, all, 800, []string{"--format", "csv"}},
		{"jsonl", []string{mesh}, all, 800, []string{"--format", "jsonl", "--keep", "outside,on"}},
		{"npy", []string{mesh}, []string{all[0], all[4]}, 800, []string{"--format", "npy"}},
		{"ply", []string{mesh}, whole(all)[4:], 800, []string{"--format", "ply"}},
		{"las", []string{mesh}, []string{all[0], all[4], all[8]}, 800, []string{"--format", "las"}},
		{"columns", []string{mesh}, all[:1], 800, []string{"--xyz", "2,3,4", "--tolerance", "0.01"}},
		{"several solids", []string{mesh, other}, whole(all)[:6], 800, []string{"--body", "first", "--nearest"}},
		{"pose", []string{mesh}, whole(all)[:6], 800, []string{"--pose", "0.25,0,0,0.6,0.8,0,0", "--winding", "--nearest"}},
		{"solids at a pose", []string{mesh, other}, whole(all)[:3], 800, []string{"--pose=-0.1,0.2,0", "--body", "all", "--tolerance", "0.01"}},
		{"open mesh", []string{lid}, whole(all)[:5], 800, []string{"--method", "raycross", "--winding"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "o")
			args := append([]string{"-q", "--out", out, "--shard-points", fmt.Sprint(c.size)}, c.flags...)
			for _, m := range c.mesh {
				args = append(args, "--mesh", m)
			}
			for _, p := range c.inputs {
				args = append(args, "--points", p)
			}
			run(t, 0, args...)
			wantSame(t, c.mesh, c.inputs, c.flags, out)
			if list, err := filepath.Glob(out + ".parts*"); err != nil || len(list) > 0 {
				t.Errorf("left behind: %q, %v", list, err)
			}
		})
	}
}

// TestLossIsTold checks that the command prints the same warning as inpoly if the output format
// rounds values.
func TestLossIsTold(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	points := put(t, dir, "a.csv", []byte("x,y,z\n1e9,0.123456789,0\n2e-9,0,0\n"))
	want := "warning: " + points + ": las: coordinates of 1 of 2 rows are rounded"
	one := inpoly(t, mesh, points, "--format", "las", "--out", filepath.Join(dir, "one.las"))
	r := run(t, 0, "--mesh", mesh, "--points", points, "--format", "las", "--out", filepath.Join(dir, "o"))
	if !strings.Contains(one.stderr, want) || !strings.Contains(r.stderr, want) {
		t.Errorf("inpoly said %s\ninpoly-beam said %s\nwant both to have %q", one.stderr, r.stderr, want)
	}
}

// TestJoinedToOne joins several texts with the same header. It compares the result with the output
// of inpoly for the joined text.
func TestJoinedToOne(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	a, b := csvOf(cloud(1, 2000), "\n"), csvOf(cloud(2, 2000), "\n")
	header := bytes.IndexByte(b, '\n') + 1
	put(t, dir, "a.csv", bytes.TrimSuffix(a, []byte("\n")))
	put(t, dir, "b.csv", b)
	both := put(t, dir, "both.txt", append(bytes.Clone(a), b[header:]...))
	for _, format := range []string{"", "csv", "jsonl"} {
		out := filepath.Join(dir, "o"+format)
		flags := []string{"-q"}
		if format != "" {
			flags = append(flags, "--format", format)
		}
		run(t, 0, append(flags, "--mesh", mesh, "--points", filepath.Join(dir, "[ab].csv"), "--out", out, "--shard-points", "300")...)
		got := inpoly(t, "merge", "-q", out+"-manifest.json").out
		want := inpoly(t, append(flags, mesh, both)...).out
		if got != want {
			t.Errorf("format %q: %d bytes, want %d", format, len(got), len(want))
		}
	}
}

// TestRunAgain checks that the bytes of a shard depend only on its rows. It also checks that a
// second run replaces all files of the first run, even if the first run had more shards.
func TestRunAgain(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	in := put(t, dir, "a.csv", csvOf(cloud(1, 5000), "\n"))
	out := filepath.Join(dir, "o")
	read := func() map[string]string {
		list, err := filepath.Glob(out + "*")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, p := range list {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(p)] = string(data)
		}
		return files
	}
	run(t, 0, "-q", "--mesh", mesh, "--points", in, "--out", out, "--shard-points", "500", "--workers", "1")
	first := read()
	run(t, 0, "-q", "--mesh", mesh, "--points", in, "--out", out, "--shard-points", "500", "--workers", "2")
	second := read()
	if len(first) != 12 || len(second) != len(first) {
		t.Fatalf("%d and %d files, want eleven shards and the manifest", len(first), len(second))
	}
	for name, data := range first {
		if second[name] != data {
			t.Errorf("%s differs", name)
		}
	}
	run(t, 0, "-q", "--mesh", mesh, "--points", in, "--out", out, "--shard-points", "2000")
	if third := read(); len(third) != 4 {
		t.Errorf("%d files, want three shards and the manifest", len(third))
	}
	wantSame(t, []string{mesh}, []string{in}, nil, out)
}

func readManifest(t testing.TB, prefix string) *merge.Manifest {
	t.Helper()
	m, err := merge.Read(merge.ManifestName(prefix))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestVerify checks that --verify compares some answers of each shard with the direct sum over all
// triangles, and changes no output.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	lid := put(t, dir, "open.obj", []byte(open))
	list := clouds(t, dir, lid, 300)[:5]
	plain, checked := filepath.Join(t.TempDir(), "o"), filepath.Join(t.TempDir(), "o")
	args := []string{"--mesh", lid, "--shard-points", "100", "--method", "raycross", "--winding"}
	for _, p := range list {
		args = append(args, "--points", p)
	}
	run(t, 0, append(args, "--out", plain)...)
	r := run(t, 0, append(args, "--out", checked, "--verify", "20")...)
	a, b := readManifest(t, plain), readManifest(t, checked)
	if a.Verified != 0 || b.Verified == 0 {
		t.Errorf("%d and %d points verified, want 0 and more", a.Verified, b.Verified)
	} else if want := fmt.Sprintf("; %d points verified", b.Verified); !strings.Contains(r.stderr, want) {
		t.Errorf("the summary is %q, without %q", r.stderr, want)
	}
	for i, in := range b.Inputs {
		for k, s := range in.Shards {
			// Rows without finite coordinates are not verified.
			if want := min(20, s.Rows-s.NonFinite); s.Verified != want {
				t.Errorf("%s: %d points verified, want %d", s.File, s.Verified, want)
			}
			if old := a.Inputs[i].Shards[k]; old.SHA256 != s.SHA256 {
				t.Errorf("%s differs from what is written without --verify", s.File)
			}
		}
	}
}

// TestPathsOfPoints checks that a file that is given twice is one input. It also checks that merge
// refuses to replace the point files, in any working folder.
func TestPathsOfPoints(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	text := csvOf(cloud(1, 100), "\n")
	in := put(t, dir, "a.csv", text)
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := child("command", "-q", "--mesh", mesh, "--points", "a.csv", "--points", "./a.csv", "--points", in, "--out", "out/o")
	c.Dir = dir
	if r := finish(t, c); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	out := filepath.Join(dir, "out", "o")
	if m := readManifest(t, out); len(m.Inputs) != 1 || m.Rows != 100 || m.Inputs[0].Path != in {
		t.Errorf("inputs %+v with %d rows, want %s with 100", m.Inputs, m.Rows, in)
	}
	merge := exec.Command(inpolyAt(t), "merge", "o-manifest.json", "--out-dir", "..")
	merge.Dir = filepath.Dir(out)
	if r := finish(t, merge); r.code != 2 || !strings.Contains(r.stderr, "this input is the same file as the output") {
		t.Errorf("exit code %d: %s, want 2 and a message about the points", r.code, r.stderr)
	}
	if now, err := os.ReadFile(in); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the points have changed: %v", err)
	}
}
