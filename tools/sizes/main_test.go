package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// stated lists the sizes of built files in the documentation. The groups of a pattern are the numbers of its rows.
var stated = []struct {
	page, pattern string
	rows          []string
}{
	{"docs/javascript.md", "`inpoly.wasm` \\| ([\\d.]+) MB \\| ([\\d.]+) MB \\|", []string{"`inpoly.wasm`, packed with gzip", "`inpoly.wasm`"}},
	{"docs/javascript.md", "`inpoly-command.wasm.gz` \\| ([\\d.]+) MB \\| ([\\d.]+) MB \\|", []string{"`inpoly-command.wasm.gz`", "`inpoly-command.wasm.gz`, unpacked"}},
	{"docs/javascript.md", `The npm package has both: ([\d.]+) MB, and ([\d.]+) MB when it is installed`, []string{"the npm package", "the npm package, installed"}},
	{"docs/javascript.md", `with Brotli, ([\d.]+) MB with gzip, ([\d.]+) MB unpacked`, []string{"`inpoly.wasm`, packed with gzip", "`inpoly.wasm`"}},
	{"docs/page.md", `The file has ([\d.]+) MB\.`, []string{"`inpoly.html`"}},
	{"docs/c.md", `the shared library, ([\d.]+) MB`, []string{"`libinpoly.so`"}},
}

// others lists the other numbers of megabytes in pages about built files.
var others = map[string][]string{
	"docs/javascript.md": {"64 MB" /* the buffer */, "2 MB" /* the limit with Brotli, bindings/js/test/size.test.mjs */},
	"docs/python.md":     {"24 MB" /* a block of points */, "10 MB" /* memory of a process */},
	"docs/page.md":       nil, "docs/c.md": nil, "docs/install.md": nil, "docs/releasing.md": nil, "README.md": nil, "bindings/js/README.md": nil, "bindings/python/README.md": nil,
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// rounds reports whether text is size in megabytes, rounded to the digits of text.
func rounds(text string, size int64) bool {
	_, decimals, _ := strings.Cut(text, ".")
	return strconv.FormatFloat(float64(size)/1e6, 'f', len(decimals), 64) == text
}

// TestPages compares the sizes in the documentation with docs/sizes.md.
func TestPages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "sizes.md"))
	if err != nil {
		t.Fatal(err)
	}
	sizes := table(text)
	pages := map[string]string{}
	for page := range others {
		pages[page] = read(t, page)
	}
	for _, s := range stated {
		m := regexp.MustCompile(s.pattern).FindStringSubmatchIndex(pages[s.page])
		if m == nil {
			t.Errorf("%s: no text %s", s.page, s.pattern)
			continue
		}
		for i, row := range s.rows {
			number := pages[s.page][m[2*i+2]:m[2*i+3]]
			if size, ok := sizes[row]; !ok || !rounds(number, size) {
				t.Errorf("%s: %s MB, but docs/sizes.md has %d bytes for %s", s.page, number, size, row)
			}
		}
		pages[s.page] = pages[s.page][:m[0]] + pages[s.page][m[1]:]
	}
	megabytes := regexp.MustCompile(`[\d.,]+ MB\b`)
	for page, text := range pages {
		for _, found := range megabytes.FindAllString(text, -1) {
			if !slices.Contains(others[page], found) {
				t.Errorf("%s: %s is neither in stated nor in others", page, found)
			}
		}
	}
}

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		text string
		size int64
		want bool
	}{{"9.8", 9_750_001, true}, {"9.8", 9_849_999, true}, {"9.8", 9_850_001, false}, {"9.8", 9_749_999, false}, {"18", 18_200_000, true}, {"17", 18_200_000, false}, {"9.0", 9_000_000, true}, {"9", 9_000_000, true}} {
		if got := rounds(c.text, c.size); got != c.want {
			t.Errorf("rounds(%q, %d) = %t", c.text, c.size, got)
		}
	}
}

// TestRun measures files of a small repository. A size that differs too much fails, -update writes it, and the same file
// then passes.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	squeeze := func(data []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	archive := func(files map[string][]byte) []byte {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for name, data := range files {
			if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Size: int64(len(data)), Mode: 0o644}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return squeeze(out.Bytes())
	}
	page := write("page.html", make([]byte, 1_040_000))
	npm := write("a.tgz", archive(map[string][]byte{"inpoly.wasm": make([]byte, 1000), "inpoly-command.wasm.gz": squeeze(make([]byte, 5000)), "index.js": make([]byte, 10)}))
	incomplete := write("b.tgz", archive(map[string][]byte{"inpoly.wasm": make([]byte, 1000)}))
	list := write("docs/sizes.md", []byte("| `inpoly.html` | 1,000,000 |\n| the npm package | 1 |\n| the npm package, installed | 1 |\n| `inpoly.wasm` | 1 |\n| `inpoly.wasm`, packed with gzip | 1 |\n| `inpoly-command.wasm.gz` | 1 |\n| `inpoly-command.wasm.gz`, unpacked | 1 |\n"))
	fails := func(want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if err := run(args, dir, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
	passes := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if err := run(args, dir, &out); err != nil || out.Len() == 0 {
			t.Errorf("%v: %v, output %q", args, err, &out)
		}
	}
	passes("page=" + page)
	write("page.html", make([]byte, 1_060_000))
	fails("1,000,000 bytes, but the file has 1,060,000", "page="+page)
	write("page.html", make([]byte, 940_000))
	fails("1,000,000 bytes, but the file has 940,000", "page="+page)
	fails("unpacked: 1 bytes, but the file has 5,000", "npm="+npm)
	passes("-update", "page="+page, "npm="+npm)
	passes("page="+page, "npm="+npm)
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	got := table(text)
	if got["`inpoly.html`"] != 940_000 || got["`inpoly.wasm`"] != 1000 || got["`inpoly-command.wasm.gz`, unpacked"] != 5000 {
		t.Errorf("docs/sizes.md has %v", got)
	}
	fails("no row `libinpoly.so`", "library="+page)
	fails("is missing", "npm="+incomplete)
	fails("unknown kind", "wheel="+page)
	fails("absent", "page="+filepath.Join(dir, "absent"))
}
