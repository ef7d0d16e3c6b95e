//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/testrace"
)

const scene = `{"bodies": [{"mesh": "cube.obj"}, {"mesh": "cube.obj", "poses": "poses.csv"}]}`

// shell runs a line of the shell in dir, for at most a minute.
func shell(t *testing.T, dir, line string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.WaitDelay = time.Second
	var out, printed bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &printed
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%s: %v, %v", line, err, ctx.Err())
	}
	return cmd.ProcessState.ExitCode(), out.String(), printed.String()
}

func putAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// No command writes to one of its inputs, under any name and through any stream.
func TestOutputIsInput(t *testing.T) {
	files := map[string]string{
		"cube.obj": cubeOBJ, "points.csv": "x,y,z\n0.5,0.5,0.5\n2,2,2\n",
		"scene.json": scene, "poses.csv": "time,x,y,z\n0,0.5,0.5,0.5\n", "lines.csv": "0,0,0,1,1,1\n",
		"collars.csv": "hole,x,y,z\nA,0,0,0\n", "surveys.csv": "hole,depth,azimuth,dip\nA,0,0,-90\nA,9,0,-90\n",
		"a.gltf": `{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "nodes": [{"mesh": 0}],
			"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
			"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [0,0,0]}],
			"bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "a.bin", "byteLength": 36}]}`,
		"a.bin": strings.Repeat("\x00", 36),
	}
	for _, line := range []string{
		"inpoly cube.obj points.csv >> points.csv",
		"inpoly cube.obj points.csv >> cube.obj",
		"inpoly cube.obj cube.obj points.csv >> points.csv",
		"inpoly cube.obj - < points.csv >> points.csv",
		"inpoly - points.csv < cube.obj >> cube.obj",
		"inpoly cube.obj points.csv --out points.csv",
		"inpoly cube.obj points.csv --out points.csv --resume",
		"ln points.csv out.csv.part && inpoly cube.obj out.csv.part --out out.csv --resume",
		"mv points.csv out.csv.journal.tmp && inpoly cube.obj out.csv.journal.tmp --out out.csv --resume; s=$?; mv out.csv.journal.tmp points.csv; exit $s",
		"mv cube.obj out.csv.journal.tmp && ln -s out.csv o && inpoly out.csv.journal.tmp points.csv --out o --resume; s=$?; mv out.csv.journal.tmp cube.obj; exit $s",
		"ln points.csv hard && inpoly cube.obj points.csv --out hard",
		"ln -s points.csv soft && inpoly cube.obj points.csv --out soft",
		"inpoly cube.obj /dev/stdin --out points.csv < points.csv",
		"inpoly cube.obj points.csv --out /dev/stdout >> points.csv",
		"inpoly a.gltf points.csv --format csv --out a.bin",
		"inpoly a.gltf points.csv --body first --format csv --out a.bin",
		"inpoly cube.obj a.gltf points.csv >> a.bin",
		"inpoly explain a.gltf 1,2,3 >> a.bin",
		"inpoly check a.gltf >> a.bin",
		"inpoly check cube.obj >> cube.obj",
		"inpoly check - < cube.obj >> cube.obj",
		"inpoly explain cube.obj 1,2,3 >> cube.obj",
		"inpoly voxels cube.obj --spacing 1 --out - >> cube.obj",
		"inpoly voxels cube.obj --spacing 1 --format npy --out cube.obj",
		"ln points.csv a.html && inpoly view cube.obj points.csv --out a.html",
		"inpoly rays cube.obj lines.csv --out lines.csv",
		"inpoly rays cube.obj lines.csv --all >> cube.obj",
		"inpoly segments cube.obj lines.csv >> lines.csv",
		"inpoly segments cube.obj --collar collars.csv --survey surveys.csv --out surveys.csv",
		"inpoly segments cube.obj --collar collars.csv --survey surveys.csv >> collars.csv",
		"inpoly segments cube.obj lines.csv --matrix poses.csv >> poses.csv",
		"inpoly collide scene.json >> scene.json",
		"inpoly collide - < scene.json >> scene.json",
		"inpoly collide scene.json >> poses.csv",
		"inpoly collide scene.json >> cube.obj",
		"inpoly collide scene.json --faces poses.csv",
		"inpoly collide scene.json --out cube.obj",
	} {
		dir := t.TempDir()
		putAll(t, dir, files)
		code, _, stderr := shell(t, dir, line)
		if code != 2 || !strings.Contains(stderr, "the same file as the output") && !strings.Contains(stderr, "name of a mesh") {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
		for name, text := range files {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
				t.Errorf("%s: %s has changed: %q, %v", line, name, got, err)
			}
		}
	}
	dir := t.TempDir()
	putAll(t, dir, files)
	code, _, stderr := shell(t, dir, "inpoly collide scene.json --faces faces > faces")
	if code != 2 || !strings.Contains(stderr, "must not be the file of standard output") {
		t.Errorf("two outputs in one file: exit code %d: %s", code, stderr)
	}
	// Other files and devices stay allowed.
	for _, line := range []string{
		"inpoly cube.obj points.csv >> log && inpoly cube.obj points.csv >> log",
		"inpoly cube.obj - < points.csv >> log",
		"inpoly cube.obj points.csv --out log 2>> points.csv",
		"cp points.csv bash && inpoly completion bash >> bash",
		"inpoly cube.obj - < /dev/null > /dev/null; test $? = 1",
	} {
		dir := t.TempDir()
		putAll(t, dir, files)
		if code, _, stderr := shell(t, dir, line); code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
}

// lostLines has lines of all commands that write to standard output, also with nothing but an exit code
// as a result. The command "" is the one without a name.
var lostLines = map[string][]string{
	"": {
		"cube.obj points.csv", "cube.obj points.csv --format npy", "cube.obj points.csv --format las", "cube.obj points.csv --format parquet",
		"cube.obj points.csv --out /dev/stdout", "cube.obj points.csv --out /dev/fd/1", "cube.obj points.csv --out -", "cube.obj points.csv --stats json",
		"cube.obj points.csv --expect inside,outside", "cube.obj cube.obj points.csv --keep inside", "--version", "--help",
	},
	"blocks":        {"blocks cube.obj --origin 0,0,0 --size 1 --counts 1,1,1 --out -", "blocks cube.obj --origin 0,0,0 --size 1 --counts 1,1,1 --json"},
	"check":         {"check cube.obj", "check cube.obj --format json", "check cube.obj --quiet", "check open.obj --strict", "check - < cube.obj"},
	"collide":       {"collide scene.json", "collide scene.json --json"},
	"completion":    {"completion bash", "completion zsh", "completion fish", "completion powershell"},
	"explain":       {"explain cube.obj 1,2,3", "explain cube.obj 1,2,3 --json", "explain cube.obj 1,2,3 --quiet"},
	"help":          {"help", "help points", "help check"},
	"make":          {"make sphere --refine 1", "make foam --resolution 8 --format obj", "make sphere --refine 1 --format ply --out - --json"},
	"man":           {"man"},
	"measure":       {"measure cube.obj", "measure cube.obj --format json", "measure cube.obj --format csv"},
	"merge":         {"merge manifest.json", "merge manifest.json --json"},
	"proof-checker": {"proof-checker"},
	"rays":          {"rays cube.obj lines.csv", "rays cube.obj lines.csv --all --format parquet", "rays cube.obj lines.csv --json"},
	"section":       {"section cube.obj --z 0.5", "section cube.obj --z 0.5 --out - --format svg", "section cube.obj --every 0.5 --json"},
	"segments":      {"segments cube.obj lines.csv", "segments cube.obj lines.csv --json"},
	"version":       {"version", "version --json"},
	"view":          {}, // needs a file with a suffix
	"voxels":        {"voxels cube.obj --spacing 1 --out -", "voxels cube.obj --spacing 1 --out - --format npy --json"},
}

// A command whose output is lost fails: standard output is closed, or its device is full. The list of
// commands is that of the command itself, so a new command without lines fails the test.
func TestLostOutput(t *testing.T) {
	dir := t.TempDir()
	shard := "x,inside\n1,0\n"
	putAll(t, dir, map[string]string{
		"cube.obj": cubeOBJ, "open.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "points.csv": "x,y,z\n0.5,0.5,0.5\n2,2,2\n", "scene.json": scene,
		"poses.csv": "time,x,y,z\n0,0.5,0.5,0.5\n", "lines.csv": "0,0,0,1,1,1\n", "shard.csv": shard,
		"manifest.json": fmt.Sprintf(`{"kind": "inpoly shards 1", "rows": 1, "written": 1, "inputs": [{"path": "points.csv", "format": "csv", "ext": ".csv", "header_line": 1,
			"shards": [{"file": "shard.csv", "bytes": %d, "sha256": "%x", "head_bytes": 0, "tail_bytes": 0}]}]}`, len(shard), sha256.Sum256([]byte(shard))),
	})
	code, listed, stderr := shell(t, dir, `inpoly __complete ""`)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := slices.Clone(lostLines[""])
	found := 0
	for line := range strings.Lines(listed) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(name, ":") {
			continue
		}
		found++
		if lostLines[name] == nil {
			t.Errorf("add lines of the command %s to the test", name)
		}
		lines = append(append(lines, lostLines[name]...), name+" --help")
		if name != "help" {
			lines = append(lines, "help "+name)
		}
	}
	if found != len(lostLines)-1 {
		t.Errorf("the command lists %d commands, but the test has lines of %d: %s", found, len(lostLines)-1, listed)
	}
	for i, line := range lines {
		for k, redirect := range []string{">&-", "1<> /dev/null", "> /dev/full"} {
			want := "closed"
			if redirect == "> /dev/full" {
				want = "no space left"
				if _, err := os.Stat("/dev/full"); err != nil {
					continue
				}
			}
			if i%3 != k && os.Getenv("INPOLY_FULL") != "1" {
				continue
			}
			if code, _, stderr := shell(t, dir, "inpoly "+line+" "+redirect); code != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%s %s: exit code %d: %s", line, redirect, code, stderr)
			}
		}
		if i%4 != 0 && os.Getenv("INPOLY_FULL") != "1" {
			continue
		}
		code, _, stderr := shell(t, dir, "inpoly "+line+" > /dev/null")
		if want := map[bool]int{true: 3}[strings.Contains(line, "--strict")]; code != want {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
	for _, line := range []string{"cube.obj points.csv --out out.csv", "view cube.obj --out out.png", "voxels cube.obj --spacing 1 --out out.npy", "section cube.obj --z 0.5 --out out.svg", "make sphere --out out.stl"} {
		if code, _, stderr := shell(t, dir, "inpoly "+line+" >&-"); code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
}

// A report that was requested on standard error is not lost either.
func TestLostStatistics(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("/dev/full does not exist")
	}
	dir := t.TempDir()
	putAll(t, dir, map[string]string{"cube.obj": cubeOBJ, "points.csv": "x,y,z\n0.5,0.5,0.5\n", "lines.csv": "0,0,0,1,1,1\n", "scene.json": scene, "poses.csv": "time,x,y,z\n0,0.5,0.5,0.5\n"})
	for _, line := range []string{
		"cube.obj points.csv --stats json", "rays cube.obj lines.csv --json", "segments cube.obj lines.csv --json", "collide scene.json --json",
		"section cube.obj --z 0.5 --json", "voxels cube.obj --spacing 1 --out x.npy --json", "make sphere --out x.ply --json",
	} {
		for _, redirect := range []string{"2> /dev/full", "2>&-"} {
			if code, _, _ := shell(t, dir, "inpoly "+line+" > /dev/null "+redirect); code != 1 {
				t.Errorf("%s %s: exit code %d", line, redirect, code)
			}
		}
	}
}

// Limits that are too small for the Go runtime are reported.
func TestProcessLimits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports the limits")
	}
	dir := t.TempDir()
	putAll(t, dir, map[string]string{"cube.obj": cubeOBJ, "points.csv": "x,y,z\n0.5,0.5,0.5\n"})
	for limit, want := range map[string]string{
		"-n 6": "can open only 6 files", "-n 8": "can open only 8 files", "-n 15": "can open only 15 files",
	} {
		code, _, stderr := shell(t, dir, "ulimit "+limit+" && inpoly cube.obj points.csv")
		if code != 1 || !strings.Contains(stderr, want) || strings.Contains(stderr, "goroutine") {
			t.Errorf("ulimit %s: exit code %d: %.300s", limit, code, stderr)
		}
	}
	if !testrace.Enabled {
		// With some limits, the runtime fails before main is called.
		reported := 0
		for limit := 1000; limit < 2000; limit += 50 {
			code, _, stderr := shell(t, dir, fmt.Sprintf("ulimit -v %d000 && inpoly cube.obj points.csv", limit))
			switch {
			case code == 1 && strings.Contains(stderr, "the address space of the process is limited to"):
				reported++
			case code == 0:
				t.Errorf("ulimit -v %d000: the command succeeds", limit)
			}
		}
		if reported < 10 {
			t.Errorf("the command reports %d of 20 limits of the address space", reported)
		}
	}
	for _, line := range []string{"cube.obj points.csv --out o.csv --resume", "cube.obj points.csv --verify 1 --format las"} {
		if code, _, stderr := shell(t, dir, "ulimit -n 16 && inpoly "+line); code != 0 {
			t.Errorf("ulimit -n 16, %s: exit code %d: %.300s", line, code, stderr)
		}
	}
}

// A CSV file shrinks, grows or is modified after the first rows of the output. The command fails.
func TestChangedWhileRead(t *testing.T) {
	dir := t.TempDir()
	const rows = 640_000
	text := "x,y,z\n" + strings.Repeat("0.5,2.25,0\n", rows)
	putAll(t, dir, map[string]string{"cube.obj": cubeOBJ, "points.csv": text})
	path := filepath.Join(dir, "points.csv")
	for name, change := range map[string]func() error{
		"shrinks":  func() error { return os.Truncate(path, int64(len(text)-len("0.5,2.25,0\n"))) },
		"emptied":  func() error { return os.Truncate(path, 0) },
		"grows":    func() error { return os.Truncate(path, int64(len(text)+1)) },
		"modified": func() error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
	} {
		for _, stdin := range []bool{false, true} {
			if stdin && name != "shrinks" {
				continue
			}
			putAll(t, dir, map[string]string{"points.csv": text})
			cmd := exec.Command("inpoly", "cube.obj", "points.csv", "-q")
			if stdin {
				cmd.Args[2] = "-"
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				cmd.Stdin = f
			}
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOMAXPROCS=1")
			var printed bytes.Buffer
			cmd.Stderr = &printed
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			// The pipe is full after some rows, and the command waits. So it has not read the whole file.
			_, err = io.ReadFull(out, make([]byte, 1000))
			changed := change()
			_, copied := io.Copy(io.Discard, out)
			if err := errors.Join(err, changed, copied); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || !strings.Contains(printed.String(), "the file changed while it was read") {
				t.Errorf("%s, stdin %v: %v: %s", name, stdin, err, printed.String())
			}
		}
	}
}

// No command reads a device, except as standard input.
func TestDevices(t *testing.T) {
	dir := t.TempDir()
	putAll(t, dir, map[string]string{
		"cube.obj": cubeOBJ, "points.csv": "x,y,z\n0.5,0.5,0.5\n", "poses.json": strings.Replace(scene, "poses.csv", "/dev/zero", 1),
		"mesh.json": `{"bodies": [{"mesh": "/dev/zero"}]}`, "link.json": `{"bodies": [{"mesh": "zero"}]}`,
	})
	for _, line := range []string{
		"inpoly /dev/zero points.csv", "inpoly cube.obj /dev/zero", "inpoly cube.obj cube.obj /dev/zero", "ln -s /dev/zero zero && inpoly cube.obj zero",
		"inpoly check /dev/zero", "inpoly explain /dev/zero 1,2,3", "inpoly voxels /dev/zero --spacing 1 --out x.npy",
		"inpoly rays cube.obj /dev/zero", "inpoly segments cube.obj /dev/zero", "inpoly segments cube.obj --collar /dev/zero --survey points.csv",
		"inpoly view cube.obj /dev/zero --out x.html", "inpoly view /dev/zero --out x.html", "inpoly merge /dev/zero",
		"inpoly collide /dev/zero", "inpoly collide poses.json --allow-paths", "inpoly collide mesh.json --allow-paths", "inpoly collide link.json --allow-paths",
		"inpoly collide poses.json", "inpoly collide mesh.json", "inpoly collide link.json", "inpoly collide - < /dev/zero", "inpoly cube.obj - < /dev/zero",
	} {
		code, _, stderr := shell(t, dir, line)
		if code != 1 || !strings.Contains(stderr, "is a device") && !strings.Contains(stderr, "--allow-paths") && !strings.Contains(line, "<") {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
	for _, line := range []string{"inpoly check /dev/stdin < cube.obj", "cat cube.obj | inpoly check /dev/stdin", "inpoly check /dev/fd/3 3< cube.obj",
		"mkfifo pipe && (cat points.csv > pipe &) && inpoly cube.obj pipe"} {
		if code, _, stderr := shell(t, dir, line); code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, stderr)
		}
	}
}
