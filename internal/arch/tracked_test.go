package arch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// maxFile is the size in bytes up to which git can track a file that largeFiles does not name. The
// largest file, testdata/knot.stl, has 259,284 bytes.
const maxFile = 300_000

// largeFiles lists the tracked files above maxFile, with the reason for each.
var largeFiles = map[string]string{}

// packedFiles lists the tracked archives and compressed files, with the reason for each.
var packedFiles = map[string]string{
	"loaders/internal/meshopt/testdata/streams.bin.gz": "streams of the reference encoder",
	"view/assets.gz": "the script of interactive pages, which the command embeds",
	"view/font.gz":   "the font of pictures, which the command embeds",
}

// TestTrackedFiles checks the files that git tracks. None is a built program or library. Only the
// files in packedFiles are archives or compressed, and only the files in largeFiles have more than
// maxFile bytes. The test skips outside a checkout.
func TestTrackedFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range tracked(t) {
		file := filepath.Join("../..", filepath.FromSlash(name))
		fi, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, but still in the index
		}
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = true
		if !fi.Mode().IsRegular() {
			t.Errorf("%s: mode %s, want a regular file", name, fi.Mode())
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch kind, packed := contentKind(data); {
		case kind != "" && !packed:
			t.Errorf("%s: a compiler wrote this file (%s): run `git rm --cached %[1]s` and add the name to .gitignore", name, kind)
		case kind != "" && packedFiles[name] == "":
			t.Errorf("%s: this file is packed (%s): track the unpacked content, or add the file and the reason to packedFiles", name, kind)
		case kind == "" && packedFiles[name] != "":
			t.Errorf("%s: packedFiles lists this file, but it is not packed", name)
		}
		if large := len(data) > maxFile; large != (largeFiles[name] != "") {
			t.Errorf("%s: %d bytes; largeFiles must list exactly the files with more than %d bytes", name, len(data), maxFile)
		}
	}
	for _, list := range []map[string]string{largeFiles, packedFiles} {
		for name := range list {
			if !seen[name] {
				t.Errorf("%s: this test lists the file, but git does not track it", name)
			}
		}
	}
}

// tracked returns the paths of the files that git tracks, relative to the root. It skips the test
// outside a checkout and without git.
func tracked(t *testing.T) []string {
	t.Helper()
	if _, err := os.Lstat("../../.git"); err != nil { // the folder could be part of another repository
		t.Skip("not in a checkout")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 1000 {
		t.Fatalf("git lists %d files, want at least 1000", len(files))
	}
	return files
}

// TestBuiltProgramsAreIgnored checks that git ignores the file that `go build` writes in the folder of a
// program.
func TestBuiltProgramsAreIgnored(t *testing.T) {
	programs := map[string]bool{}
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("\npackage main\n")) && !bytes.Contains(text, []byte("\n//go:build ignore\n")) && !bytes.HasPrefix(text, []byte("//go:build ignore\n")) {
			programs[path.Dir(name)] = true
		}
	}
	if len(programs) < 15 {
		t.Fatalf("%d programs, want at least 15: %v", len(programs), programs)
	}
	for dir := range programs {
		for _, suffix := range []string{"", ".exe"} {
			file := dir + "/" + path.Base(dir) + suffix
			cmd := exec.Command("git", "check-ignore", "--quiet", file)
			cmd.Dir = "../.."
			if err := cmd.Run(); err != nil {
				t.Errorf("git does not ignore %s (%v): add the name to .gitignore", file, err)
			}
		}
	}
}

// magics lists the first bytes of the files that compilers and packers write.
var magics = []struct {
	kind, bytes string
	packed      bool // an archive or a compressed file
}{
	{"ELF", "\x7fELF", false},
	{"Mach-O", "\xfe\xed\xfa\xce", false},
	{"Mach-O", "\xfe\xed\xfa\xcf", false},
	{"Mach-O", "\xce\xfa\xed\xfe", false},
	{"Mach-O", "\xcf\xfa\xed\xfe", false},
	{"fat Mach-O or Java", "\xca\xfe\xba\xbe", false},
	{"fat Mach-O", "\xca\xfe\xba\xbf", false},
	{"WebAssembly", "\x00asm", false},
	{"LLVM bitcode", "BC\xc0\xde", false},
	{"LLVM bitcode", "\xde\xc0\x17\x0b", false},
	{"ar", "!<arch>\n", false},
	{"ar", "!<thin>\n", false},
	{"Go object", "go object ", false},
	{"Go object", "\x00go1", false},
	{"gzip", "\x1f\x8b", true},
	{"compress", "\x1f\x9d", true},
	{"bzip2", "BZh", true},
	{"xz", "\xfd7zXZ\x00", true},
	{"zstd", "\x28\xb5\x2f\xfd", true},
	{"LZ4", "\x04\x22\x4d\x18", true},
	{"lzip", "LZIP", true},
	{"LZMA", "\x5d\x00\x00", true},
	{"7z", "7z\xbc\xaf\x27\x1c", true},
	{"RAR", "Rar!\x1a\x07", true},
	{"cpio", "070701", true},
	{"cabinet", "MSCF\x00\x00\x00\x00", true},
	{"RPM", "\xed\xab\xee\xdb", true},
}

// contentKind returns the format of a file that a compiler or a packer wrote. For every other file,
// kind is empty.
func contentKind(data []byte) (kind string, packed bool) {
	for _, m := range magics {
		if bytes.HasPrefix(data, []byte(m.bytes)) {
			return m.kind, m.packed
		}
	}
	u16 := func(i int) int { return int(binary.LittleEndian.Uint16(data[i:])) }
	u32 := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(data[i:])) }
	size := uint64(len(data))
	if size >= 64 && string(data[:2]) == "MZ" { // a text can begin with MZ
		if at := u32(60); at+4 <= size && string(data[at:at+4]) == "PE\x00\x00" {
			return "PE", false
		}
	}
	if size >= 20 { // the header of a COFF object: processor, number of sections, time, symbols, size of the next header
		processor := u16(0) == 0x8664 || u16(0) == 0x14c || u16(0) == 0xaa64
		if processor && u16(16) == 0 && u32(8)+18*u32(12) <= size && uint64(20+40*u16(2)) <= size {
			return "COFF object", false
		}
	}
	if size >= 16 && string(data[2:4]) == "\r\n" && u32(4) <= 3 {
		return "Python bytecode", false
	}
	// A program can precede a zip archive, so only the end of the file shows that it is one.
	if _, err := zip.NewReader(bytes.NewReader(data), int64(size)); err == nil {
		return "zip", true
	}
	if _, err := tar.NewReader(bytes.NewReader(data)).Next(); err == nil {
		return "tar", true
	}
	return "", false
}

// TestContentKind checks files of each format, among them the program of this test.
func TestContentKind(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if kind, packed := contentKind(program); kind == "" || packed {
		t.Errorf("%s: %q, packed %t; want a program", self, kind, packed)
	}
	var zipped, tarred, gzipped, empty bytes.Buffer
	z := zip.NewWriter(&zipped)
	if _, err := z.Create("a"); err != nil {
		t.Fatal(err)
	}
	tape, g := tar.NewWriter(&tarred), gzip.NewWriter(&gzipped)
	if err := tape.WriteHeader(&tar.Header{Name: "a", Format: tar.FormatUSTAR}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{z.Close(), tape.Close(), g.Close(), zip.NewWriter(&empty).Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	header := func(at int, text string) []byte { return append(make([]byte, at), text...) }
	portable := header(128, "PE\x00\x00")
	copy(portable, "MZ")
	portable[60] = 128
	object := header(60, "")
	copy(object, "\x64\x86\x01\x00")
	for _, c := range []struct {
		kind   string
		packed bool
		data   []byte
	}{
		{"ELF", false, []byte("\x7fELF\x02\x01\x01")},
		{"Mach-O", false, []byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01")},
		{"Mach-O", false, []byte("\xfe\xed\xfa\xce\x00\x00\x00\x12")},
		{"fat Mach-O or Java", false, []byte("\xca\xfe\xba\xbe\x00\x00\x00\x02")},
		{"PE", false, portable},
		{"COFF object", false, object},
		{"WebAssembly", false, []byte("\x00asm\x01\x00\x00\x00")},
		{"ar", false, []byte("!<arch>\nlibinpoly.o/")},
		{"Python bytecode", false, []byte("\xa7\x0d\r\n\x00\x00\x00\x00\x12\x34\x56\x78\x00\x01\x00\x00")},
		{"zip", true, zipped.Bytes()},
		{"zip", true, empty.Bytes()},
		{"zip", true, append([]byte("#!/bin/sh\nexec unzip \"$0\"\n"), zipped.Bytes()...)},
		{"tar", true, tarred.Bytes()},
		{"gzip", true, gzipped.Bytes()},
		{"zstd", true, []byte("\x28\xb5\x2f\xfd\x24\x00")},
		{"", false, nil},
		{"", false, []byte("MZ is the first word of this text, which is longer than the header of a program")},
		{"", false, []byte("ab\r\ncd\r\nef\r\ngh\r\n")},
		{"", false, []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")},
		{"", false, make([]byte, 1024)},
	} {
		if kind, packed := contentKind(c.data); kind != c.kind || packed != c.packed {
			t.Errorf("%.20q: %q, packed %t; want %q, %t", c.data, kind, packed, c.kind, c.packed)
		}
	}
}
