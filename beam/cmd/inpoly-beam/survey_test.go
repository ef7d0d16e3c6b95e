package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
)

// TestSurvey checks that the parts of a text cover the text and begin after line ends, and that
// each part stores the right number of lines before it.
func TestSurvey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("ab\n\n")), 1, 60, -1).Draw(t, "text"))
		n := rapid.IntRange(1, 20).Draw(t, "parts")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		parts, ok, err := splitText(path, int64(len(text)), n)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		at := int64(0)
		for k, p := range parts {
			lines := int64(bytes.Count(text[:p.Lo], []byte("\n")))
			if p.Lo != at || p.Hi <= p.Lo || p.Line != lines || p.Seek != (k > 0) || k > 0 && text[p.Lo-1] != '\n' {
				t.Fatalf("part %d of %q is %+v: want it to begin at %d, with %d lines before", k, text, p, at, lines)
			}
			at = p.Hi
		}
		if at != int64(len(text)) || len(parts) > n {
			t.Fatalf("%d parts of %q end at %d", len(parts), text, at)
		}
		if rows := bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1; n >= len(text) && len(parts) != rows {
			t.Fatalf("%d parts of %q, want one a line: %d", len(parts), text, rows)
		}
	})
}

func TestSurveyQuotes(t *testing.T) {
	path := put(t, t.TempDir(), "text", []byte("a,b\n1,\"x\ny\"\n"))
	if _, ok, err := splitText(path, 12, 3); ok || err != nil {
		t.Errorf("quotes: %v, %v", ok, err)
	}
	if _, _, err := splitText(path, 40, 3); err == nil {
		t.Error("a file that is shorter than it was: no error")
	}
	if _, _, err := splitText(path+"no", 12, 3); err == nil {
		t.Error("no file: no error")
	}
}

// TestFlags checks every flag that affects the answers: the command has the flag, the help
// describes it, and Beam has no flag with the same name.
func TestFlags(t *testing.T) {
	var f answer.Flags
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Define(set)
	n := 0
	set.VisitAll(func(g *pflag.Flag) {
		n++
		if flag.CommandLine.Lookup(g.Name) != nil {
			t.Errorf("--%s is a flag of Beam, too", g.Name)
		}
		if !strings.Contains(help, "--"+g.Name) {
			t.Errorf("--%s is not in the help", g.Name)
		}
	})
	if n < 19 {
		t.Errorf("%d flags", n)
	}
	_, own := newCommand()
	own.VisitAll(func(g *pflag.Flag) {
		if flag.CommandLine.Lookup(g.Name) == nil && !strings.Contains(help, "--"+g.Name) {
			t.Errorf("--%s is not in the help", g.Name)
		}
	})
}

// TestOtherFileSystem checks that files of a remote file system are read, and that output objects
// appear completely or not at all.
func TestOtherFileSystem(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	local := put(t, dir, "cube.obj", []byte(cube))
	write := func(name string, data []byte) {
		t.Helper()
		if err := withFS(ctx, name, func(f filesystem.Interface) error { return filesystem.Write(ctx, f, name, data) }); err != nil {
			t.Fatal(err)
		}
	}
	clouds := map[string][]byte{
		"a.csv": csvOf(cloud(1, 2000), "\n"), "b.npy": npyOf(cloud(2, 2000), 64), "c.ply": plyOf(cloud(3, 2000)),
		"d.csv.gz": packed(csvOf(cloud(4, 2000), "\n")),
	}
	parquet := filepath.Join(dir, "e.parquet")
	inpoly(t, "-q", local, put(t, dir, "e.csv", csvOf(cloud(5, 2000), "\n")), "--format", "parquet", "--out", parquet)
	var err error
	if clouds["e.parquet"], err = os.ReadFile(parquet); err != nil {
		t.Fatal(err)
	}
	write("memfs://m/cube.obj", []byte(cube))
	var files []string
	for name, data := range clouds {
		write("memfs://p/"+name, data)
		files = append(files, put(t, dir, name, data))
	}
	c, set := newCommand()
	if err := set.Parse([]string{"-q", "--mesh", "memfs://m/cube.obj", "--points", "memfs://p/*", "--out", "memfs://o/x", "--shard-points", "500", "--state"}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second run replaces the output of the first run
		if err := c.run(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	data, err := readAll(ctx, "memfs://o/x-manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := merge.Parse(data)
	if err != nil || len(m.Inputs) != len(clouds) || m.Rows != int64(len(clouds))*2000 {
		t.Fatalf("%+v, %v", m, err)
	}
	out := t.TempDir()
	put(t, out, "x-manifest.json", data)
	list, err := glob(ctx, "memfs://o/*")
	if err != nil || len(list) != len(clouds)+1 {
		t.Fatalf("%q, %v", list, err)
	}
	for _, name := range list {
		data, err := readAll(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, out, base(name), data)
	}
	wantSame(t, []string{local}, files, []string{"--state"}, filepath.Join(out, "x"))
	c, set = newCommand()
	if err := set.Parse([]string{"-q", "--mesh", "memfs://m/no.obj", "--points", "memfs://p/*", "--out", "memfs://o/x"}); err != nil {
		t.Fatal(err)
	}
	if err := c.run(ctx, nil); err == nil || !strings.Contains(err.Error(), "memfs://m/no.obj") {
		t.Errorf("no mesh: %v", err)
	}
}
