package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	if got := ShardName("a/b", 3, 12, ".csv"); got != "a/b-00003-of-00012.csv" {
		t.Error(got)
	}
	if got := ManifestName("a/b"); got != "a/b-manifest.json" {
		t.Error(got)
	}
}

// text writes shard files in text format to dir and returns their manifest. Each element of inputs
// contains the texts of the shards of one input.
func text(t *testing.T, dir string, header int64, inputs ...[]string) *Manifest {
	t.Helper()
	m := &Manifest{Kind: Kind}
	for i, parts := range inputs {
		in := Input{Path: string(rune('a' + i)), Format: "text", Ext: ".csv", HeaderLine: header, Delimiter: ","}
		for k, data := range parts {
			name := in.Path + string(rune('0'+k))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256([]byte(data))
			in.Shards = append(in.Shards, Shard{File: name, Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
		}
		m.Inputs = append(m.Inputs, in)
	}
	return m
}

func TestJoinAll(t *testing.T) {
	for _, c := range []struct {
		name   string
		header int64
		inputs [][]string
		want   string // "" means that the error is ErrJoin
	}{
		{"one", 1, [][]string{{"x\n1\n", "2"}}, "x\n1\n2"},
		{"open line", 1, [][]string{{"x\n1\n", "2"}, {"x\r\n3\r\n"}, {"x\n4"}}, "x\n1\n2\n3\r\n4"},
		{"open line, both ends", 1, [][]string{{"x\r\n1\r\n", "2"}, {"x\r\n3\r\n"}}, "x\r\n1\r\n2\r\n3\r\n"},
		{"comments before the header", 2, [][]string{{"# a\nx\n1\n"}, {"# b\nx\n2\n"}}, "# a\nx\n1\n2\n"},
		{"a header that is not in the first shard", 3, [][]string{{"# a\n", "# b\nx\n", "1\n"}, {"# c\n# d\n", "x\n2\n"}}, "# a\n# b\nx\n1\n2\n"},
		{"no header", 0, [][]string{{"1\n"}, {"2\n"}}, "1\n2\n"},
		{"nothing but a header", 1, [][]string{{"x\n"}, {"x"}, {"x\n1\n"}}, "x\n1\n"},
		{"another header", 1, [][]string{{"x\n1\n"}, {"y\n2\n"}}, ""},
	} {
		dir := t.TempDir()
		m := text(t, dir, c.header, c.inputs...)
		var out bytes.Buffer
		err := m.JoinAll(&out, dir)
		switch {
		case c.want == "" && !errors.Is(err, ErrJoin):
			t.Errorf("%s: %v, want ErrJoin", c.name, err)
		case c.want != "" && (err != nil || out.String() != c.want):
			t.Errorf("%s: %q, %v; want %q", c.name, out.String(), err, c.want)
		}
	}
	dir := t.TempDir()
	m := text(t, dir, 0, []string{"1\n"}, []string{"2\n"})
	m.Inputs[1].Delimiter = ";"
	if err := m.JoinAll(new(bytes.Buffer), dir); !errors.Is(err, ErrJoin) {
		t.Errorf("another delimiter: %v", err)
	}
}

// TestLAZ joins shards in the format LAZ. Chunk tables cannot be joined, so only one shard is accepted.
func TestLAZ(t *testing.T) {
	dir := t.TempDir()
	manifest := func(inputs ...[]string) *Manifest {
		m := text(t, dir, 0, inputs...)
		for i := range m.Inputs {
			m.Inputs[i].Format, m.Inputs[i].Ext, m.Inputs[i].Delimiter = "laz", ".laz", ""
		}
		return m
	}
	var out bytes.Buffer
	if err := manifest([]string{"LASF one"}).JoinAll(&out, dir); err != nil || out.String() != "LASF one" {
		t.Errorf("one shard: %q, %v", &out, err)
	}
	out.Reset()
	for _, m := range []*Manifest{manifest([]string{"LASF one", "LASF two"}), manifest([]string{"LASF one"}, []string{"LASF two"})} {
		if err := m.JoinAll(&out, dir); !errors.Is(err, ErrJoin) || out.Len() > 0 {
			t.Errorf("%d inputs: %v, and %d bytes", len(m.Inputs), err, out.Len())
		}
	}
	err := manifest([]string{"LASF one", "LASF two"}).Inputs[0].Joinable()
	if err == nil || !strings.Contains(err.Error(), "2 shards in the format laz cannot be joined") {
		t.Errorf("the error is %v", err)
	}
}

// anySum is a valid SHA-256.
var anySum = strings.Repeat("0a", sha256.Size)

// A manifest that names a file twice, or whose entries are invalid, is refused before a shard is read.
func TestParseRefuses(t *testing.T) {
	shard := func(file string) string { return `{"file":"` + file + `","bytes":9,"sha256":"` + anySum + `"}` }
	manifest := func(inputs string) string { return `{"kind":"` + Kind + `","inputs":[` + inputs + `]}` }
	for text, want := range map[string]string{
		manifest(`{"path":"p","shards":[` + shard("a") + `,` + shard("b") + `]}`):                         "",
		manifest(`{"path":"p","shards":[` + shard("a") + `,` + shard("a") + `]}`):                         `two shards have the file "a"`,
		manifest(`{"path":"p","shards":[` + shard("a") + `]},{"path":"q","shards":[` + shard("a") + `]}`): `two shards have the file "a"`,
		manifest(`{"path":"p","shards":[{"file":"a","sha256":"00"}]}`):                                    `the checksum "00": expected a SHA-256 of 64 hexadecimal digits`,
		manifest(`{"path":"p","shards":[{"file":"a","sha256":"` + strings.Repeat("z", 64) + `"}]}`):       "expected a SHA-256",
		manifest(`{"path":"p","shards":[]}`):                                                              "the input p has no shards",
		manifest(`{"path":"p"}`):                                                                          "the input p has no shards",
		manifest(`null`):                                                                                  "has no shards",
		manifest(`{"path":"p","shards":[null]}`):                                                          "is not a name of a file",
		manifest(`{"path":"p","header_line":-1,"shards":[` + shard("a") + `]}`):                           "the input p has its header in line -1",
		manifest(`{"path":"p","shards":{}}`):                                                              "expected a list",
		manifest(``):                                                                                      "the manifest has no inputs",
		manifest(`{"path":"p","shards":[`+shard("a")+`]}`) + " {}":                                        "expected the end of the file after the manifest",
		`{"kind":"` + Kind + `","inputs":null}`:                                                           "the manifest has no inputs",
		manifest(strings.Repeat("{},", 1_000_000) + "{}"):                                                 "has no shards",
		manifest(`{"path":"p","shards":[` + strings.Repeat("{},", 1_000_000) + `{}]}`):                    "is not a name of a file",
	} {
		_, err := Parse([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q", text, err, want)
		}
	}
}

// A manifest whose header is in a line that the shards do not have, or is too long, is refused.
func TestHeaderLine(t *testing.T) {
	long := strings.Repeat("x", maxHeader+1)
	for _, c := range []struct {
		line  int64
		first string
		want  string
	}{
		{1e18, "x\n1\n2\n", "the manifest says that the header is in line 1000000000000000000, but the shards have only 3 lines"},
		{4, "x\n1\n2\n", "line 4, but the shards have only 3 lines"},
		{3, "x\n1\n2", ""},
		{1, strings.Repeat("x", 1<<20) + ",inside\n", ""}, // the longest header of an input, and an answer
		{1, long + "\n1\n", "the header in line 1 has more than"},
		{2, long + "\nx\n1\n", ""}, // a long line before the header
	} {
		dir := t.TempDir()
		other := strings.Repeat("#\n", int(min(c.line-1, 2))) + c.first[strings.LastIndex(strings.TrimSuffix(c.first, "\n"), "\n")+1:]
		if c.line == 2 {
			other = "#\nx\n2\n"
		}
		m := text(t, dir, c.line, []string{c.first}, []string{other})
		err := m.JoinAll(io.Discard, dir)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("line %d of %.20q: %v, want %q", c.line, c.first, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	good, err := json.Marshal(Manifest{Kind: Kind, Inputs: []Input{{Path: "a", Format: "npy", Head: []byte("x"), Shards: []Shard{{File: "b", SHA256: anySum}, {File: "c", SHA256: anySum}}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"kind": "inpoly shards 1", "inputs": [{"shards": [{"file": "../a"}]}]}`))
	f.Add([]byte(`{"kind": "inpoly shards 1", "inputs": [{"shards": [{"file": "..a"}]}]}`)) // "..a" is a valid name
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		for i := range m.Inputs {
			for _, s := range m.Inputs[i].Shards {
				if rel, err := filepath.Rel(dir, filepath.Join(dir, s.File)); err != nil || rel == ".." || strings.Contains(rel, "/") {
					t.Fatalf("%q leads out of the folder", s.File)
				}
			}
			if err := m.Inputs[i].Join(new(bytes.Buffer), dir); err == nil {
				t.Fatal("files that are not there were joined")
			}
		}
	})
}

// lineEnder recognizes the line end \r\n in bytes that it omits, even if \r and \n are in different
// calls of Write.
func TestLineEnder(t *testing.T) {
	for _, c := range []struct{ writes, want string }{
		{"x\r|\n2", "2\r\n"},
		{"x|\r\n2", "2\r\n"},
		{"x\r\n|2", "2\r\n"},
		{"xy|\n2", "2\n"},
	} {
		var b strings.Builder
		skip := strings.Index(strings.ReplaceAll(c.writes, "|", ""), "\n") + 1
		l := &lineEnder{w: &b, skip: int64(skip)}
		for part := range strings.SplitSeq(c.writes, "|") {
			if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%q: %d, %v", c.writes, n, err)
			}
		}
		if err := l.end(); err != nil || b.String() != c.want {
			t.Errorf("%q: %q, %v, want %q", c.writes, b.String(), err, c.want)
		}
	}
}
