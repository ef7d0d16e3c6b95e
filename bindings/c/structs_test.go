//go:build cgo

package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// structs has the C structs, by their names without the prefix. They are parameters of the exported functions.
var structs = map[string]reflect.Type{
	"options":       parameter(inpolyOpen, 1),
	"mesh":          parameter(inpolyNew, 0),
	"points":        parameter(inpolyLocate, 1),
	"answers":       parameter(inpolyLocate, 2),
	"info":          parameter(inpolyDescribe, 2),
	"lines":         parameter(inpolyFirstHits, 1),
	"hits":          parameter(inpolyFirstHits, 2),
	"hit_list":      parameter(inpolyAllHits, 2),
	"interval_list": parameter(inpolyIntervals, 4),
	"pose":          parameter(inpolyAt, 1),
	"query":         parameter(inpolySideOf, 0),
}

func parameter(f any, i int) reflect.Type { return reflect.TypeOf(f).In(i).Elem() }

// field is a row of testdata/structs.tsv: a field of a struct, in bytes on 64-bit systems.
type field struct {
	version      int // the INPOLY_ABI_VERSION that added the field
	name         string
	offset, size uintptr
}

func readTable(t *testing.T) map[string][]field {
	t.Helper()
	rows := map[string][]field{}
	for i, line := range strings.Split(strings.TrimSpace(read(t, "testdata/structs.tsv")), "\n")[1:] {
		var f field
		var name string
		if _, err := fmt.Sscan(line, &name, &f.version, &f.name, &f.offset, &f.size); err != nil {
			t.Fatalf("testdata/structs.tsv:%d: %v", i+2, err)
		}
		rows[name] = append(rows[name], f)
	}
	return rows
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func headerVersion(t *testing.T, header string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^#define INPOLY_ABI_VERSION (\d+)$`).FindStringSubmatch(header)
	if m == nil {
		t.Fatal("the header has no INPOLY_ABI_VERSION")
	}
	v, _ := strconv.Atoi(m[1])
	return v
}

var (
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	structBody = regexp.MustCompile(`(?s)typedef struct inpoly_(\w+) \{(.*?)\}`)
	fieldName  = regexp.MustCompile(`(\w+)(?:\[\d+\])?;`)
	prototype  = regexp.MustCompile(`(?m)^(?:INPOLY_API )?[\w ]+[ *](inpoly_\w+)\(`)
)

// headerFields returns the names of the fields of each struct of a header.
func headerFields(header string) map[string][]string {
	out := map[string][]string{}
	for _, m := range structBody.FindAllStringSubmatch(comments.ReplaceAllString(header, ""), -1) {
		for _, f := range fieldName.FindAllStringSubmatch(m[2], -1) {
			out[m[1]] = append(out[m[1]], f[1])
		}
	}
	return out
}

func headerFunctions(header string) (names []string) {
	for _, m := range prototype.FindAllStringSubmatch(comments.ReplaceAllString(header, ""), -1) {
		names = append(names, m[1])
	}
	return names
}

// The recorded table has the fields of all structs of inpoly.h, and the newest version of the table or of
// libinpoly.map is the version of the header. A new field needs a new version and a row.
func TestStructTable(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("skipped: the table is for 64-bit systems")
	}
	header, table, newest := read(t, "inpoly.h"), readTable(t), 0
	names := headerFields(header)
	if len(names) != len(structs) || len(table) != len(structs) {
		t.Errorf("inpoly.h has %d structs, the table %d, this test %d", len(names), len(table), len(structs))
	}
	for name, kind := range structs {
		rows := table[name]
		var got []field
		for i := range kind.NumField() {
			if f := kind.Field(i); f.Name != "_" { // padding
				got = append(got, field{name: strings.TrimPrefix(f.Name, "_"), offset: f.Offset, size: f.Type.Size()})
			}
		}
		for i := range max(len(got), len(rows)) {
			var want field
			if i < len(rows) {
				want = rows[i]
				newest = max(newest, want.version)
				if i > 0 && want.version < rows[i-1].version {
					t.Errorf("%s.%s of version %d follows a field of version %d: add fields at the end", name, want.name, want.version, rows[i-1].version)
				}
				want.version = 0
			}
			switch {
			case i >= len(got):
				t.Errorf("%s.%s is in testdata/structs.tsv, but not in inpoly.h: a field cannot be removed", name, want.name)
			case got[i] != want:
				t.Errorf("inpoly.h has %q, testdata/structs.tsv has %q: bump INPOLY_ABI_VERSION, add a row at the end of the struct, and a size to olderSizes",
					row(name, got[i]), row(name, want))
			}
		}
		if got, want := len(names[name]), len(rows); got != want {
			t.Errorf("%s has %d fields in inpoly.h and %d in the table", name, got, want)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^INPOLY_(\d+) `).FindAllStringSubmatch(read(t, "libinpoly.map"), -1) {
		v, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		newest = max(newest, v)
	}
	if v := headerVersion(t, header); v != newest {
		t.Errorf("INPOLY_ABI_VERSION is %d, but the newest version in testdata/structs.tsv and libinpoly.map is %d", v, newest)
	}
}

// docs/c.md lists all functions and all versions.
func TestDocumented(t *testing.T) {
	header, page := read(t, "inpoly.h"), read(t, "../../docs/c.md")
	for _, name := range headerFunctions(header) {
		if !regexp.MustCompile(`(?m)^\|.*` + "`" + name + "`" + `.*\|.*\|$`).MatchString(page) {
			t.Errorf("the table of functions in docs/c.md does not have %s", name)
		}
	}
	for v := 1; v <= headerVersion(t, header); v++ {
		if !strings.Contains(page, fmt.Sprintf("\n| %d | ", v)) {
			t.Errorf("the table of versions in docs/c.md does not have version %d", v)
		}
	}
}

func row(name string, f field) string {
	return fmt.Sprintf("%s.%s: offset %d, size %d", name, f.name, f.offset, f.size)
}

// checkStruct accepts the size of every version, and refuses all other sizes up to today's.
func TestOlderSizes(t *testing.T) {
	table := readTable(t)
	for name, kind := range structs {
		var want []uintptr
		rows := table[name]
		for i := 1; i < len(rows); i++ {
			if rows[i].version > rows[i-1].version {
				f, ok := kind.FieldByName(rows[i].name)
				if !ok {
					t.Fatalf("%s has no field %s", name, rows[i].name)
				}
				want = append(want, f.Offset)
			}
		}
		if got := olderSizes(reflect.New(kind).Interface()); !slices.Equal(got, want) {
			t.Errorf("olderSizes of %s = %v, want %v", name, got, want)
		}
	}
}

// The kept headers of older versions have the fields that the table has for their versions, in the same order.
func TestOlderHeaders(t *testing.T) {
	table := readTable(t)
	for v := 1; v < headerVersion(t, read(t, "inpoly.h")); v++ {
		header := read(t, fmt.Sprintf("testdata/inpoly-%d.h", v))
		if got := headerVersion(t, header); got != v {
			t.Errorf("testdata/inpoly-%d.h has the version %d", v, got)
		}
		fields := headerFields(header)
		for name, rows := range table {
			var want []string
			for _, r := range rows {
				if r.version <= v {
					want = append(want, r.name)
				}
			}
			if !slices.Equal(fields[name], want) {
				t.Errorf("version %d: %s has the fields %q, and in the table %q", v, name, fields[name], want)
			}
		}
	}
}

// libinpoly.map lists every function of inpoly.h under the version that added it.
func TestSymbolVersions(t *testing.T) {
	header := read(t, "inpoly.h")
	want, newest := map[string]string{}, headerVersion(t, header)
	for v := newest; v >= 1; v-- {
		if v < newest {
			header = read(t, fmt.Sprintf("testdata/inpoly-%d.h", v))
		}
		for _, name := range headerFunctions(header) {
			want[name] = fmt.Sprintf("INPOLY_%d", v)
		}
	}
	if len(want) < 31 {
		t.Errorf("found only %d functions in inpoly.h", len(want))
	}
	if got := mapVersions(t); !reflect.DeepEqual(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("libinpoly.map has %s in version %q, want %q", name, got[name], want[name])
			}
		}
		for name := range got {
			if want[name] == "" {
				t.Errorf("libinpoly.map has %s, but inpoly.h does not", name)
			}
		}
	}
}

// mapVersions returns the version of each function of libinpoly.map.
func mapVersions(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	text := comments.ReplaceAllString(read(t, "libinpoly.map"), "")
	for _, node := range regexp.MustCompile(`(?s)(INPOLY_\d+) \{(.*?)\}`).FindAllStringSubmatch(text, -1) {
		for _, f := range regexp.MustCompile(`(inpoly_\w+);`).FindAllStringSubmatch(node[2], -1) {
			out[f[1]] = node[1]
		}
	}
	return out
}
