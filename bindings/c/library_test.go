//go:build cgo

package main

import (
	"context"
	"debug/elf"
	"encoding/xml"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// prefix is the folder in which the library is installed for all tests.
var prefix string

var install = sync.OnceValue(func() error {
	out, err := exec.Command("make", "-s", "-C", "../..", "install", "PREFIX="+prefix, "DESTDIR=", "VERSION=v1.2.3-test").CombinedOutput()
	if err != nil {
		return errors.New("make install: " + err.Error() + "\n" + string(out))
	}
	return nil
})

func TestMain(m *testing.M) {
	code := 1
	func() {
		dir, err := os.MkdirTemp("", "inpoly-c-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		prefix = filepath.Join(dir, "prefix")
		code = m.Run()
	}()
	os.Exit(code)
}

// needs skips the test unless make c-test runs it and the programs exist. It installs the library.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv("INPOLY_DOORS") == "" {
		t.Skip("skipped: make c-test runs it")
	}
	if runtime.GOOS == "windows" {
		t.Skip("skipped: make install does not support Windows")
	}
	for _, p := range append(programs, "make") {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("skipped: %s is missing", p)
		}
	}
	if err := install(); err != nil {
		t.Fatal(err)
	}
}

// run runs a program for at most ten minutes and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), "PKG_CONFIG_PATH="+filepath.Join(prefix, "lib", "pkgconfig"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
	return string(out)
}

var strict = []string{"-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"}

// compile compiles a C or C++ file, links the shared library, and returns the path of the program.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	compiler, standard := "gcc", "-std=c11"
	if strings.HasSuffix(source, ".cpp") {
		compiler, standard = "g++", "-std=c++17"
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{standard, "-D_GNU_SOURCE", source, "-o", program}, strict...)
	args = append(args, flags...)
	args = append(args, "-I"+filepath.Join(prefix, "include"))
	lib := filepath.Join(prefix, "lib")
	run(t, compiler, append(args, "-L"+lib, "-Wl,-rpath,"+lib, "-linpoly", "-lm", "-lpthread")...)
	return program
}

const knot = "../../testdata/knot.stl"

func TestCHostile(t *testing.T) {
	needs(t, "gcc")
	t.Log(run(t, compile(t, "testdata/hostile.c"), knot))
}

// A program that was compiled with the header of version 1 works with the library of today.
func TestCVersion1(t *testing.T) {
	needs(t, "gcc")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "inpoly.h"), []byte(read(t, "testdata/inpoly-1.h")), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Log(run(t, compile(t, "testdata/version1.c", "-I"+dir), knot))
}

// The size of the library is about that of docs/sizes.md.
func TestCSize(t *testing.T) {
	needs(t, "gcc")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("skipped: docs/sizes.md is about linux/amd64")
	}
	t.Log(run(t, "go", "-C", "../../tools", "run", "./sizes", "library="+filepath.Join(prefix, "lib", "libinpoly.so")))
}

// The shared library exports the functions of libinpoly.map with their versions, and nothing else.
func TestCSymbols(t *testing.T) {
	needs(t, "gcc")
	if runtime.GOOS != "linux" {
		t.Skip("skipped: only ELF has versions of symbols")
	}
	f, err := elf.Open(filepath.Join(prefix, "lib", "libinpoly.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && s.Section != elf.SHN_ABS { // a node of the map is an absolute symbol
			got[s.Name] = s.Version
		}
	}
	if want := mapVersions(t); !maps.Equal(got, want) {
		t.Errorf("the library exports %v, want %v", got, want)
	}
}

// needsFull skips a test of many seconds unless INPOLY_FULL is set.
func needsFull(t *testing.T) {
	t.Helper()
	if os.Getenv("INPOLY_FULL") == "" {
		t.Skip("skipped: takes many seconds; set INPOLY_FULL=1")
	}
}

func TestCThreads(t *testing.T) {
	needs(t, "gcc")
	t.Log(run(t, compile(t, "testdata/threads.c"), t.TempDir()))
}

func TestCRepeat(t *testing.T) {
	needs(t, "gcc")
	if runtime.GOOS != "linux" {
		t.Skip("skipped: the memory of a process is known on Linux only")
	}
	t.Log(run(t, compile(t, "testdata/repeat.c"), filepath.Join(t.TempDir(), "t.stl")))
}

func TestCRows(t *testing.T) {
	if os.Getenv("INPOLY_FULL") == "" {
		t.Skip("skipped: 2³¹ rows need 2 GB of memory and a minute; set INPOLY_FULL=1")
	}
	needs(t, "gcc")
	t.Log(run(t, compile(t, "testdata/rows.c")))
}

// The library leaves the signals, the floating-point modes and the limits of its host as they are.
func TestCHost(t *testing.T) {
	needs(t, "gcc")
	if runtime.GOOS != "linux" {
		t.Skip("skipped: masks of other threads and signalfd are known on Linux only")
	}
	if os.Getenv("INPOLY_FULL") != "" {
		t.Setenv("INPOLY_ROUNDS", "2000000")
	}
	dir := t.TempDir()
	build := func(name string, flags ...string) string {
		program := filepath.Join(dir, name)
		args := append([]string{"-std=c11", "-D_GNU_SOURCE", "testdata/host.c", "-o", program, "-I" + filepath.Join(prefix, "include")}, strict...)
		run(t, "gcc", append(args, append(flags, "-lpthread", "-lm", "-ldl")...)...)
		return program
	}
	archive, library := filepath.Join(prefix, "lib", "libinpoly.a"), filepath.Join(prefix, "lib", "libinpoly.so")
	dynamic, late, static := build("dynamic"), build("late", "-DBLOCK_LATE"), build("static", "-DSTATIC", archive)
	for _, name := range []string{"masks", "handlers", "limits", "latch"} {
		t.Log(run(t, dynamic, name, library))
		if name != "latch" { // main is too late to block signals in the threads of the static library
			t.Log(run(t, static, name))
		}
	}
	t.Log(run(t, late, "latch", library))
	want := run(t, dynamic, "modes", library, "default", knot)
	for _, kind := range []string{"default", "up", "flush"} {
		if got := run(t, dynamic, "modes", library, kind, knot); got != want {
			t.Errorf("with the modes %s, the program prints\n%s\nwant\n%s", kind, got, want)
		}
		if got := run(t, static, "modes", "", kind, knot); got != want {
			t.Errorf("with the static library and the modes %s, the program prints\n%s\nwant\n%s", kind, got, want)
		}
	}
}

func TestCFork(t *testing.T) {
	needs(t, "gcc")
	program := filepath.Join(t.TempDir(), "fork")
	run(t, "gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I"+filepath.Join(prefix, "include"),
		"testdata/fork.c", "-o", program, "-ldl")
	library := "libinpoly.so"
	if runtime.GOOS == "darwin" {
		library = "libinpoly.dylib"
	}
	t.Log(run(t, program, filepath.Join(prefix, "lib", library)))
}

// The programs use no memory that they should not, as far as they are written in C.
func TestCSanitizers(t *testing.T) {
	needsFull(t)
	needs(t, "gcc")
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	empty := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(empty, []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("gcc", append(flags, empty, "-o", empty+".out")...).Run(); err != nil {
		t.Skip("skipped: the sanitizers of gcc are missing")
	}
	t.Log(run(t, compile(t, "testdata/hostile.c", flags...), knot))
	t.Log(run(t, compile(t, "testdata/threads.c", flags...), t.TempDir()))
	t.Log(run(t, compile(t, "examples/knot.c", flags...), knot))
}

// Valgrind finds no wrong access and no leak in the C program. Valgrind cannot follow the Go runtime: when
// a goroutine's stack grows or is switched, it marks parts of Go's heap as unaddressable and uninitialized.
// So answers that Go computes can look uninitialized in C, from run to run, and accesses inside the library
// look wrong. The test leaves out both.
func TestCValgrind(t *testing.T) {
	needsFull(t)
	needs(t, "gcc", "valgrind")
	reports := filepath.Join(t.TempDir(), "reports.xml")
	command := []string{"-q", "--xml=yes", "--xml-file=" + reports, "--undef-value-errors=no", "--error-limit=no",
		"--leak-check=full", "--show-leak-kinds=definite", compile(t, "testdata/hostile.c"), knot}
	cmd := exec.CommandContext(t.Context(), "valgrind", command...)
	// Where a virtual machine hides RDTSCP, Valgrind 3.19 stops at this instruction, but its CPUID says that
	// it exists, so the Go runtime uses it.
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.rdtscp=off")
	out, failed := cmd.CombinedOutput()
	text, err := os.ReadFile(reports)
	if err != nil {
		t.Fatal(err)
	}
	if failed != nil {
		t.Fatalf("valgrind: %v\n%s", failed, out)
	}
	var got struct {
		Status []string `xml:"status>state"`
		Errors []struct {
			Kind string   `xml:"kind"`
			Text string   `xml:",innerxml"`
			Obj  []string `xml:"stack>frame>obj"`
		} `xml:"error"`
	}
	if err := xml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.Status, "FINISHED") {
		t.Fatal("valgrind did not finish")
	}
	for _, e := range got.Errors {
		system := func(obj string) bool {
			return strings.HasPrefix(obj, "/lib") || strings.HasPrefix(obj, "/usr/lib")
		}
		i := slices.IndexFunc(e.Obj, func(obj string) bool { return !system(obj) })
		if i < 0 || !strings.Contains(filepath.Base(e.Obj[i]), "libinpoly.so") {
			t.Errorf("%s:%s", e.Kind, e.Text)
		}
	}
}

// The examples print what the documentation says, with the shared and with the static library.
func TestCExamples(t *testing.T) {
	needs(t, "gcc", "g++", "pkg-config")
	const wantKnot = `(0, 0, 0) is outside, W = 0, distance 5.99808
(25, 12, 0) is inside, W = 1, distance -`
	const wantBuffer = "2 2 2 2 2 2 3 1 \ncontains the origin: yes\n"
	page, err := os.ReadFile("../../docs/c.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := func(what, text string) {
		if !strings.Contains(string(page), "\n"+text+"```\n") {
			t.Errorf("docs/c.md does not contain %s:\n%s", what, text)
		}
	}
	for _, name := range []string{"examples/knot.c", "examples/buffer.cpp"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documented(name, string(text))
	}
	dir, rpath := t.TempDir(), "-Wl,-rpath,"+filepath.Join(prefix, "lib")
	flags := strings.Fields(run(t, "pkg-config", "--cflags", "--libs", "inpoly"))
	shared := func(compiler, standard, source string) string {
		program := filepath.Join(dir, filepath.Base(source)+".out")
		args := append([]string{standard, source, "-o", program, rpath}, strict...)
		run(t, compiler, append(args, flags...)...)
		return program
	}
	for _, c := range []struct{ name, got, want string }{
		{"knot.c", run(t, shared("gcc", "-std=c11", "examples/knot.c"), knot), wantKnot},
		{"buffer.cpp", run(t, shared("g++", "-std=c++17", "examples/buffer.cpp")), wantBuffer},
	} {
		if !strings.HasPrefix(c.got, c.want) {
			t.Errorf("%s prints\n%s\nwant\n%s", c.name, c.got, c.want)
		}
	}
	static := filepath.Join(dir, "static")
	args := append([]string{"-std=c11", "examples/knot.c", "-o", static}, strings.Fields(run(t, "pkg-config", "--cflags", "inpoly"))...)
	run(t, "gcc", append(args, filepath.Join(prefix, "lib", "libinpoly.a"), "-lpthread")...)
	got := run(t, static, knot)
	if !strings.HasPrefix(got, wantKnot) {
		t.Errorf("with the static library, knot.c prints\n%s\nwant\n%s", got, wantKnot)
	}
	documented("the output of knot.c", got)
	if out, err := exec.Command(static).CombinedOutput(); err == nil {
		t.Errorf("knot.c without an argument succeeds: %s", out)
	}
	if out, err := exec.Command(static, "no.stl").CombinedOutput(); err == nil || !strings.Contains(string(out), "no.stl") {
		t.Errorf("knot.c without its file: %v, %s", err, out)
	}
}

// A plug-in with the static library can be unloaded and loaded again.
func TestCPlugin(t *testing.T) {
	needs(t, "gcc")
	if runtime.GOOS != "linux" {
		t.Skip("skipped: the build line is for Linux")
	}
	dir := t.TempDir()
	plugin, host := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "host")
	run(t, "gcc", "-shared", "-fPIC", "-I"+filepath.Join(prefix, "include"), "testdata/plugin.c", filepath.Join(prefix, "lib", "libinpoly.a"),
		"-Wl,-z,nodelete", "-Wl,--exclude-libs,ALL", "-lpthread", "-o", plugin)
	run(t, "gcc", "-Wall", "-Wextra", "-Werror", "-DHOST", "testdata/plugin.c", "-o", host, "-ldl")
	t.Log(run(t, host, plugin))
}

// The version of the package is the version of the library, the header compiles alone, and make
// uninstall removes every file.
func TestCInstall(t *testing.T) {
	needs(t, "gcc", "g++", "pkg-config")
	if got := strings.TrimSpace(run(t, "pkg-config", "--modversion", "inpoly")); got != "1.2.3-test" {
		t.Errorf("pkg-config says version %q", got)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "version.c")
	text := "#include <inpoly.h>\n#include <stdio.h>\nint main(void) { puts(inpoly_version()); return 0; }\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := run(t, compile(t, source)); got != "v1.2.3-test\n" {
		t.Errorf("inpoly_version() = %q", got)
	}
	for _, c := range [][]string{{"gcc", "-std=c99", "c"}, {"gcc", "-std=c17", "c"}, {"g++", "-std=c++11", "c++"}, {"g++", "-std=c++20", "c++"}} {
		run(t, c[0], append([]string{c[1], "-x", c[2], "-fsyntax-only"}, append(strict, "inpoly.h")...)...)
	}
	staged := filepath.Join(dir, "staged files")
	args := []string{"-s", "-C", "../..", "PREFIX=/a prefix", "DESTDIR=" + staged, "VERSION=v1.2.3-test"}
	run(t, "make", append(args, "install")...)
	for _, name := range []string{"lib/libinpoly.a", "lib/pkgconfig/inpoly.pc", "include/inpoly.h"} {
		if _, err := os.Stat(filepath.Join(staged, "a prefix", name)); err != nil {
			t.Error(err)
		}
	}
	run(t, "make", append(args, "uninstall")...)
	if err := filepath.WalkDir(staged, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("make uninstall leaves %s", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
