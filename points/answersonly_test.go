package points

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// numbered answers each row with its side, its number times 0.5, and a label that is empty for even rows.
var numbered = []table.Column{
	{Name: "state", Kind: table.State}, {Name: "half", Kind: table.Number}, {Name: "body", Kind: table.Label, Labels: []string{"", "b,1"}},
}

func answerNumbered(ctx context.Context, b *table.Block) error {
	if err := answerHalf(ctx, b); err != nil {
		return err
	}
	half, body := make([]float64, len(b.Points)), make([]int64, len(b.Points))
	for k := range half {
		n := b.First + int64(k)
		half[k], body[k] = float64(n)/2, n%2
	}
	b.Numbers, b.Integers = [][]float64{half}, [][]int64{body}
	return nil
}

// The answers without the fields are the last columns of the output with the fields.
func TestAnswersOnly(t *testing.T) {
	in := csvRows(1000, 4)
	columns := func(format string, only bool) [][]string {
		t.Helper()
		out, _, err := runJob(in, Options{block: 300}, Job{Columns: numbered, Answer: answerNumbered, Format: format, AnswersOnly: only})
		if err != nil {
			t.Fatal(format, err)
		}
		if format != "csv" {
			return [][]string{{out}}
		}
		var rows [][]string
		for line := range strings.Lines(out) {
			row := strings.SplitN(strings.TrimSuffix(line, "\n"), ",", 5)
			if only {
				row = strings.SplitN(strings.TrimSuffix(line, "\n"), ",", 3)
			}
			rows = append(rows, row)
		}
		return rows
	}
	all, answers := columns("csv", false), columns("csv", true)
	if len(all) != 1001 || len(answers) != len(all) {
		t.Fatalf("%d and %d lines", len(all), len(answers))
	}
	for i := range all {
		if a, b := strings.Join(all[i], ","), strings.Join(answers[i], ","); !strings.HasSuffix(a, ","+b) || strings.Count(a, ",") < 5 {
			t.Fatalf("line %d: %q, with the fields %q", i+1, b, a)
		}
	}
	if text := columns("jsonl", true)[0][0]; strings.Count(text, "\n") != 1000 || !strings.Contains(text, `{"state":"`) || strings.Contains(text, `"x"`) {
		t.Errorf("JSON Lines begin with %.100q", text)
	}
}

// An array has a field of one byte for a side, also in shards, whose headers can be joined.
func TestAnswersOnlyArrays(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, cloudCSV(5000), 0o666); err != nil {
		t.Fatal(err)
	}
	job := Job{Columns: insideColumn, Answer: answerHalf, Format: "npy", AnswersOnly: true}
	run := func(opt Options) (head, rows []byte) {
		out, sum := convertFile(t, csv, opt, job)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		n := len(data) - int(sum.Kept)
		if n < 64 || n%64 != 0 {
			t.Fatalf("a header of %d bytes before %d bytes of answers", n, sum.Kept)
		}
		return data[:n], data[n:]
	}
	head, whole := run(Options{})
	if want := "{'descr': [('inside', '|u1')], 'fortran_order': False, 'shape': (5000,), }"; !bytes.Contains(head, []byte(want)) {
		t.Errorf("header %q, want %q", head, want)
	}
	inside := bytes.Count(whole, []byte{1})
	if inside == 0 || inside+bytes.Count(whole, []byte{0})+bytes.Count(whole, []byte{255}) != 5000 {
		t.Errorf("%d points are inside; other bytes than 0, 1 and 255", inside)
	}
	var heads [][]byte
	var rows []int64
	var joined []byte
	for i := range 3 {
		h, r := run(Options{Shard: i + 1, Shards: 3})
		heads, rows, joined = append(heads, h), append(rows, int64(len(r))), append(joined, r...)
	}
	joiner, _ := Joiner("npy")
	if got, err := joiner.JoinHeads(heads, rows); err != nil || !bytes.Contains(got, []byte("'shape': (5000,)")) || !bytes.Equal(joined, whole) {
		t.Errorf("%v: header %q; rows are equal: %v", err, got, bytes.Equal(joined, whole))
	}
}

// A line of CSV without text would be no row.
func TestAnswersOnlyEmptyLabel(t *testing.T) {
	column := []table.Column{numbered[2]}
	out, _, err := runJob([]byte("1,2,3\n4,5,6\n"), Options{}, Job{Columns: column, Answer: answerNumbered, Format: "csv", AnswersOnly: true})
	if want := "body\n\"b,1\"\n\"\"\n"; err != nil || out != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

func TestAnswersOnlyRefuses(t *testing.T) {
	in := []byte("1,2,3\n")
	for _, format := range []string{"ply", "las", "laz", "pcd", "", "text"} {
		_, _, err := runJob(in, Options{}, Job{Columns: insideColumn, Answer: answerHalf, Format: format, AnswersOnly: true})
		if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(fmt.Sprint(err), "need csv, npy, parquet or jsonl") {
			t.Errorf("%q: %v", format, err)
		}
	}
	if _, _, err := runJob(in, Options{}, Job{Answer: answerHalf, Format: "csv", AnswersOnly: true}); err == nil {
		t.Error("no error without columns")
	}
}
