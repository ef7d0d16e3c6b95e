package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// step is one run of the command.
type step struct {
	args  []string
	stdin string // name of a file, empty for none
}

// session is a series of runs in one folder.
type session struct {
	name  string
	files map[string][]byte
	steps []step
}

// commandMeshes is the number of meshes of the corpus that the command is tried with.
const commandMeshes = 24

func commands(args []string) error {
	fs := flag.NewFlagSet("commands", flag.ExitOnError)
	old := fs.String("old-program", "", "the command inpoly of the old revision")
	next := fs.String("new-program", "", "the command inpoly of the new revision")
	corpus := fs.String("corpus", os.Getenv("INPOLY_CORPUS"), "folder of meshes with a MANIFEST.tsv")
	tree := fs.String("tree", "", "the files of the old revision")
	sample := fs.Int("sample", 0, "number of meshes of the corpus; 0 means 24")
	file := fs.String("intended", "", "file of differences that are meant")
	fs.Parse(args)
	list, err := readIntentions(*file)
	if err != nil {
		return err
	}
	sessions, err := scriptSessions(filepath.Join(*tree, "cmd", "inpoly", "testdata", "script"))
	if err != nil {
		return err
	}
	all, err := units(*corpus, 0)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(u unit) bool { return len(u.paths) > 1 })
	count := commandMeshes
	if *sample > 0 {
		count = (*sample + 3) / 4
	}
	knot := filepath.Join(*tree, "testdata", "knot.stl")
	sessions = append(sessions, meshSession("testdata/knot.stl", knot, knot))
	for _, u := range draw(all, count) {
		sessions = append(sessions, meshSession(u.name, filepath.Join(*corpus, u.paths[0]), knot))
	}
	r := rerun{programs: [2]string{*old, *next}, intended: list, exits: map[string]int{}}
	for i, s := range sessions {
		fmt.Fprintf(os.Stderr, "%d/%d %s\n", i+1, len(sessions), s.name)
		if err := r.session(s); err != nil {
			return err
		}
	}
	fmt.Printf("%d commands in %d folders, %d bytes and %d files compared\n", r.commands, len(sessions), r.bytes, r.files)
	fmt.Printf("exit codes and commands: %v\n", r.exits)
	fmt.Printf("%d outputs differ\n", r.differ)
	for _, in := range list {
		fmt.Printf("intended: %d outputs: %s\n", in.groups, in.reason)
	}
	if r.commands == 0 {
		return errors.New("nothing compared")
	}
	if r.differ > 0 {
		return fmt.Errorf("%d outputs differ", r.differ)
	}
	return nil
}

// scriptSessions returns the runs of the test scripts in a folder, without their
// assertions.
func scriptSessions(dir string) (sessions []session, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "help.txtar" || name == "usage.txtar" { // texts alone
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s := session{name: name, files: map[string][]byte{}}
		stdin, file := "", ""
		for line := range strings.Lines(string(text)) {
			if head := strings.TrimSpace(line); strings.HasPrefix(head, "-- ") && strings.HasSuffix(head, " --") {
				file = strings.TrimSpace(head[3 : len(head)-3])
				s.files[file] = nil
				continue
			}
			if file != "" {
				s.files[file] = append(s.files[file], line...)
				continue
			}
			words := splitWords(line)
			for len(words) > 0 && (words[0] == "!" || strings.HasPrefix(words[0], "[")) {
				words = words[1:]
			}
			switch {
			case len(words) == 2 && words[0] == "stdin":
				stdin = words[1]
			case len(words) > 2 && words[0] == "exec" && words[1] == "inpoly":
				s.steps, stdin = append(s.steps, step{words[2:], stdin}), ""
			case len(words) > 3 && words[0] == "exits" && words[2] == "inpoly":
				s.steps, stdin = append(s.steps, step{words[3:], stdin}), ""
			}
		}
		s.steps = slices.DeleteFunc(s.steps, func(st step) bool {
			return slices.Contains([]string{"help", "man", "completion", "version"}, st.args[0]) ||
				slices.ContainsFunc(st.args, func(a string) bool { return a == "--help" || strings.HasPrefix(a, "$") })
		})
		sessions = append(sessions, s)
	}
	return sessions, nil
}

// splitWords splits a line of a test script, whose quotes are single ones.
func splitWords(line string) (words []string) {
	for i, part := range strings.Split(strings.TrimSpace(line), "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "#") }); i >= 0 {
		words = words[:i]
	}
	return words
}

// meshSession returns runs of all kinds for a mesh; other is a second mesh for some.
func meshSession(name, path, other string) session {
	s := session{name: name, files: map[string][]byte{}}
	add := func(line string) {
		words := strings.Fields(line)
		for i, w := range words {
			switch w {
			case "MESH":
				words[i] = path
			case "OTHER":
				words[i] = other
			}
		}
		st := step{args: words}
		if slices.Contains(words, "-") {
			st.stdin = "points.csv"
		}
		s.steps = append(s.steps, st)
	}
	m, err := load(context.Background(), path)
	if err != nil {
		s.files["points.csv"] = []byte("x,y,z\n1,2,3\n")
		add("MESH points.csv -q")
		add("check MESH --format json")
		return s
	}
	pts := testPoints(name, m)
	pts = pts[:min(len(pts), 400)]
	var csv bytes.Buffer
	csv.WriteString("id,x,y,z,remark\n")
	for i, p := range pts {
		fmt.Fprintf(&csv, "%d,%v,%v,%v,r%d\n", i, p.X, p.Y, p.Z, i*i)
	}
	s.files["points.csv"] = csv.Bytes()
	add("check MESH --format json -q")
	for _, method := range methods {
		for _, rule := range rules {
			add("MESH points.csv -q --state --winding --certify --distance --nearest --method " + method + " --rule " + rule)
		}
		add("MESH points.csv -q --method " + method + " --workers 1 --epsilon 1e-5 --winding --certify")
		add("MESH points.csv -q --method " + method + " --workers 3 --tolerance 0.01 --distance")
	}
	for _, format := range []string{"csv", "npy", "ply", "las", "parquet", "jsonl"} {
		add("MESH points.csv -q --state --distance --nearest --format " + format)
		add("MESH points.csv -q --winding --keep inside,outside --out p." + format)
		if format != "jsonl" {
			add("MESH p." + format + " -q --state --method cells --format csv")
			add("MESH p." + format + " -q --certify --distance")
			add("MESH p." + format + " -q --distance --keep outside --out q." + format)
		}
	}
	for _, choice := range []string{"first", "innermost", "all", "count"} {
		add("MESH points.csv -q --nearest --body " + choice)
		add("MESH OTHER points.csv -q --winding --body " + choice)
	}
	add("MESH - -q")
	add("MESH points.csv -q --orient --winding")
	add("MESH points.csv -q --shard 2/3")
	add("MESH points.csv -q --bytes 100-5000")
	add("MESH points.csv -q --keep on,uncertain --state")
	add("MESH points.csv -q --strict --out strict.csv")
	add("MESH points.csv -q --verify 50 --method cells")
	add("MESH points.csv --nosuch")
	add("check MESH --format json -q --strict --rule evenodd")
	for _, p := range pts[5:25] {
		words := []string{"explain", path, "--json", "-q", "--method", methods[len(s.steps)%len(methods)], "--"}
		s.steps = append(s.steps, step{args: append(words, fmt.Sprintf("%v,%v,%v", p.X, p.Y, p.Z))})
	}
	add("voxels MESH --dims 9,8,7 -q --out v.npy")
	add("voxels MESH --dims 9,8,7 -q --out -")
	add("voxels MESH --dims 6,5,4 -q --fraction 3 --error --out f.vti")
	add("voxels MESH --dims 6,5,4 -q --winding --error --float64 --method raycross --out w.nrrd")
	add("view MESH points.csv -q --out view.png --pixels 128")
	add("view MESH points.csv -q --out view.glb --pixels 64")
	return s
}

// rerun runs two programs and compares what they write.
type rerun struct {
	programs                       [2]string
	intended                       []*intention
	commands, differ, files, bytes int
	exits                          map[string]int // commands by exit code
}

// result is the observable result of a run of a program.
type result struct {
	stdout []byte
	exit   string
	files  map[string][sha256.Size]byte
}

func (r *rerun) session(s session) error {
	var dirs [2]string
	for i := range dirs {
		// The folders have names of one length: some outputs may hold them.
		dir, err := os.MkdirTemp("", "compare")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		dirs[i] = filepath.Join(dir, "w")
		for name, data := range s.files {
			path := filepath.Join(dirs[i], name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(dirs[i], 0o755); err != nil {
			return err
		}
	}
	files, reported := 0, map[string]bool{}
	for _, st := range s.steps {
		before, err := runStep(r.programs[0], dirs[0], st)
		if err != nil {
			return err
		}
		after, err := runStep(r.programs[1], dirs[1], st)
		if err != nil {
			return err
		}
		r.commands++
		r.exits[before.exit]++
		r.bytes += len(before.stdout)
		line := s.name + "|inpoly " + strings.Join(st.args, " ")
		if before.exit != after.exit {
			r.difference(line, "exit code", before.exit+", "+after.exit)
		}
		if !bytes.Equal(before.stdout, after.stdout) {
			r.difference(line, "standard output", firstDifference(before.stdout, after.stdout))
		}
		for _, name := range changed(before.files, after.files) {
			if !reported[name] {
				r.difference(line, "file "+name, "")
			}
			reported[name] = true
		}
		files = len(after.files)
	}
	r.files += files
	return nil
}

// difference reports a difference.
func (r *rerun) difference(line, output, text string) {
	if in := intended(r.intended, line+"|"+output); in != nil {
		fmt.Printf("intended: %s: %s: %s\n", line, output, in.reason)
		return
	}
	r.differ++
	fmt.Printf("DIFFERS: %s: %s: %s\n", line, output, text)
}

func runStep(program, dir string, st step) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, st.args...)
	cmd.Dir = dir
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if st.stdin != "" {
		f, err := os.Open(filepath.Join(dir, st.stdin))
		if err == nil {
			defer f.Close()
			cmd.Stdin = f
		}
	}
	err := cmd.Run()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return result{}, err
	}
	res := result{stdout: stdout.Bytes(), exit: strconv.Itoa(cmd.ProcessState.ExitCode()), files: map[string][sha256.Size]byte{}}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if filepath.Ext(name) == ".html" || filepath.Ext(name) == ".HTML" {
			data = nil // a page is prose and may change
		}
		res.files[name] = sha256.Sum256(data)
		return err
	})
	return res, err
}

// changed returns the names of files that only one of two folders has, or that differ.
func changed(a, b map[string][sha256.Size]byte) (names []string) {
	for name, sum := range a {
		if other, ok := b[name]; !ok || other != sum {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// firstDifference returns the first line that differs in a and b.
func firstDifference(a, b []byte) string {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range max(len(x), len(y)) {
		var p, q []byte
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if !bytes.Equal(p, q) {
			return fmt.Sprintf("line %d: %.200q, %.200q", i+1, p, q)
		}
	}
	return "equal lines"
}
