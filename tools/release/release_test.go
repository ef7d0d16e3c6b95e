package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/inpoly/inpoly/tools/release/internal/wine"
)

// The tests build a release of the last commit for this machine and for Linux. With INPOLY_FULL=1,
// they build it for all platforms.
var full = os.Getenv("INPOLY_FULL") == "1"

const repository = "../.."

// testVersion is a version that is no tag, whatever the repository has.
const testVersion = "v0.9.0-test.1"

// maxCommand is the largest size in bytes of the command for linux/amd64: a promise of the project,
// so that a dependency that doubles the command does not come unnoticed.
const maxCommand = 17_000_000

var shared struct {
	sync.Once
	dir, dist string
	clone     string // a clone of the repository
	commit    string // its last commit; see cloneCommit
	err       error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.dir != "" {
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

var native = platform{runtime.GOOS, runtime.GOARCH}

// built lists the platforms of the release under test.
func built() []platform { return slices.Clone(platforms) }

func platformList() string {
	var names []string
	for _, p := range built() {
		names = append(names, p.String())
	}
	return strings.Join(names, ",")
}

// dist returns the folder of a release. It skips the test unless INPOLY_FULL is set, because the build takes a
// minute of CPU time. It also skips the test if the repository is not a clone, because a release is built from a commit.
func dist(t *testing.T) string {
	t.Helper()
	if !full {
		t.Skip("a release is built with INPOLY_FULL=1, as make release-test does")
	}
	shared.Do(func() {
		if _, shared.err = git(t.Context(), repository, "rev-parse", "HEAD^{commit}"); shared.err != nil {
			return
		}
		if shared.dir, shared.err = os.MkdirTemp("", "inpoly-release-test-*"); shared.err != nil {
			return
		}
		shared.clone = filepath.Join(shared.dir, "clone")
		var err error
		if shared.commit, err = cloneCommit(t, shared.clone); err != nil {
			t.Fatal(err)
		}
		var report bytes.Buffer
		out := filepath.Join(shared.dir, "dist")
		if err := run(context.Background(), []string{"-repository", shared.clone, "-commit", shared.commit, "-version", testVersion, "-platforms", platformList(), "-out", out}, &report); err != nil {
			t.Fatal(err)
		}
		shared.dist = out
		t.Logf("%s", &report)
	})
	if shared.dist == "" {
		if shared.err != nil {
			t.Skipf("no commit to build: %v", shared.err)
		}
		t.Fatal("the release could not be built")
	}
	return shared.dist
}

// cloneCommit clones the repository to dir and adds a commit with the same files. Builds of the last
// commit that run at the same time store its pseudo-version in the module cache, which a release must
// not use. No other build has the new commit.
func cloneCommit(t *testing.T, dir string) (commit string, err error) {
	t.Helper()
	if _, err := git(t.Context(), ".", "clone", "--quiet", "--no-checkout", "file://"+filepath.ToSlash(absolute(t, repository)), dir); err != nil {
		return "", err
	}
	commit, err = git(t.Context(), dir, "-c", "user.name=Test", "-c", "user.email=test@example.com",
		"commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "The release under test")
	if err != nil {
		return "", err
	}
	_, err = git(t.Context(), dir, "checkout", "--quiet", "-B", "release-test", commit)
	return commit, err
}

// readmeExample is the first example of the README, and its output by a command that is built from
// the folder of the repository.
var readmeExample = struct {
	args   []string
	output func() ([]byte, error)
}{
	[]string{"testdata/knot.stl", "testdata/points.csv"},
	sync.OnceValues(func() ([]byte, error) {
		dir, err := os.MkdirTemp("", "inpoly-native-*")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, native.name())
		cmd := exec.Command("go", "build", "-o", path, "./cmd/inpoly")
		cmd.Dir = repository
		if _, err := output(cmd); err != nil {
			return nil, err
		}
		cmd = exec.Command(path, "testdata/knot.stl", "testdata/points.csv")
		cmd.Dir = repository
		return output(cmd)
	}),
}

// checkExample runs the README's example. command is the program and its first arguments.
func checkExample(t *testing.T, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], readmeExample.args...)...)
	cmd.Dir = repository
	checkOutput(t, cmd)
}

// checkOutput runs cmd, which must print the output of the README's example.
func checkOutput(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	want, err := readmeExample.output()
	if err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(want, []byte("\n")); rows < 4000 {
		t.Fatalf("the example has %d rows", rows)
	}
	got, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%v printed %d bytes, which are not the %d bytes of the README's example", cmd, len(got), len(want))
	}
}

// find returns the only file in the folder of the release that matches pattern.
func find(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %v, error %v", pattern, found, err)
	}
	return found[0]
}

// unpack returns a folder with the content of an archive.
func unpack(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, f.Name, f.Mode(), r)
		}
		return dir
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	unpackTar(t, dir, r)
	return dir
}

func unpackTar(t *testing.T, dir string, r io.Reader) {
	t.Helper()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, h.Name, h.FileInfo().Mode(), tr)
	}
}

func write(t *testing.T, dir, name string, mode fs.FileMode, r io.Reader) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if mode.IsDir() {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, mode.Perm()); err != nil {
		t.Fatal(err)
	}
}

// The page has the version, and at most 10 MB.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(find(t, "inpoly_*.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("inpoly "+testVersion)) || len(page) > 10_000_000 {
		t.Errorf("the page has %d bytes, and its version is missing or it is too large", len(page))
	}
}

// The checker of proof files is that of the commit and of the command, and SHA256SUMS lists it.
func TestChecker(t *testing.T) {
	path := find(t, "inpoly_*_check.py")
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := git(t.Context(), shared.clone, "show", shared.commit+":proof/check.py")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimRight(string(got), "\n") != want {
		t.Error("the checker differs from proof/check.py")
	}
	sums, err := os.ReadFile(filepath.Join(dist(t), sumsName))
	if err != nil {
		t.Fatal(err)
	}
	if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(got), filepath.Base(path)); !strings.Contains(string(sums), line) {
		t.Errorf("%s has no line %q", sumsName, line)
	}
}

// A second build in another clone and other folders gives the same bytes. It replaces an older
// release, and it signs. A third build with an empty build cache gives the same commands.
func TestReproducible(t *testing.T) {
	if !full {
		t.Skip("skipped: it builds the release again; set INPOLY_FULL=1")
	}
	first := dist(t)
	dir := t.TempDir()
	clone := filepath.Join(dir, "clone")
	if _, err := git(t.Context(), ".", "clone", "--quiet", "file://"+filepath.ToSlash(shared.clone), clone); err != nil {
		t.Fatal(err)
	}
	if _, err := git(t.Context(), clone, "checkout", "--quiet", shared.commit); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(clone, "README.md"), []byte("not committed"), 0o644); err != nil {
		t.Fatal(err)
	}
	// Settings of a machine must not change the files.
	for name, value := range map[string]string{"TMPDIR": dir, "GOFLAGS": "-race", "GOAMD64": "v3", "CGO_ENABLED": "1", "TZ": "Asia/Tokyo", "GOPROXY": "off"} {
		t.Setenv(name, value)
	}
	out := filepath.Join(dir, "second")
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{sumsName, "old"} {
		if err := os.WriteFile(filepath.Join(out, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-repository", clone, "-version", testVersion, "-platforms", platformList(), "-out", out}
	key := testKey(t, dir)
	if key != "" {
		args = append(args, "-sign-key", key)
	}
	var report bytes.Buffer
	if err := run(t.Context(), args, &report); err != nil {
		t.Fatal(err)
	}
	names, err := walk(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		a, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs in the second build", name)
		}
		if !strings.Contains(report.String(), name) {
			t.Errorf("the report does not name %s", name)
		}
	}
	again, err := walk(out)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		checkSignature(t, filepath.Join(out, sumsName), key)
		again = slices.DeleteFunc(again, func(s string) bool { return s == sumsName+".sig" })
	}
	if !slices.Equal(names, again) {
		t.Errorf("the second build has %v, the first has %v", again, names)
	}
	t.Setenv("GOCACHE", filepath.Join(dir, "cache"))
	third := filepath.Join(dir, "third")
	args = []string{"-repository", clone, "-version", testVersion, "-platforms", native.String(), "-out", third}
	if err := run(t.Context(), args, io.Discard); err != nil {
		t.Fatal(err)
	}
	archive := "inpoly_" + testVersion[1:] + "_" + native.os + "_" + native.arch + ".tar.gz"
	a, errA := os.ReadFile(filepath.Join(first, archive))
	b, errB := os.ReadFile(filepath.Join(third, archive))
	if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
		t.Errorf("%s differs in the third build, %v", archive, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".release-*"))
	temp, err2 := filepath.Glob(filepath.Join(dir, "inpoly-release-*"))
	if err != nil || err2 != nil || len(left)+len(temp) > 0 {
		t.Errorf("left behind: %v %v", left, temp)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// testKey returns the path of a new private key, or "" without ssh-keygen.
func testKey(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Log("ssh-keygen is missing: the signature is not tested")
		return ""
	}
	key := filepath.Join(dir, "key")
	if _, err := output(exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)); err != nil {
		t.Fatal(err)
	}
	return key
}

// checkSignature verifies the signature as docs/install.md says, and that a changed file fails.
func checkSignature(t *testing.T, path, key string) {
	t.Helper()
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(signers, append([]byte("inpoly "), public...), 0o644); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(data []byte) error {
		cmd := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I", "inpoly", "-n", "file", "-s", path+".sig")
		cmd.Stdin = bytes.NewReader(data)
		_, err := output(cmd)
		return err
	}
	if err := verify(sums); err != nil {
		t.Error(err)
	}
	if verify(append(sums, '\n')) == nil {
		t.Error("the signature of a changed file is accepted")
	}
}

// SHA256SUMS names every other file.
func TestSums(t *testing.T) {
	dir := dist(t)
	text, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		t.Fatal(err)
	}
	names, err := walk(dir)
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s == sumsName })
	if len(names) < 8 {
		t.Errorf("only %d files", len(names))
	}
	var want strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(data), name)
	}
	if string(text) != want.String() {
		t.Errorf("got\n%swant\n%s", text, want.String())
	}
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("sha256sum is missing")
	}
	cmd := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "--quiet", sumsName)
	cmd.Dir = dir
	if _, err := output(cmd); err != nil {
		t.Error(err)
	}
}

func TestArchives(t *testing.T) {
	for _, p := range built() {
		t.Run(p.os+"_"+p.arch, func(t *testing.T) {
			top := "inpoly_" + testVersion[1:] + "_" + p.os + "_" + p.arch
			dir := unpack(t, find(t, top+".*z*"))
			names, err := walk(dir)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"LICENSE", "README.md", "THIRD_PARTY_NOTICES.txt", "completions/_inpoly", "completions/inpoly.bash",
				"completions/inpoly.fish", "completions/inpoly.ps1", p.name(), "man/man1/inpoly.1.gz"}
			for i := range want {
				want[i] = top + "/" + want[i]
			}
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("has %q, want %q", names, want)
			}
			command := filepath.Join(dir, top, p.name())
			if fi, err := os.Stat(command); err != nil || fi.Mode()&0o111 == 0 && runtime.GOOS != "windows" {
				t.Errorf("the command is not executable: %v, %v", fi, err)
			}
			checkTexts(t, filepath.Join(dir, top), command)
			checkFormat(t, p, command)
			runOn(t, p, command)
		})
	}
}

// checkTexts checks the manual page, the completions and the notices.
func checkTexts(t *testing.T, dir, command string) {
	t.Helper()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	z, err := gzip.NewReader(strings.NewReader(read("man/man1/inpoly.1.gz")))
	if err != nil {
		t.Fatal(err)
	}
	man, err := io.ReadAll(z)
	if err != nil || !bytes.HasPrefix(man, []byte(".TH INPOLY 1")) {
		t.Errorf("manual page %.40q, %v", man, err)
	}
	for name, text := range map[string]string{
		"completions/_inpoly": "#compdef inpoly", "completions/inpoly.bash": "__start_inpoly",
		"completions/inpoly.fish": "complete -c inpoly", "completions/inpoly.ps1": "Register-ArgumentCompleter",
		"LICENSE": "MIT License", "README.md": "# inpoly",
	} {
		if !strings.Contains(read(name), text) {
			t.Errorf("%s does not have %q", name, text)
		}
	}
	info, err := buildinfo.ReadFile(command)
	if err != nil {
		t.Fatal(err)
	}
	notices := read("THIRD_PARTY_NOTICES.txt")
	if len(info.Deps) < 5 || !strings.Contains(notices, "Go standard library "+info.GoVersion+": LICENSE") {
		t.Errorf("%d dependencies, or no license of Go", len(info.Deps))
	}
	for _, d := range info.Deps {
		if !strings.Contains(notices, "\n"+d.Path+" "+d.Version+": LICENSE") {
			t.Errorf("no license of %s %s", d.Path, d.Version)
		}
	}
	for _, text := range []string{"Copyright 2009 The Go Authors", "Apache License"} {
		if !strings.Contains(notices, text) {
			t.Errorf("the notices do not have %q", text)
		}
	}
	if strings.Contains(notices, "/mod/") || strings.Contains(notices, "\r") {
		t.Error("the notices contain a path of this machine, or a carriage return")
	}
}

// checkFormat checks the format of the executable, and that no path of this machine is in it.
func checkFormat(t *testing.T, p platform, command string) {
	t.Helper()
	var machine any
	switch p.os {
	case "linux":
		f, err := elf.Open(command)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if machine = f.Machine; f.Section(".interp") != nil || f.Section(".symtab") != nil {
			t.Error("the command is not static, or not stripped")
		}
	case "darwin":
		f, err := macho.Open(command)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if machine = f.Cpu; f.Type != macho.TypeExec {
			t.Errorf("type %v", f.Type)
		}
		if p.arch == "arm64" && !slices.ContainsFunc(f.Loads, func(l macho.Load) bool { return f.ByteOrder.Uint32(l.Raw()) == 0x1d }) {
			t.Error("no LC_CODE_SIGNATURE: macOS does not start the command")
		}
	case "windows":
		f, err := pe.Open(command)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		machine = f.Machine
	}
	want := map[platform]any{
		{"linux", "amd64"}: elf.EM_X86_64, {"linux", "arm64"}: elf.EM_AARCH64,
		{"darwin", "amd64"}: macho.CpuAmd64, {"darwin", "arm64"}: macho.CpuArm64,
		{"windows", "amd64"}: uint16(pe.IMAGE_FILE_MACHINE_AMD64), {"windows", "arm64"}: uint16(pe.IMAGE_FILE_MACHINE_ARM64),
	}[p]
	if machine != want {
		t.Errorf("machine %v, want %v", machine, want)
	}
	data, err := os.ReadFile(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the command has %d bytes", len(data))
	if p == (platform{"linux", "amd64"}) && len(data) > maxCommand {
		t.Errorf("the command has %d bytes, more than %d", len(data), maxCommand)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{home + "/go/pkg/mod", absolute(t, repository), "inpoly-release-"} {
		if bytes.Contains(data, []byte(path)) {
			t.Errorf("the command contains the path %s", path)
		}
	}
}

// runOn runs the command for a platform: the README's example, and inpoly version.
func runOn(t *testing.T, p platform, command string) {
	t.Helper()
	prefix := []string{}
	switch {
	case p == native:
	case p == platform{"linux", "arm64"} && native.os == "linux":
		qemu, err := exec.LookPath("qemu-aarch64")
		if err != nil {
			t.Skip("not run: qemu-aarch64 is missing: apt-get install qemu-user")
		}
		prefix = []string{qemu}
	case p == platform{"windows", "amd64"}:
		cmd, err := wine.Command(t.Context(), command, readmeExample.args...)
		if errors.Is(err, wine.ErrMissing) {
			t.Skipf("not run: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd.Dir = repository
		checkOutput(t, cmd)
		if cmd, err = wine.Command(t.Context(), command, "version"); err != nil {
			t.Fatal(err)
		}
		checkVersion(t, p, cmd)
		return
	default:
		t.Skipf("not run: %s cannot run programs for %s; their format is checked", native, p)
	}
	checkExample(t, append(prefix, command)...)
	args := append(prefix, command, "version")
	checkVersion(t, p, exec.CommandContext(t.Context(), args[0], args[1:]...))
}

func checkVersion(t *testing.T, p platform, cmd *exec.Cmd) {
	t.Helper()
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	want := "inpoly " + testVersion + " " + shared.commit[:12] + " go1."
	if !strings.HasPrefix(string(out), want) || !strings.HasSuffix(strings.TrimSpace(string(out)), " "+p.String()) {
		t.Errorf("version %q, want %q… %s", out, want, p)
	}
}
