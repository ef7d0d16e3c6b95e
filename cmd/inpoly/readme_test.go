package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// testLine is the command of the README that runs all tests. The gate runs the block of this line, so
// TestReadme leaves the line out.
const testLine = "go test ./..."

// TestReadme runs the blocks of commands of the README, and of the section for a clone in
// docs/install.md, as they stand, one after the other in one shell. The blocks that build the command
// run in the root and write inside.csv there. The others run in a copy of testdata. The settings of
// the user have no effect, and no module is downloaded.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("links the command several times")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the blocks are for sh")
	}
	for _, program := range []string{"sh", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	readme := shellBlocks(t, filepath.Join(root, "README.md"), "", "")
	if len(readme) < 3 || strings.Count(readme[0], "\n") != 2 || !strings.Contains(readme[0], "\n"+testLine+" ") {
		t.Fatalf("%d blocks, want at least 3, and two commands in the first block, the second of them %s:\n%s", len(readme), testLine, readme)
	}
	install := shellBlocks(t, filepath.Join(root, "docs", "install.md"), "## From a clone\n", "\n## ")
	if len(install) != 2 {
		t.Fatalf("%d blocks in the section for a clone, want 2", len(install))
	}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	probe, err := os.CreateTemp(clone, ".inpoly-*.test")
	if err != nil {
		t.Skip(err) // the sources are read-only, as in the module cache
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		t.Fatal(err)
	}
	for name, blocks := range map[string][]string{"README": readme, "install": install} {
		t.Run(name, func(t *testing.T) {
			keepFile(t, filepath.Join(clone, "inside.csv"))
			keepFile(t, filepath.Join(clone, "inpoly"))
			samples := t.TempDir()
			if err := os.CopyFS(filepath.Join(samples, "testdata"), os.DirFS(filepath.Join(root, "testdata"))); err != nil {
				t.Fatal(err)
			}
			var script strings.Builder
			for _, block := range blocks {
				if strings.Contains(block, "./cmd/inpoly") {
					script.WriteString("cd \"$CLONE\"\n")
				} else {
					script.WriteString("cd \"$SAMPLES\"\n")
				}
				for line := range strings.Lines(block) {
					if !strings.HasPrefix(line, testLine) {
						script.WriteString(line)
					}
				}
			}
			// All builds have -trimpath if the test has it, or none, because packages that differ in it are built
			// twice.
			text, flags := script.String(), "-mod=readonly -buildvcs=false"
			if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
				flags += " -trimpath"
			} else if os.Getenv("INPOLY_FULL") != "1" {
				text = strings.ReplaceAll(text, " -trimpath ", " ")
			}
			sh := exec.CommandContext(t.Context(), "sh", "-eu")
			sh.Stdin = strings.NewReader(text)
			sh.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
				return strings.HasPrefix(e, "GO") || strings.HasPrefix(e, "INPOLY_")
			})
			// A new GOPATH has no command yet. The other folders have what `go test` has downloaded and built.
			sh.Env = append(sh.Env, "CLONE="+clone, "SAMPLES="+samples, "GOPATH="+t.TempDir(), "GOMODCACHE="+goEnv(t, "GOMODCACHE"),
				"GOCACHE="+goEnv(t, "GOCACHE"), "GOENV=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS="+flags)
			out, err := sh.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, text, out)
			}
			answers, err := os.ReadFile(filepath.Join(clone, "inside.csv"))
			if err != nil {
				t.Fatal(err)
			}
			if in, rows := strings.Count(string(answers), ",1\n"), strings.Count(string(answers), "\n"); in != 451 || rows != 4097 {
				t.Errorf("inside.csv has %d lines and %d points inside, want 4097 and 451", rows, in)
			}
			if want := "4,096 points: 356 inside, 3,645 outside, 95 on the surface\n"; !strings.Contains(string(out), want) {
				t.Errorf("no %q in the output", want)
			}
			if strings.Contains(string(out), "does not overlap") {
				t.Error("an example has points far from its mesh")
			}
		})
	}
}

// keepFile removes a file until the end of the test, which then restores it or removes a new file.
func keepFile(t *testing.T, path string) {
	t.Helper()
	old, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		t.Fatal(err)
	}
	fi, _ := os.Stat(path)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(path)
		if !missing {
			err = errors.Join(err, os.WriteFile(path, old, fi.Mode().Perm()))
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// TestGateRunsReadme checks that the gate takes its first commands from the README.
func TestGateRunsReadme(t *testing.T) {
	gate, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no gate")
	}
	if err != nil {
		t.Fatal(err)
	}
	extract := ""
	for line := range strings.Lines(string(gate)) {
		if strings.HasPrefix(line, "first=$(") {
			extract = line
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(sh, "-eu", "-c", extract+"printf '%s\\n' \"$first\"")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if want := shellBlocks(t, filepath.Join(root, "README.md"), "", "")[0]; err != nil || string(out) != want {
		t.Errorf("error %v: the gate finds\n%s\nwant\n%s", err, out, want)
	}
}

// shellBlocks returns the blocks of commands for sh in a page, between the texts from and to.
func shellBlocks(t *testing.T, page, from, to string) (blocks []string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if from != "" {
		_, after, found := strings.Cut(text, from)
		section, _, ended := strings.Cut(after, to)
		if !found || !ended {
			t.Fatalf("%s: no section between %q and %q", page, from, to)
		}
		text = section
	}
	for {
		_, after, found := strings.Cut(text, "\n```sh\n")
		if !found {
			return blocks
		}
		block, after, ended := strings.Cut(after, "\n```\n")
		if !ended {
			t.Fatalf("%s: a block has no end", page)
		}
		blocks, text = append(blocks, block+"\n"), after
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
