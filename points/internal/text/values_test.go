package text

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// TestFields checks the names and types of fields. The types depend on the sample.
func TestFields(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1,2,3\n", "x float64 y float64 z float64"},
		{"a 1 2 3 4\n", "column_1 text x float64 y float64 z float64 column_5 float64"},
		{"x,y,z\n", "x float64 y float64 z float64"},
		{"id,x,y,z,t,u,v\nA,1,2,3,,4,NA\n7,1,2,3,b,-,nan\n", "id text x float64 y float64 z float64 t text u float64 v float64"},
		{"x,y,z,e\n1,2,3,\n1,2,3,NA\n", "x float64 y float64 z float64 e text"},
		{"x;y;z;w\n1,5;2;3;4\n", "x float64 y float64 z float64 w float64"},
		{"x y z a a a_2\n1 2 3 4 5 6\n", "x float64 y float64 z float64 a float64 a_3 float64 a_2 float64"},
		{"zip,x,y,z,d,e\n01234,01,2,3,0.5,-01\n94110,1,2,3,0,+02\n", "zip text x float64 y float64 z float64 d float64 e float64"},
		{"x;y;z;t;u\n1,5;2;3;00,5;0,5\n", "x float64 y float64 z float64 t text u float64"},
		{"\"x\" \"y\" \"z\"\n\"a\" 1 2 3\n", "column_1 text x float64 y float64 z float64"},
	} {
		src, err := New("in", strings.NewReader(c.in), nil, -1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range src.Fields() {
			got = append(got, f.Name, f.Type.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.in, s, c.want)
		}
	}
}

// checkValues parses the input text and compares the cells that Values returns with the results of
// Layout.fields.
func checkValues(t *testing.T, in []byte, block int) {
	t.Helper()
	src, err := New("in", bytes.NewReader(in), nil, -1, Options{Block: block})
	if err != nil {
		t.Fatal(err)
	}
	var b table.Block
	var v table.Values
	for src.Fill(&b) == nil {
		if err := src.Parse(&b); err != nil {
			t.Fatal(err)
		}
		r := rowsOf(&b)
		n := len(src.table)
		tooMany, extra := false, false
		rows := make([][][]byte, len(r.starts))
		for k := range rows {
			rows[k] = src.fields(b.Raw[r.starts[k]:r.ends[k]], nil)
			extra = extra || len(rows[k]) > n
			for _, f := range rows[k][min(n, len(rows[k])):] {
				tooMany = tooMany || len(f) > 0
			}
		}
		for field := range n {
			wrong := tooMany
			for _, row := range rows {
				if field < len(row) && src.table[field].Type == table.Float64 {
					wrong = wrong || wrongNumber(src, row[field], field)
				}
			}
			err := src.Values(&b, field, &v)
			if wrong != (err != nil) && !(extra && err != nil) {
				// If a row has extra cells, an error is always allowed: Values fails for an extra
				// cell such as "", which is empty in rows.
				t.Fatalf("%q: column %d: error %v, want one: %v", in, field, err, wrong)
			}
			if err != nil {
				var row *table.RowError
				if !errors.As(err, &row) {
					t.Fatalf("%q: %v is no table.RowError", in, err)
				}
				continue
			}
			for k, row := range rows {
				checkCell(t, src, row, field, &v, k)
			}
		}
	}
}

// wrongNumber is a simple version of Source.float. It reports whether Values must fail for a cell.
func wrongNumber(src *Source, cell []byte, field int) bool {
	text := string(cell)
	if exact, ok := new(big.Int).SetString(text, 10); ok && !strings.Contains(text, "_") {
		x, _ := new(big.Float).SetInt(exact).Float64()
		if back := new(big.Float).SetFloat64(x); back.IsInf() || back.Cmp(new(big.Float).SetInt(exact)) != 0 {
			return true
		}
	}
	zero := len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9'
	if zero && field != src.Columns[0] && field != src.Columns[1] && field != src.Columns[2] {
		return true
	}
	return !src.isNumber(cell) && !isMissing(cell)
}

// checkCell compares cell k of v with row[field]. If row is too short, the cell must be missing.
func checkCell(t *testing.T, src *Source, row [][]byte, field int, v *table.Values, k int) {
	t.Helper()
	var want []byte
	missing := field >= len(row)
	if !missing {
		want = row[field]
	}
	if v.Type == table.Float64 {
		x := math.NaN()
		if src.isNumber(want) {
			x, _, _ = src.parse(want)
		} else {
			missing = true
		}
		if got := v.Floats[k]; math.Float64bits(got) != math.Float64bits(x) && (got == got || x == x) {
			t.Fatalf("cell %q is %v, want %v", want, got, x)
		}
	}
	if !bytes.Equal(v.Texts[k], want) || missing != (len(v.Missing) > 0 && v.Missing[k]) {
		t.Fatalf("cell %q, missing %v; want %q, %v", v.Texts[k], v.Missing, want, missing)
	}
}

func TestValues(t *testing.T) {
	for _, in := range []string{
		"x,y,z,t\n1,2,3,\"a,\"\"b\"\"\"\n\n#c\n4,5,,\r\n7,8,9\n1,2,3,\"\"\n",
		"x;y;z;w\n1,5;2;\" 3 \";NA\n1;2;3;4,25\n",
		" 1\t2 3  \"a b\" \n4 5 6 c\r\n",
		"x|y|z|t\n1|2|3| a \n1|2|3|\"a\"b\"\n",
		"1,2,3,4\n1,2,3,a\n", "1,2,3\n1,2,3,,\n1,2,3,,4x\n",
		"x,y,z,t\n1,2,3,9007199254740993\n", "x,y,z,t\n1,2,3,-9007199254740992\n", "x,y,z,t\n1,2,+9007199254740993,4\n",
		"x,y,z,t\n1,2,3,9007199254740993.0\n", "x,y,z,t\n1,2,3,1" + strings.Repeat("0", 22) + "\n", "x,y,z,t\n1,2,3,1" + strings.Repeat("0", 23) + "\n",
		"x,y,z,t\n1,2,3,1" + strings.Repeat("0", 309) + "\n", "01,02,03,0\n",
		"x,y,z,t\n" + strings.Repeat("1,2,3,4\n", sampleRows) + "1,2,3,04\n",
		"x;y;z;t\n" + strings.Repeat("1,5;2;3;4\n", sampleRows) + "01;2;3;00,5\n",
	} {
		for _, block := range []int{1, 0} {
			checkValues(t, []byte(in), block)
		}
	}
}

// typed is a sink whose Format reads the values of all fields.
type typed struct {
	table.Sink
	src *Source
}

func (s typed) Format(b *table.Block) error {
	var v table.Values
	for i := range s.src.Fields() {
		if err := s.src.Values(b, i, &v); err != nil {
			return err
		}
	}
	return nil
}

// TestValuesErrors checks the error for a cell whose text cannot be restored from a number. The
// error has the line, the column and advice.
func TestValuesErrors(t *testing.T) {
	front := "x,y,z,w\n" + strings.Repeat("1,2,3,4\n", sampleRows)
	for _, c := range []struct{ in, want string }{
		{front + "1,2,3,a\n", "in: line 202: column 4 (w): \"a\" is not a number, unlike the cells at the beginning of the file: take the column as text"},
		{front + "1,2,3,04\n", "in: line 202: column 4 (w): \"04\" begins with a zero, which is lost in a number: take the column as text"},
		{front + "1,2,3,-9007199254740993\n", "in: line 202: column 4 (w): \"-9007199254740993\" would be rounded by float64: take the column as text"},
		{front + "1,9007199254740993,3,4\n", "in: line 202: column 2 (y): \"9007199254740993\" would be rounded by float64: use csv or jsonl"},
		{front + "1,2,3,4,5x\n", "in: line 202: more than 4 columns: the cells of the others would be lost"},
	} {
		_, _, err := files.Stream([]byte(c.in), Options{}, nil, func(s *Source) (table.Sink, error) {
			sink, err := Convert(s, nil)
			return typed{sink, s}, err
		})
		var row *table.RowError
		if err == nil || err.Error() != c.want || !errors.As(err, &row) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if hint := strings.HasPrefix(row.Hint, "--text w copies the column as text"); hint != strings.HasSuffix(c.want, "take the column as text") {
			t.Errorf("%v: hint %q", err, row.Hint)
		}
		if lost := strings.Contains(c.want, "more than"); errors.Is(err, table.ErrCannotHold) == lost {
			t.Errorf("%v wraps %v", err, errors.Unwrap(err))
		}
	}
}

// TestFlagName checks which columns a hint names, and for which it gives the number.
func TestFlagName(t *testing.T) {
	s := &Source{table: []table.Field{{Name: "id"}, {Name: "a b"}, {Name: "7"}, {Name: ""}, {Name: "x_2"}, {Name: "W"}, {Name: "w"}, {Name: "größe"}}}
	for field, want := range []string{"id", "2", "3", "4", "x_2", "6", "7", "8"} {
		if got := s.flagName(field); got != want {
			t.Errorf("column %q: got %s, want %s", s.table[field].Name, got, want)
		}
	}
}

// TestComplete checks that Complete reports rows that are too wide, unless the extra cells are
// empty.
func TestComplete(t *testing.T) {
	for in, want := range map[string]string{
		"1,2,3\n4,5,6,,\n4,5\t,6\n": "", "1,2,3,4\n4,5,6\n": "",
		"1,2,3\n4,5,6,7.5\n": "in: line 2: more than 3 columns: the cells of the others would be lost",
	} {
		src, err := New("in", strings.NewReader(in), nil, -1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		if err := src.Fill(&b); err != nil {
			t.Fatal(err)
		}
		if err := src.Parse(&b); err != nil {
			t.Fatal(err)
		}
		if err := pointio.CheckComplete(src, &b); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// TestConvertKeeps checks that a conversion from text to text copies cells that do not have the
// type of their column.
func TestConvertKeeps(t *testing.T) {
	var in, want strings.Builder
	row := func(cells string, quoted string) {
		in.WriteString("0,5;2;3;" + cells + "\n")
		want.WriteString("0.5,2,3," + quoted + "\n")
	}
	in.WriteString("x;y;z;w\n")
	want.WriteString("x,y,z,w\n")
	for range sampleRows {
		row("4,5", "4.5")
	}
	for _, c := range [][2]string{{"a", "a"}, {"a,b", "\"a,b\""}, {"01234", "01234"}, {"00,5", "\"00,5\""}, {"9007199254740993", "9007199254740993"}, {"nan", "nan"}, {"NA", "NA"}, {"", ""}, {"5,50", "5.5"}} {
		row(c[0], c[1])
	}
	got, _, err := files.Stream([]byte(in.String()), Options{}, nil, func(s *Source) (table.Sink, error) { return Convert(s, nil) })
	if tail := want.String(); err != nil || got != tail {
		t.Errorf("%v, got …%q\nwant …%q", err, got[max(0, len(got)-150):], tail[len(tail)-150:])
	}
}

// TestTakeAsText checks that the columns of Options.Text have the type Text.
func TestTakeAsText(t *testing.T) {
	const in = "ID,x,y,z,2,,b\n9007199254740993,1,2,3,4,5,6\n"
	for _, c := range []struct {
		text []string
		want string // expected types of the columns, or expected error
	}{
		{nil, "2222222"},
		{[]string{"id", "7"}, "0222220"},
		{[]string{"2", "column_6"}, "2222002"},
		{[]string{"ID", "1", "id"}, "0222222"},
		{[]string{"x"}, "in: column \"x\" has coordinates: it cannot be taken as text"},
		{[]string{"b", "3"}, "in: column \"3\" has coordinates: it cannot be taken as text"},
		{[]string{"c"}, "in: no column \"c\" to take as text: the columns are ID, x, y, z, 2, column_6, b"},
		{[]string{"8"}, "in: no column \"8\" to take as text: the columns are ID, x, y, z, 2, column_6, b"},
		{[]string{"0"}, "in: no column \"0\" to take as text: the columns are ID, x, y, z, 2, column_6, b"},
	} {
		src, err := New("in", strings.NewReader(in), nil, -1, Options{Text: c.text})
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
			continue
		}
		got := ""
		for _, f := range src.Fields() {
			got += map[table.Type]string{table.Text: "0", table.Float64: "2"}[f.Type]
		}
		if got != c.want {
			t.Errorf("%q: types %s, want %s", c.text, got, c.want)
		}
		if got[0] == '0' {
			checkText0(t, src, "9007199254740993")
		}
	}
}

// checkText0 checks the text of the first cell of column 0.
func checkText0(t *testing.T, src *Source, want string) {
	t.Helper()
	var b table.Block
	var v table.Values
	if err := src.Fill(&b); err != nil {
		t.Fatal(err)
	}
	err := src.Parse(&b)
	if err == nil {
		err = src.Values(&b, 0, &v)
	}
	if err != nil || v.Type != table.Text || string(v.Texts[0]) != want {
		t.Errorf("%q, %v", v.Texts, err)
	}
}

// TestDrop checks that dropped rows disappear with their line ends, and that all other bytes stay.
func TestDrop(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for round := range 200 {
		end := []string{"\n", "\r\n"}[round%2]
		var in, want strings.Builder
		in.WriteString("x;y;z;t" + end)
		want.WriteString("x;y;z;t;inside" + end)
		for k := range 1 + r.IntN(30) {
			if r.IntN(5) == 0 {
				odd := []string{"# c" + end, end, "  " + end}[r.IntN(3)]
				in.WriteString(odd)
				want.WriteString(odd)
			}
			row := fmt.Sprintf("%d;1;2;\"a%s\"", k, []string{"", end, ";"}[r.IntN(3)])
			in.WriteString(row + end)
			if k%3 == 0 {
				want.WriteString(row + ";1" + end)
			}
		}
		in.WriteString("9;1;2;t")
		want.WriteString("9;1;2;t;1")
		for _, block := range []int{1, 40, 0} {
			got, _, err := files.Stream([]byte(in.String()), Options{Block: block}, insideColumn, func(s *Source) (table.Sink, error) {
				sink, err := s.Passthrough(insideColumn)
				return dropping{sink}, err
			})
			if err != nil || got != want.String() {
				t.Fatalf("block %d: %q\ngot  %q, %v\nwant %q", block, in.String(), got, err, want.String())
			}
		}
	}
}

// dropping is a sink that drops the rows whose x is not a multiple of three.
type dropping struct{ table.Sink }

func (d dropping) Format(b *table.Block) error {
	drop := b.EnableDrop()
	for k, p := range b.Points {
		drop[k] = math.Mod(p.X, 3) != 0
	}
	return d.Sink.Format(b)
}

// TestAnswerKinds writes answers of all kinds except Inside and State.
func TestAnswerKinds(t *testing.T) {
	cols := []table.Column{
		{Name: "n", Kind: table.Integer}, {Name: "l", Kind: table.Label, Labels: []string{"a b", "c,d"}},
		{Name: "w s", Kind: table.Words}, {Name: "q", Kind: table.Number}, {Name: "b", Kind: table.Bound},
	}
	for _, c := range []struct{ in, want string }{
		{"x,y,z\n1,2,3\n1,2,3\n1,2,3\n", "x,y,z,n,l,w s,q,b\n1,2,3,-1,,a 0,1,2\n1,2,3,0,a b,a 1,1,2\n1,2,3,1,\"c,d\",a 2,1,2\n"},
		{"x y z\n1.5 2 3\n1 2 3\n", "x y z n l \"w s\" q b\n1.5 2 3 -1 - \"a 0\" 1.5 2.5\n1 2 3 0 \"a b\" \"a 1\" 1 2\n"},
		{"x;y;z\n1,5;2;3\n", "x;y;z;n;l;w s;q;b\n1,5;2;3;-1;;a 0;1,5;2,5\n"},
	} {
		got, _, err := files.Run([]byte(c.in), Options{}, cols)
		if err != nil || got != c.want {
			t.Errorf("%q:\ngot  %q, %v\nwant %q", c.in, got, err, c.want)
		}
	}
}

// TestSeek calls SeekTo with the position after each block, for a file and for a stream. The rows
// after this position must be the same as without SeekTo.
func TestSeek(t *testing.T) {
	in := []byte("x,y,z,t\n1,2,3,\"a\nb\"\n# c\n\n4,5,6,\n7,8,9,u\n1,2,3,v\nbad,1,2,3")
	for _, file := range []bool{false, true} {
		open := func() *Source {
			src, err := New("in", bytes.NewReader(in), bytes.NewReader(in), int64(len(in)), Options{Block: 1})
			if !file {
				src, err = New("in", bytes.NewReader(in), nil, -1, Options{Block: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			return src
		}
		// rest returns the remaining rows of src.
		rest := func(src *Source) (s string) {
			var b table.Block
			for {
				err := src.Fill(&b)
				if err == nil {
					err = src.Parse(&b)
				}
				if err != nil {
					return s + err.Error()
				}
				s += fmt.Sprintln(b.First, b.Points, b.Next, string(b.Raw))
			}
		}
		var b table.Block
		src := open()
		blocks := 0
		for src.Fill(&b) == nil {
			blocks++
			again := open()
			if err := again.SeekTo(b.Next); err != nil {
				t.Fatal(err)
			}
			reference := open()
			var skip table.Block
			for range blocks {
				if err := reference.Fill(&skip); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := rest(again), rest(reference); got != want {
				t.Errorf("file %v, from %v:\ngot  %q\nwant %q", file, b.Next, got, want)
			}
		}
		if blocks < 5 {
			t.Errorf("%d blocks", blocks)
		}
		if err := open().SeekTo(table.Position{Offset: 1 << 40}); file == (err != nil) {
			t.Errorf("file %v: beyond the end: %v", file, err)
		}
	}
}

// TestBytes checks that the concatenated outputs of adjacent byte ranges equal the output of the
// whole text.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var in bytes.Buffer
	in.WriteString("x,y,z,t\r\n")
	for i := range 300 {
		fmt.Fprintf(&in, "%d,2,%d,\"a\n%d\"\r\n", i-150, i, i)
	}
	want, _, err := files.Run(in.Bytes(), Options{}, insideColumn)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		var got strings.Builder
		for from := int64(0); from < int64(in.Len()); {
			to := from + 1 + r.Int64N(int64(in.Len()))
			part, _, err := files.Run(in.Bytes(), Options{Bytes: [2]int64{from, to}, Block: 1 + r.IntN(100)}, insideColumn)
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(part)
			from = to
		}
		if got.String() != want {
			t.Fatalf("parts give %d bytes, the whole %d", got.Len(), len(want))
		}
	}
	for _, opt := range []Options{{Bytes: [2]int64{-1, 5}}, {Bytes: [2]int64{5, 4}}, {Bytes: [2]int64{0, 5}, Shard: 1, Shards: 2}} {
		if _, _, err := files.Run(in.Bytes(), opt, insideColumn); err == nil {
			t.Errorf("%+v is accepted", opt)
		}
	}
}

// TestConvert converts clouds with fields of every type to text. It then reads the text with
// encoding/csv and strconv.
func TestConvert(t *testing.T) {
	for seed := range uint64(40) {
		c := testcloud.Random(seed, 200, true)
		delimiter := ",;\t|"[seed%4]
		cols := []table.Column{{Name: "x", Kind: table.Inside}, {Name: "w", Kind: table.Words}}
		sink, err := Convert(c, cols)
		if err != nil {
			t.Fatal(err)
		}
		sink.(*converter).write = answerWriter{appended: delimiter, delimiter: delimiter}
		out, err := c.Stream(sink, cols, testcloud.Half)
		if err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(bytes.NewReader(out))
		r.Comma = rune(delimiter)
		r.FieldsPerRecord = len(c.Columns) + 2
		for k := -1; ; k++ {
			row, err := r.Read()
			if err == io.EOF {
				if k != c.N {
					t.Fatalf("%d rows of %d", k, c.N)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range c.Columns {
				switch {
				case k < 0 && row[i] != f.Name:
					t.Fatalf("header %q, want %q", row[i], f.Name)
				case k >= 0:
					checkText(t, &c.Cells[i], k, row[i])
				}
			}
		}
		if names := strings.Split(string(out[:bytes.IndexByte(out, '\n')]), string(delimiter)); names[len(names)-2] != "x_2" {
			t.Errorf("answer column %q, want x_2", names[len(names)-2])
		}
		// Package text must read the same points from the output.
		pts, err := files.Points(out, Options{})
		if err != nil || len(pts) != c.N {
			t.Fatalf("%d points of %d, %v", len(pts), c.N, err)
		}
		for k, p := range pts {
			if p.X != c.Cells[0].Floats[k] || p.Z != c.Cells[2].Floats[k] {
				t.Fatalf("row %d has %v", k, p)
			}
		}
	}
}

// checkText compares a cell of a text with value k of v.
func checkText(t *testing.T, v *table.Values, k int, got string) {
	t.Helper()
	if v.Missing != nil && v.Missing[k] && v.Type != table.Text {
		if got != "" {
			t.Fatalf("missing %v is %q", v.Type, got)
		}
		return
	}
	var ok bool
	switch {
	case v.Type == table.Text:
		ok = got == string(v.Texts[k])
	case v.Type.IsFloat():
		bits := 8 * v.Type.Size()
		x, err := strconv.ParseFloat(got, bits)
		want := v.Floats[k]
		same := x == want && math.Signbit(x) == math.Signbit(want) && significant(got) == significant(strconv.FormatFloat(want, 'e', -1, bits))
		ok = err == nil && (same || x != x && want != want)
	case v.Type == table.Uint64:
		ok = got == strconv.FormatUint(uint64(v.Ints[k]), 10)
	default:
		ok = got == strconv.FormatInt(v.Ints[k], 10)
	}
	if !ok {
		t.Fatalf("%v cell is %q", v.Type, got)
	}
}

// TestConvertText converts texts with other delimiters to CSV. In the cells, only the decimal
// commas must change.
func TestConvertText(t *testing.T) {
	in := "id;x;y;z;t;n\n\"a;b\";1,50;+2;,5;c,d;NA\n# gone\n\"q\"\"r\";1e3;-;nan;;7,0\n"
	want := "id,x,y,z,t,n,inside\na;b,1.5,+2,0.5,\"c,d\",NA,1\n\"q\"\"r\",1e3,-,nan,,7,uncertain\n"
	got, _, err := files.Stream([]byte(in), Options{}, insideColumn, func(s *Source) (table.Sink, error) { return Convert(s, insideColumn) })
	if err != nil || got != want {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
}

// TestSinksResume checks that the sinks of package text can resume without state.
func TestSinksResume(t *testing.T) {
	src, err := New("in", strings.NewReader("1,2,3\n"), nil, -1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := src.Passthrough(nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Convert(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sink := range []table.Sink{same, other} {
		r, ok := sink.(table.Resumer)
		if !ok {
			t.Fatalf("%T is no Resumer", sink)
		}
		state, err := r.State()
		if err != nil || r.Resume(-1, state) != nil {
			t.Errorf("%T: %v", sink, err)
		}
	}
	if src.Axes() != ([3]int{0, 1, 2}) || src.Rows() != -1 || src.Format() != "text" {
		t.Errorf("axes %v, %d rows, format %s", src.Axes(), src.Rows(), src.Format())
	}
}

// significant removes the sign, the point, the exponent, and leading and trailing zeros from a
// number.
func significant(number string) string {
	digits, _, _ := strings.Cut(strings.TrimLeft(number, "+-"), "e")
	return strings.Trim(strings.ReplaceAll(digits, ".", ""), "0")
}
