package doors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/tools/doors/job"
)

// seed makes the same cases in each run.
const seed = 20

// patience ends a driver that hangs.
const patience = time.Hour

// driver does a job and writes the answers.
type driver func(ctx context.Context, jobFile, answers string) error

// door is a library for another language. build returns its driver. It skips the test if the
// language is missing.
type door struct {
	name  string
	build func(t *testing.T, dir string) driver
}

// native are the doors that run the same machine code as the Go packages. portable are those that run
// WebAssembly, as the Go packages do without assembly.
var (
	native   = []door{{"C", buildC}, {"Python", buildPython}}
	portable = []door{{"Node", buildNode}, {"Chromium", buildChromium}}
)

func TestSameAnswers(t *testing.T) {
	if os.Getenv("INPOLY_DOORS") == "" {
		t.Skip("make same-answers runs this test")
	}
	dir := t.TempDir()
	full := testcorpus.Full()
	r := rand.New(rand.NewPCG(seed, 0))
	sources := generated(t, dir)
	t.Run("corpus", func(t *testing.T) { sources = append(fromCorpus(t, r), sources...) })
	steps := plan(t, dir, sources, full, r)
	steps = append(steps, posedSteps(t, dir, 300, r)...)
	t.Logf("seed %d: %d meshes, %d steps", seed, len(sources), len(steps))
	portableSteps := fromMemory(sources, steps)
	want := answer(t, buildReference(t, dir), dir, "Go", steps)
	checkMoved(t, steps, want)
	portableWant := answer(t, buildReference(t, dir, "-tags=noasm"), dir, "Go, noasm", portableSteps)
	t.Run("doors", func(t *testing.T) {
		test := func(d door, steps []job.Step, want []byte) {
			t.Run(d.name, func(t *testing.T) {
				run := d.build(t, dir)
				t.Parallel()
				compare(t, steps, want, answer(t, run, dir, d.name, steps))
			})
		}
		for _, d := range native {
			test(d, steps, want)
		}
		for _, d := range portable {
			test(d, portableSteps, portableWant)
		}
	})
}

// fromMemory returns the job for WebAssembly, which has one thread and no access to files: single files
// are read from memory, and meshes that refer to other files are left out. The number of workers is 1,
// because the winding numbers of some open meshes can change within their bounds when a better index
// replaces another one (Report.WindingsVary), and this happens earlier or later with more workers.
func fromMemory(sources []source, steps []job.Step) []job.Step {
	external := map[string]bool{}
	for _, s := range sources {
		external[s.path] = s.external
	}
	var out []job.Step
	omitted := false
	for _, s := range steps {
		if o, err := s.Open(); err == nil {
			omitted = slices.ContainsFunc(o.Sources, func(path string) bool { return external[path] })
			if o.How == "file" && len(o.Sources) == 1 {
				o.How = "memory"
			}
			o.Workers = 1
			s = o.Step()
		}
		if !omitted {
			out = append(out, s)
		}
	}
	return out
}

// answer runs a driver.
func answer(t *testing.T, run driver, dir, name string, steps []job.Step) []byte {
	t.Helper()
	file, out := filepath.Join(dir, name+".job"), filepath.Join(dir, name+".answers")
	if err := job.Write(file, steps); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	start := time.Now()
	if err := run(ctx, file, out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	answers, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %.1f s, %d bytes", name, time.Since(start).Seconds(), len(answers))
	return answers
}

// compare reports the differences to the wanted answers.
func compare(t *testing.T, steps []job.Step, want, got []byte) {
	t.Helper()
	different, n, err := job.Compare(steps, want, got)
	const most = 20
	for i, d := range different {
		if i == most {
			t.Errorf("and %d other differences", len(different)-most)
			break
		}
		t.Errorf("%s: step %d, %s: %s%s: Go has %s, the door has %s",
			opened(steps[d.Open]), d.Step, steps[d.Step].Name, d.Field, place(t, steps, d), d.Want, d.Got)
	}
	if err != nil {
		t.Error(err)
	}
	if n == 0 {
		t.Error("no answers were compared")
	}
	t.Logf("%d answers are compared, %d steps differ", n, len(different))
}

// place describes the point of a difference.
func place(t *testing.T, steps []job.Step, d job.Difference) string {
	if d.Point < 0 || d.Points < 0 {
		return ""
	}
	pts, err := job.ReadVectors(steps[d.Points].Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(" of point %d (%v)", d.Point, pts[d.Point])
}

// program returns a driver that is a program with the given arguments before those of the job.
func program(environment []string, words ...string) driver {
	return func(ctx context.Context, jobFile, answers string) error {
		return run(ctx, "", environment, append(append([]string{}, words...), jobFile, answers)...)
	}
}

// run runs a program. Its error has the last lines of its output.
func run(ctx context.Context, dir string, environment []string, words ...string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		const most = 2000
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, out[max(0, len(out)-most):])
	}
	return nil
}

// mustRun is run for the build of a door.
func mustRun(t *testing.T, dir string, environment []string, words ...string) {
	t.Helper()
	if err := run(t.Context(), dir, environment, words...); err != nil {
		t.Fatal(err)
	}
}

// need skips the test if a program is missing.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("skipped: %s is missing", program)
	}
}

// root is the root of the repository.
const root = "../.."

func buildReference(t *testing.T, dir string, flags ...string) driver {
	t.Helper()
	out := filepath.Join(dir, "reference"+strings.Join(flags, ""))
	mustRun(t, "", nil, append(append([]string{"go", "build", "-o", out}, flags...), "./reference")...)
	return program(nil, out)
}

// buildLibrary builds the C library in dir, unless it is there.
func buildLibrary(t *testing.T, dir string) (path string) {
	t.Helper()
	need(t, "gcc")
	path = filepath.Join(dir, "libinpoly.so")
	if _, err := os.Stat(path); err == nil { // built for another door
		return path
	}
	template, err := os.ReadFile(filepath.Join(root, "bindings/c", "godebug.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-f", string(template), "./bindings/c")
	list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	godebug, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, root, []string{"CGO_ENABLED=1"}, "go", "build", "-buildmode=c-shared",
		"-ldflags", "-X runtime.godebugDefault="+strings.TrimSpace(string(godebug)), "-o", path, "./bindings/c")
	return path
}

func buildC(t *testing.T, dir string) driver {
	buildLibrary(t, dir)
	out := filepath.Join(dir, "c-driver")
	mustRun(t, "", nil, "gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I", filepath.Join(root, "bindings/c"),
		"drivers/driver.c", "-o", out, "-L", dir, "-linpoly", "-Wl,-rpath,"+dir)
	return program(nil, out)
}

// buildPython copies the Python package and adds the library.
func buildPython(t *testing.T, dir string) driver {
	python := ""
	for _, name := range []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"} {
		if name != "" && run(t.Context(), "", nil, name, "-c", "import numpy") == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("skipped: Python or NumPy is missing; PYTHON can name an interpreter")
	}
	library := buildLibrary(t, dir)
	folder := filepath.Join(dir, "python", "inpoly")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "bindings", "python", "src", "inpoly"))); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"libinpoly.so": data, "_version.py": []byte("__version__ = \"0\"\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return program([]string{"PYTHONPATH=" + filepath.Dir(folder), "PYTHONDONTWRITEBYTECODE=1"}, python, "drivers/driver.py")
}
