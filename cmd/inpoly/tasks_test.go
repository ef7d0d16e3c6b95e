package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestTaskPages runs the commands of the pages in docs/tasks, in a copy of testdata. A block of text
// after a block of commands is what the commands print to standard output.
func TestTaskPages(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the pages have commands for sh")
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "tasks", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("pages %v, error %v", pages, err)
	}
	dir := t.TempDir()
	var scripts []string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		script, commands := taskScript(string(text))
		if commands < 2 {
			t.Errorf("%s: %d blocks of commands", page, commands)
		}
		name := filepath.Join(dir, strings.TrimSuffix(filepath.Base(page), ".md")+".txtar")
		if err := os.WriteFile(name, []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, name)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			return os.CopyFS(filepath.Join(env.WorkDir, "testdata"), os.DirFS(filepath.Join("..", "..", "testdata")))
		},
	})
}

// taskScript returns a testscript of a page, and the number of its blocks of commands.
func taskScript(page string) (script string, commands int) {
	var head, files strings.Builder
	head.WriteString("cd testdata/tasks\n")
	for rest := page; ; {
		_, after, found := strings.Cut(rest, "\n```")
		if !found {
			break
		}
		kind, after, _ := strings.Cut(after, "\n")
		block, after, _ := strings.Cut(after, "\n```")
		rest = after
		switch kind {
		case "sh":
			commands++
			fmt.Fprintf(&head, "exec sh -eu $WORK/block%d.sh\n", commands)
			fmt.Fprintf(&files, "-- block%d.sh --\n%s\n", commands, block)
		case "text":
			fmt.Fprintf(&head, "cmp stdout $WORK/want%d\n", commands)
			fmt.Fprintf(&files, "-- want%d --\n%s\n", commands, block)
		}
	}
	return head.String() + files.String(), commands
}

func TestTaskScript(t *testing.T) {
	got, commands := taskScript("# A\n\n```sh\na\nb\n```\n\n```text\nc\n```\n\n```go\nd\n```\n\n```sh\ne\n```\n")
	want := "cd testdata/tasks\nexec sh -eu $WORK/block1.sh\ncmp stdout $WORK/want1\nexec sh -eu $WORK/block2.sh\n" +
		"-- block1.sh --\na\nb\n-- want1 --\nc\n-- block2.sh --\ne\n"
	if got != want || commands != 2 {
		t.Errorf("%d blocks:\n%s\nwant 2 blocks:\n%s", commands, got, want)
	}
}
