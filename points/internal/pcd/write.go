package pcd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// int32Name is the name of 32-bit integers in error messages.
const int32Name = "I of 4 bytes"

// parseInt parses a word as an integer of type t.
func parseInt(t table.Type, word []byte) (int64, bool) {
	s := strings.TrimPrefix(string(word), "+")
	if t >= table.Uint8 && t <= table.Uint64 {
		n, err := strconv.ParseUint(s, 10, 8*t.Size())
		return int64(n), err == nil
	}
	n, err := strconv.ParseInt(s, 10, 8*t.Size())
	if err != nil { // a writer can print an integer as 1e+02 or 5.0
		x, used, ok := decimal.Parse(word)
		limit := math.Ldexp(1, min(53, 8*t.Size()-1))
		ok = ok && used == len(word) && x == math.Trunc(x) && x < limit && x >= -limit
		if !ok {
			return 0, false
		}
		return int64(x), true
	}
	return n, true
}

var (
	_ table.HeaderPatcher = (*binaryPass)(nil)
	_ table.Resumer       = (*binaryPass)(nil)
	_ table.HeaderPatcher = (*textPass)(nil)
	_ table.Resumer       = (*textPass)(nil)
	_ table.HeaderPatcher = (*convert)(nil)
	_ table.Resumer       = (*convert)(nil)
)

// binaryPass copies binary points and appends the answers to each point.
type binaryPass struct {
	records.Counter
	records.Rows
}

// textPass copies the lines of points and appends the answers to each line.
type textPass struct {
	records.Counter
	src     *textSource
	answers pointio.Answers
}

func (k *textPass) answered() bool { return len(k.answers) > 0 || k.src.Rows() != k.src.head.points }

func (k *textPass) Begin(w io.Writer, rows int64) error {
	k.src.copyEnd = true
	return k.Counter.Begin(w, rows)
}

func (k *textPass) Resume(rows int64, state []byte) error {
	k.src.copyEnd = true
	return k.Counter.Resume(rows, state)
}

// End writes the white space after the last line.
func (k *textPass) End(w io.Writer) error {
	if err := k.Counter.End(w); err != nil || !k.src.atEnd {
		return err
	}
	return k.src.readEnd(w)
}

// Passthrough returns a sink that copies the points bit for bit. Compressed points are written as
// DATA binary.
func (s *binarySource) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := records.NewAnswers("pcd", s.Source.Fields(), cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return &binaryPass{s.head.counter(s.Rows(), list), records.Rows{Src: s, Records: s.Source, Answers: list, Int32: int32Name}}, nil
}

// Passthrough returns a sink that copies the lines byte for byte, and the white space after the last
// line.
func (s *textSource) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := records.NewAnswers("pcd", s.fields, cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return &textPass{s.head.counter(s.Rows(), list), s, list}, nil
}

// counter returns the Counter of a sink that writes up to rows points of h with the answers.
func (h *header) counter(rows int64, list pointio.Answers) records.Counter {
	return records.NewCounter("pcd", rows, func(count string, pad int) []byte { return h.with(count, pad, list) })
}

// shard is the beginning of a comment in a part of an organized cloud. The comment has WIDTH and
// HEIGHT of the whole cloud.
const shard = "# part of a cloud of WIDTH and HEIGHT "

// with returns the header with the given number of points, fields for the answers, and a comment if
// pad is not records.NoPad.
func (h *header) with(count string, pad int, list pointio.Answers) []byte {
	var out strings.Builder
	eol := h.eol()
	add := func(line string) { out.WriteString(line + eol) }
	organized := h.height != 1
	whole := pad == records.NoPad && count == strconv.FormatInt(h.points, 10)
	extra := map[string]string{}
	for _, a := range list {
		extra["FIELDS"] += " " + a.Name
		extra["SIZE"] += " " + strconv.Itoa(a.Type.Size())
		extra["TYPE"] += " " + typeOf(a.Type)
		extra["COUNT"] += " 1"
	}
	extra["COLUMNS"] = extra["FIELDS"]
	numbers, typed := 0, false
	for line := range strings.Lines(h.text) {
		w := strings.Fields(line)
		if len(w) > 0 && (w[0] == "WIDTH" || w[0] == "POINTS") {
			numbers++
		}
		typed = typed || len(w) > 0 && w[0] == "TYPE"
	}
	for line := range strings.Lines(h.text) {
		line = strings.TrimRight(line, "\r\n")
		w := strings.Fields(line)
		if len(w) == 0 || w[0][0] == '#' {
			add(line)
			continue
		}
		switch w[0] {
		case "FIELDS", "COLUMNS":
			for _, c := range records.Comments(list) {
				add("# " + c)
			}
			if pad != records.NoPad {
				add("# " + records.PadComment(max(1, numbers)*pad))
			} else if organized && !whole {
				add(shard + fmt.Sprintf("%d %d", h.width, h.height))
			}
			add(line + extra[w[0]])
			if !typed && len(list) > 0 {
				add("SIZE" + strings.Repeat(" 4", len(h.fields)) + extra["SIZE"])
				add("TYPE" + strings.Repeat(" F", len(h.fields)) + extra["TYPE"])
			}
		case "SIZE", "TYPE", "COUNT":
			add(line + extra[w[0]])
		case "WIDTH", "POINTS":
			if !whole {
				line = w[0] + " " + count
			}
			add(line)
		case "HEIGHT":
			if !whole {
				line = "HEIGHT 1"
			}
			add(line)
		case "DATA":
			if h.data == compressed {
				line = "DATA " + binary
			}
			add(line)
		default:
			add(line)
		}
	}
	return []byte(out.String())
}

// Joiner joins the headers of PCD files. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns heads[0] with the total number of points. If heads has all parts of an organized
// cloud, the result has WIDTH and HEIGHT of this cloud.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, err := readHeader(bufio.NewReader(bytes.NewReader(heads[0])))
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range rows {
		if n > math.MaxInt64-total {
			return nil, errors.New("pcd: the number of points exceeds int64")
		}
		total += n
	}
	var width, height int64
	pad, part, lines := records.NoPad, false, []string{}
	for line := range strings.Lines(h.text) {
		plain := strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(plain, shard); ok {
			if n, _ := fmt.Sscanf(rest, "%d %d", &width, &height); n == 2 {
				part = true
				continue
			}
		}
		if strings.TrimRight(plain, " ") == "# "+records.Padding {
			pad = 1
			continue
		}
		lines = append(lines, line)
	}
	if part && height > 0 && width == total/height && width*height == total {
		h.text = strings.Join(lines, "")
		h.text = replaceLine(h.text, "WIDTH", strconv.FormatInt(width, 10))
		h.text = replaceLine(h.text, "HEIGHT", strconv.FormatInt(height, 10))
		return []byte(replaceLine(h.text, "POINTS", strconv.FormatInt(total, 10))), nil
	}
	count := strconv.FormatInt(total, 10)
	if pad == records.NoPad {
		if total != h.points {
			h.points, h.height = -1, 1
		}
		return h.with(count, pad, nil), nil
	}
	const digits = 19
	h.text, h.height = strings.Join(lines, ""), 1
	return h.with(count, digits-len(count), nil), nil
}

// replaceLine replaces the value of a line of a header.
func replaceLine(text, key, value string) string {
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		if w := strings.Fields(line); len(w) > 0 && w[0] == key {
			lines[i] = key + " " + value + line[len(strings.TrimRight(line, "\r\n")):]
		}
	}
	return strings.Join(lines, "")
}

// convert writes any source as DATA binary.
type convert struct {
	records.Counter
	*records.Converter
}

// Convert returns a sink that writes src as a PCD file of DATA binary. The coordinates are named x, y
// and z. Blanks in names become underscores, and repeated names get a number as a suffix. Integers of
// 64 bits become F 8. A missing float becomes NaN. The sink is a table.HeaderPatcher and a
// table.Resumer.
//
// Convert and the sink return table.ErrCannotHold for an opaque field, a field of text, a column of
// words, a missing integer, and an integer of 64 bits that F 8 would round.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	c, err := records.NewConverter("pcd", int32Name, src, cols)
	if err != nil {
		return nil, err
	}
	h := &header{points: -1, height: 1, data: binary}
	fields, size, kind, count := "FIELDS", "SIZE", "TYPE", "COUNT"
	for _, col := range c.Columns {
		fields += " " + col.Name
		size += " " + strconv.Itoa(col.Store.Size())
		kind += " " + typeOf(col.Store)
		count += " 1"
	}
	h.text = "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n" + fields + "\n" + size + "\n" + kind + "\n" + count +
		"\nWIDTH 0\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 0\nDATA binary\n"
	return &convert{h.counter(src.Rows(), c.Answers), c}, nil
}
