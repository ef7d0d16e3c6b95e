package points

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// lateText returns a text with a column id. The last cell of this column is lastID, and all other
// cells are numbers. The last row is far after the sample that decides the types of columns.
func lateText(lastID string) []byte {
	in := []byte("id,x,y,z\n")
	for i := range 1000 {
		in = fmt.Appendf(in, "%d,1,2,3\n", i+1)
	}
	return fmt.Appendf(in, "%s,1,2,3\n", lastID)
}

// TestLateTexts checks a numeric column whose last cell cannot be stored as a float64. Formats with
// types must reject this cell. CSV and JSON Lines must copy it. If Options.Text has the column,
// Parquet must also copy it.
func TestLateTexts(t *testing.T) {
	for _, id := range []string{"a7", "01234", "9007199254740993"} {
		in := lateText(id)
		for _, format := range []string{"npy", "ply", "las", "parquet"} {
			_, _, err := runJob(in, Options{}, Job{Answer: answerHalf, Format: format})
			want := "in: line 1002: column 1 (id): \"" + id + "\""
			if err == nil || !errors.Is(err, table.ErrCannotHold) || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ": take the column as text") {
				t.Errorf("%s to %s: %v", id, format, err)
			}
		}
		for format, cell := range map[string]string{"csv": id + ",", "jsonl": id} {
			out, _, err := runJob(bytes.ReplaceAll(in, []byte(","), []byte(";")), Options{}, Job{Answer: answerHalf, Format: format})
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if err != nil || !strings.Contains(lines[len(lines)-1], cell) {
				t.Errorf("%s to %s: %v, %q", id, format, err, lines[len(lines)-1])
			}
		}
		out, _, err := runJob(in, Options{Text: []string{"id"}}, Job{Answer: answerHalf, Format: "parquet"})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "in.parquet")
		if err := os.WriteFile(path, []byte(out), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var csv bytes.Buffer
		if _, err := (&Job{Answer: answerHalf, Format: "csv"}).Run(t.Context(), r, &csv); err != nil || csv.String() != string(in) {
			t.Errorf("%s by way of parquet: %v, %d bytes of %d", id, err, csv.Len(), len(in))
		}
	}
}

// TestTextIsOfTexts checks that Options.Text is an error for a format with types. It is also an
// error for a column of coordinates.
func TestTextIsOfTexts(t *testing.T) {
	npy := array{1, 4, make([]float64, 4)}.file("<f8", false)
	for _, c := range []struct {
		in   []byte
		text string
		want string
	}{
		{npy, "column_4", "in: columns column_4 cannot be read as text, because the format npy defines the types of its columns"},
		{csvRows(3, 1), "2", "in: column \"2\" has coordinates: it cannot be taken as text"},
	} {
		_, err := NewReader("in", bytes.NewReader(c.in), Options{Text: []string{c.text}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestWideRows checks that a conversion rejects a row with too many cells. Otherwise, the extra
// cells would be lost. A conversion that reads only points must also reject the row.
func TestWideRows(t *testing.T) {
	in := []byte("x,y,z\n1,2,3\n4,5,6,7.5\n")
	for _, format := range OutputFormats() {
		job := Job{Answer: answerHalf, Format: format}
		if format == "csv" {
			in = bytes.ReplaceAll(in, []byte(","), []byte(";")) // a text with commas would be copied instead of converted
		}
		_, _, err := runJob(in, Options{}, job)
		if want := "in: line 3: more than 3 columns: the cells of the others would be lost"; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", format, err, want)
		}
	}
}

// TestPointsOfArrays converts a text of three rows to an array with answers, and then reads the
// points of this array.
func TestPointsOfArrays(t *testing.T) {
	in := "id,x,y,z\n7,1,2,3\n8,4,5,6\n9,7,8,9\n"
	array, _, err := runJob([]byte(in), Options{}, Job{Columns: insideColumn, Answer: answerHalf, Format: "npy"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader("in", strings.NewReader(array), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Warnings(); len(got) != 1 || !strings.Contains(got[0], "three points") {
		t.Errorf("warnings %q", got)
	}
	got, err := readAll([]byte(array), Options{})
	want, _ := readAll([]byte(in), Options{})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("points %v, %v, want %v", got, err, want)
	}
}
