package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/term"
)

// state returns the names and the contents of the files in dir.
func state(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x\n", e.Name(), data)
	}
	return b.String()
}

// TestErrors checks that a failing run prints one line that names the file, and does not change the
// output of the earlier run.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	lid := put(t, dir, "open.obj", []byte(open))
	good := put(t, dir, "good.csv", csvOf(cloud(1, 3000), "\n"))
	text := csvOf(cloud(2, 3000), "\n")
	array := npyOf(cloud(3, 3000), 64)
	zipped := packed(text)
	bad := map[string]string{
		"row":   put(t, dir, "row.csv", append(bytes.Clone(text), "1,2,hello,4\n"...)),
		"npy":   put(t, dir, "short.npy", array[:len(array)/2]),
		"gzip":  put(t, dir, "cut.csv.gz", zipped[:len(zipped)/2]),
		"stl":   put(t, dir, "bad.stl", []byte("solid x\nfacet normal 0 0")),
		"empty": put(t, dir, "empty.csv", nil),
		"name":  put(t, dir, "p\x1b[2J\n\u202e.csv", []byte("x,y,z\n1,2,\x1b\u009b\n")),
	}
	answers := filepath.Join(dir, "answers")
	if err := os.Mkdir(answers, 0o777); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(answers, "o")
	run(t, 0, "-q", "--mesh", mesh, "--points", good, "--out", out, "--shard-points", "1000")
	before := state(t, answers)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(answers, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		code int
		args []string
		want []string
	}{
		{"missing mesh", 1, []string{"--mesh", filepath.Join(dir, "no.stl"), "--points", good}, []string{"no.stl: no such file"}},
		{"control characters", 1, []string{"--mesh", filepath.Join(dir, "no\x1b[2J\n\u202e.stl"), "--points", good}, []string{`no\x1b[2J\n\u202e.stl: no such file`}},
		{"control characters of points", 1, []string{"--mesh", mesh, "--points", bad["name"]}, []string{`p\x1b[2J\n\u202e.csv: line 2`, `"\x1b\u009b"`}},
		{"bad mesh", 1, []string{"--mesh", bad["stl"], "--points", good}, []string{"bad.stl"}},
		{"missing points", 1, []string{"--mesh", mesh, "--points", filepath.Join(dir, "no*.csv")}, []string{"no*.csv: no file has this name"}},
		{"a name that is a word of the error", 1, []string{"--mesh", mesh, "--points", "file"}, []string{"file: no file has this name or matches this pattern"}},
		{"a name of one letter", 1, []string{"--mesh", "r", "--points", good}, []string{"r: no such file or directory"}},
		{"bad row", 1, []string{"--mesh", mesh, "--points", good, "--points", bad["row"], "--shard-points", "500"}, []string{"row.csv: line 3002: column 3 (y): \"hello\" is not a number"}},
		{"cut array", 1, []string{"--mesh", mesh, "--points", bad["npy"]}, []string{"short.npy"}},
		{"cut gzip", 1, []string{"--mesh", mesh, "--points", bad["gzip"]}, []string{"cut.csv.gz: gzip data is cut off"}},
		{"empty", 1, []string{"--mesh", mesh, "--points", bad["empty"]}, []string{"empty.csv"}},
		{"verified bodies", 2, []string{"--mesh", mesh, "--mesh", lid, "--points", good, "--verify", "9"}, []string{"--verify: requires one mesh"}},
		{"verified less than none", 2, []string{"--mesh", mesh, "--points", good, "--verify", "-9"}, []string{"--verify -9: must be from 0"}},
		{"unsteady", 2, []string{"--mesh", lid, "--points", good, "--winding"}, []string{"winding numbers of this open mesh"}},
		{"defects", 3, []string{"--mesh", lid, "--points", good, "--strict"}, []string{"open.obj has defects"}},
		{"no mesh", 2, []string{"--points", good}, []string{"no --mesh"}},
		{"no such flag", 2, []string{"--mesh", mesh, "--points", good, "--frob"}, []string{"unknown flag: --frob"}},
		{"no such method", 2, []string{"--mesh", mesh, "--points", good, "--method", "x"}, []string{"--method"}},
		{"processes", 2, []string{"--mesh", mesh, "--points", good, "--processes", "2"}, []string{"--processes needs a Prism server"}},
		{"own output", 2, []string{"--mesh", mesh, "--points", filepath.Join(answers, "*.csv")}, []string{"o-00000-of-00004.csv is a shard of an earlier run"}},
		{"own output by a link", 2, []string{"--mesh", mesh, "--points", filepath.Join(link, "o-00000-of-00004.csv")}, []string{"o-00000-of-00004.csv is a shard of an earlier run"}},
		{"no file", 1, []string{"--mesh", mesh, "--points", os.DevNull}, []string{os.DevNull + ": not a regular file"}},
		{"no such engine", 2, []string{"--mesh", mesh, "--points", good, "--runner", "frob"}, []string{"--runner \"frob\": must be one of direct, prism"}},
		{"no server", 2, []string{"--mesh", mesh, "--points", good, "--runner", "flink"}, []string{"--runner flink needs --endpoint"}},
		{"no server for processes", 2, []string{"--mesh", mesh, "--points", good, "--environment_type", "PROCESS"}, []string{"--environment_type PROCESS needs a job server"}},
		{"prism in this process", 2, []string{"--mesh", mesh, "--points", good, "--runner", "prism"}, []string{"--runner prism needs --endpoint"}},
		{"direct on a server", 2, []string{"--mesh", mesh, "--points", good, "--runner", "direct", "--endpoint", "localhost:1"}, []string{"--runner direct runs in this process"}},
		{"loopback", 2, []string{"--mesh", mesh, "--points", good, "--endpoint", "localhost:1", "--environment_type", "loopback"}, []string{"--environment_type loopback is refused"}},
		{"async", 2, []string{"--mesh", mesh, "--points", good, "--async"}, []string{"--async"}},
		{"shard size", 2, []string{"--mesh", mesh, "--points", good, "--shard-points", "0"}, []string{"--shard-points 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, c.code, append([]string{"-q", "--out", out}, c.args...)...)
			for _, want := range c.want {
				if !strings.Contains(r.stderr, want) {
					t.Errorf("%q, want it to have %q", r.stderr, want)
				}
			}
			if lines := strings.Count(strings.ReplaceAll(r.stderr, "hint: ", ""), "\n"); lines > 2 || c.code == 1 && lines > 1 {
				t.Errorf("%d lines: %q", lines, r.stderr)
			}
			if got := state(t, answers); got != before {
				t.Errorf("the output of the run before has changed")
			}
		})
	}
}

// TestNoManifest checks that no shard replaces a file if the manifest cannot be written.
func TestNoManifest(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	points := put(t, dir, "a.csv", csvOf(cloud(1, 100), "\n"))
	put(t, dir, "o-00000-of-00001.csv", []byte("mine"))
	if err := os.Mkdir(filepath.Join(dir, "o-manifest.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := state(t, dir)
	r := run(t, 1, "-q", "--mesh", mesh, "--points", points, "--out", filepath.Join(dir, "o"))
	if !strings.Contains(r.stderr, "o-manifest.json: is a directory") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%q, want one line with the file", r.stderr)
	}
	if state(t, dir) != before {
		t.Error("what was there has changed")
	}
}

// TestFolderWithShardName checks that no shard is renamed if a folder has the name of a shard.
func TestFolderWithShardName(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	points := put(t, dir, "a.csv", csvOf(cloud(1, 300), "\n"))
	put(t, dir, "o-00000-of-00004.csv", []byte("mine"))
	folder := filepath.Join(dir, "o-00002-of-00004.csv")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	before := state(t, dir)
	args := []string{"-q", "--mesh", mesh, "--points", points, "--out", filepath.Join(dir, "o"), "--shard-points", "100"}
	r := run(t, 1, args...)
	if !strings.Contains(r.stderr, folder+": is a directory") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%q, want one line with the folder", r.stderr)
	}
	if state(t, dir) != before {
		t.Error("what was there has changed")
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	run(t, 0, args...)
	wantWhole(t, filepath.Join(dir, "o"))
}

// TestIsOutput checks that a shard of an earlier run is recognized by a relative path, an absolute
// path and a symbolic link.
func TestIsOutput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, dir, "o-00000-of-00002.x-y", nil)
	if err := os.Symlink("o-00000-of-00002.x-y", "link"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"o-00000-of-00002.x-y": true, "./o-00000-of-00002.x-y": true, filepath.Join(dir, "o-00001-of-00002.csv"): true, "link": true,
		"o.csv": false, "oo-00000-of-00002.csv": false, "sub/o-00000-of-00002.csv": false, "gs://o-00000-of-00002.csv": false,
	} {
		for _, out := range []string{"o", "./o", filepath.Join(dir, "o")} {
			if got := (&command{out: out}).isOutput(path); got != want {
				t.Errorf("--out %s, %s: %v, want %v", out, path, got, want)
			}
		}
	}
}

// TestTooManyShards checks that too many shards are refused before the file is read.
func TestTooManyShards(t *testing.T) {
	in := &input{path: "none", size: 1 << 40, rows: 1 << 30, from: "text"}
	var usage term.UsageError
	if name := merge.ShardName("", maxShards-1, maxShards, ".csv"); !shardName.MatchString(name) {
		t.Errorf("%s is not known as a shard", name)
	}
	if _, _, err := in.split(&answer.Flags{}, 1<<10); !errors.As(err, &usage) || !strings.Contains(err.Error(), "1048576 shards of 1024 points") {
		t.Errorf("%v", err)
	}
}

// TestGoesOn checks that a failed run keeps its finished shards, and that the same command
// continues with these shards.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	put(t, dir, "a.csv", csvOf(cloud(1, 3000), "\n"))
	put(t, dir, "b.csv", append(csvOf(cloud(2, 3000), "\n"), "1,2,hello,4\n"...))
	out := filepath.Join(dir, "o")
	args := []string{"--mesh", mesh, "--points", filepath.Join(dir, "*.csv"), "--out", out, "--shard-points", "300"}
	r := run(t, 1, args...)
	parts, err := filepath.Glob(out + ".parts-*/*" + resultSuffix)
	if err != nil || len(parts) == 0 || !strings.Contains(r.stderr, "to answer the remaining shards, run the same command again") {
		t.Fatalf("%d shards kept, %v: %s", len(parts), err, r.stderr)
	}
	// A later run writes a damaged shard again.
	shard := strings.TrimSuffix(parts[0], resultSuffix) + ".csv"
	data, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(shard, data, 0o666); err != nil {
		t.Fatal(err)
	}
	// A run can stop at the bad line of b.csv before it reaches the damaged shard. Each run finishes
	// more shards, so a later run writes the damaged shard again.
	again := data
	for range 20 {
		if r := run(t, 1, args...); !strings.Contains(r.stderr, "b.csv: line 3002") {
			t.Error(r.stderr)
		}
		if again, err = os.ReadFile(shard); err != nil || !bytes.Equal(again, data) {
			break
		}
	}
	if err != nil || bytes.Equal(again, data) {
		t.Errorf("the damaged shard is still there, %v", err)
	}
}

// TestReasonOf checks that permanentReason finds an error of this program in the text of an
// engine's error. The cancellation of a shard is not an error of this program.
func TestReasonOf(t *testing.T) {
	engine := func(err error) error { return fmt.Errorf("bundle inst003 failed: %w\n\tcaused by: %v", err, err) }
	if got, ok := permanentReason(engine(permanent(errors.New(`a.csv: line 3: "x" is no number`)))); !ok || got != `a.csv: line 3: "x" is no number` {
		t.Errorf("reason %q, %v", got, ok)
	}
	for _, err := range []error{
		errors.New("worker disconnected"),
		permanent(fmt.Errorf("a.csv: %w", context.Canceled)),
		permanent(context.DeadlineExceeded),
	} {
		if got, ok := permanentReason(engine(err)); ok {
			t.Errorf("%v: reason %q", err, got)
		}
	}
}

// TestChanged checks that a point file is refused if it was rewritten during the run, even if it
// has the same size as before. A mesh is refused if its triangles have changed. A worker is refused
// if it is not the same program as the driver.
func TestChanged(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	mesh := put(t, dir, "cube.obj", []byte(cube))
	points := put(t, dir, "a.csv", csvOf(cloud(1, 10), "\n"))
	k := &task{Mesh: []string{mesh}, Parts: filepath.Join(dir, "parts"), Flags: newFlags(), Version: version()}
	q, err := k.build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	k.Solids = checksumOf(q.Solids)
	if _, err := k.build(ctx); err != nil {
		t.Errorf("the same mesh: %v", err)
	}
	p := &part{Path: points, Ext: ".csv"}
	if p.Stamp, _, err = stamp(ctx, points); err != nil {
		t.Fatal(err)
	}
	if _, err := k.run(ctx, p, q); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "cube.obj", []byte(strings.Replace(cube, "v 1 1 1", "v 1 1 2", 1)))
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(points, later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := k.build(ctx); err == nil || err.Error() != mesh+": the mesh has changed since the run began" {
		t.Errorf("mesh: %v", err)
	}
	k.Version = "v0"
	if _, err := k.build(ctx); err == nil || !strings.Contains(err.Error(), "the run was started by inpoly-beam v0, but this worker is") {
		t.Errorf("another program: %v", err)
	}
	if err := os.RemoveAll(k.Parts); err != nil {
		t.Fatal(err)
	}
	if _, err := k.run(ctx, p, q); err == nil || err.Error() != points+": the file has changed since the run began" {
		t.Errorf("points: %v", err)
	}
}

// TestAnotherMesh checks that a run does not continue with the shards of another mesh, even if the
// mesh files have the same name, size and modification time. The triangles of a glTF file can be in
// a second file.
func TestAnotherMesh(t *testing.T) {
	dir := t.TempDir()
	at := time.Unix(1e9, 0)
	c, _ := newCommand()
	c.Quiet, c.out = true, filepath.Join(dir, "o")
	var keys []string
	for _, text := range []string{cube, strings.Replace(cube, "v 1 1 1", "v 1 1 2", 1), cube} {
		mesh := put(t, dir, "cube.obj", []byte(text))
		if err := os.Chtimes(mesh, at, at); err != nil {
			t.Fatal(err)
		}
		c.mesh = []string{mesh}
		e, _, err := c.prepare(t.Context(), &plan{})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Task.Key)
	}
	if keys[0] == keys[1] || keys[0] != keys[2] {
		t.Errorf("keys %q of a mesh, another, and the first again", keys)
	}
}

func newFlags() answer.Flags {
	c, _ := newCommand()
	return c.flags
}
