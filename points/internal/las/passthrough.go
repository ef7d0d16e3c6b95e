package las

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*same)(nil)

// same passes a source through and appends answers. It implements table.HeaderPatcher and
// table.Resumer.
type same struct {
	src     *Source
	answers pointio.Answers
	size    int    // bytes of the answers
	raw     []byte // header and records of the output, if it has all points
	rows    int64  // as Begin was told, −1 if not known
	sum     tally
}

// Passthrough implements table.Source. The sink reads what follows the points from the source,
// so that only one of its sinks may begin, before Fill comes to the end. It is a
// table.HeaderPatcher and a table.Resumer. Where points are left out, by dropping or by a shard, counts, returns and box of the
// header are of those that are left, which only the end tells; otherwise the header keeps
// what it says.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := answers(s.fields, cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	k := &same{src: s, answers: list, size: list.Size(), sum: noTally(), rows: -1}
	if k.raw, err = s.extend(list); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	return k, nil
}

// extend returns header and records with the extra bytes of list.
func (s *Source) extend(list pointio.Answers) ([]byte, error) {
	h := s.head
	raw := slices.Clone(h.raw)
	if len(list) == 0 {
		return raw, nil
	}
	size := list.Size()
	if h.record+size > maxRecordBytes {
		return nil, fmt.Errorf("points of %d bytes: las: %w: at most %d", h.record+size, table.ErrCannotHold, maxRecordBytes)
	}
	descriptors, labels, more, err := describeAnswers(list)
	if err != nil {
		return nil, err
	}
	var fill []byte // descriptors of bytes that nothing describes
	for rest := s.rest; rest > 0; rest -= min(rest, math.MaxUint8) {
		d := newDescriptor(0, "undocumented")
		d[atOptions] = byte(min(rest, math.MaxUint8))
		fill = append(fill, d...)
	}
	descriptors = append(fill, descriptors...)
	old := h.described()
	length := len(descriptors)
	if old != nil {
		length += old.length
	}
	if length > math.MaxUint16 {
		return nil, fmt.Errorf("%d descriptions of extra bytes: las: %w: at most %d", length/descriptor, table.ErrCannotHold, math.MaxUint16/descriptor)
	}
	if old == nil {
		labels = append(appendRecord(nil, specUser, extraID, "extra bytes", descriptors), labels...)
		more++
	}
	raw = slices.Insert(raw, h.recordsEnd, labels...)
	if old != nil {
		le.PutUint16(raw[old.at+20:], uint16(length))
		raw = slices.Insert(raw, old.at+recordHead+old.length, descriptors...)
	}
	le.PutUint32(raw[atRecords:], uint32(len(h.records)+more))
	le.PutUint32(raw[atPoints:], uint32(len(raw))) // at most maxHead and some records
	le.PutUint16(raw[atRecord:], uint16(h.record+size))
	return raw, nil
}

// header returns header and records for n points; t says which they are, nil if that is
// not known.
func (k *same) header(n int64, t *tally) []byte {
	h := k.src.head
	raw := slices.Clone(k.raw)
	if n != h.count {
		setCount(raw, n)
		if t == nil {
			t = &tally{Count: n}
			box := slices.Clone(raw[atBox:atWaves])
			setTally(raw, t)
			copy(raw[atBox:atWaves], box)
		} else {
			setTally(raw, t)
		}
	}
	// What is behind the points moves with their end.
	shift := int64(len(raw)) + n*int64(h.record+k.size) - h.end()
	for _, at := range h.places() {
		le.PutUint64(raw[at:], uint64(int64(le.Uint64(raw[at:]))+shift))
	}
	return raw
}

// places are the fields of the header with places behind the points.
func (h *head) places() []int {
	var list []int
	if h.tail == 0 {
		return nil
	}
	if waves := atWaves; h.minor >= 3 && int64(le.Uint64(h.raw[waves:])) >= h.end() {
		list = append(list, waves)
	}
	if h.minor >= 4 && int64(le.Uint64(h.raw[atExtended:])) >= h.end() {
		list = append(list, atExtended)
	}
	return list
}

// NeedsPatch implements table.HeaderPatcher. The returns and the box of a shard are known
// only at its end.
func (k *same) NeedsPatch(rows int64) bool { return rows < 0 || !k.src.whole() }

// Begin implements table.Sink. A shard's header has no returns yet, and the box of the
// whole.
func (k *same) Begin(w io.Writer, rows int64) error {
	k.take(rows)
	_, err := w.Write(k.begun())
	return err
}

// take tells the source that k passes on what follows the points.
func (k *same) take(rows int64) {
	k.rows = rows
	k.src.same, k.src.longer = true, len(k.answers) > 0
}

// begun returns what Begin writes.
func (k *same) begun() []byte {
	if k.rows < 0 {
		return k.header(k.src.Rows(), nil)
	}
	return k.header(k.rows, nil)
}

// Format implements table.Sink.
func (k *same) Format(b *table.Block) error {
	if err := k.answers.Check(k.src, b, "las", "int32"); err != nil {
		return fmt.Errorf("%s: %w", k.src.file, err)
	}
	row := k.src.head.record
	k.answers.FormatRows(b, row, false)
	t, ok := b.Sink.(*tally)
	if !ok {
		t = new(tally)
		b.Sink = t
	}
	*t = noTally()
	t.points(b.Out, row+k.size, returnMask(k.src.head.format))
	return nil
}

// Write implements table.Sink.
func (k *same) Write(w io.Writer, b *table.Block) error {
	k.sum.add(b.Sink.(*tally))
	_, err := w.Write(b.Out)
	return err
}

// End implements table.Sink: the extended records.
func (k *same) End(w io.Writer) error {
	if k.rows >= 0 && k.rows != k.sum.Count {
		return fmt.Errorf("%s: %d points were written, but the header says %d", k.src.file, k.sum.Count, k.rows)
	}
	return k.src.after(w)
}

// FinalHeader implements table.HeaderPatcher.
func (k *same) FinalHeader() []byte {
	head := k.header(k.sum.Count, &k.sum)
	if bytes.Equal(head, k.begun()) {
		return nil
	}
	return head
}

// State implements table.Resumer.
func (k *same) State() ([]byte, error) { return json.Marshal(&k.sum) }

// Resume implements table.Resumer.
func (k *same) Resume(rows int64, state []byte) error {
	k.take(rows)
	if err := json.Unmarshal(state, &k.sum); err != nil {
		return fmt.Errorf("las: state of an earlier run: %w", err)
	}
	if k.sum.Count < 0 || k.sum.Count > k.src.Rows() {
		return fmt.Errorf("las: state of an earlier run: %d points of %d", k.sum.Count, k.src.Rows())
	}
	return nil
}

// Records of the labels of a column.
const (
	labelUser = "inpoly"
	labelID   = 1
)

// answers returns the extra bytes that hold cols.
func answers(fields []table.Field, cols []table.Column) (pointio.Answers, error) {
	taken := newNames(fields)
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = taken.take(c.Name)
	}
	return pointio.NewAnswers("las", cols, names)
}

// names gives out names that differ and that a descriptor holds.
type names map[string]bool

// newNames returns names with those of the fields taken.
func newNames(fields []table.Field) names {
	n := names{}
	for _, f := range fields {
		n[f.Name] = true
	}
	return n
}

// take returns name, or the like if it is taken or too long. A NUL would end it.
func (n names) take(name string) string {
	name = strings.ReplaceAll(name, "\x00", "_")
	if name == "" {
		name = "extra"
	}
	out := cut(name, nameSize)
	for k := 2; n[out]; k++ {
		suffix := fmt.Sprintf("_%d", k)
		out = cut(name, nameSize-len(suffix)) + suffix
	}
	n[out] = true
	return out
}

// cut returns at most size bytes of s, whole characters of UTF-8.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// describeAnswers returns the descriptors of list, and the records of its labels.
func describeAnswers(list pointio.Answers) (descriptors []byte, records []byte, n int, err error) {
	for _, a := range list {
		d := newDescriptor(extraNumber(a.Type), a.Name)
		switch a.Kind {
		case table.Inside:
			setNone(d, pointio.NoSide)
			copy(d[atText:], "0 out 1 in 255 uncertain")
		case table.State:
			setNone(d, pointio.NoSide)
			copy(d[atText:], "0 out 1 in 2 on 255 uncertain")
		case table.Label:
			copy(d[atText:], "a label each, -1 none")
			var text strings.Builder
			for i, l := range a.Labels {
				fmt.Fprintf(&text, "%d %s\n", i, strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ").Replace(l))
			}
			if text.Len() > math.MaxUint16 {
				return nil, nil, 0, fmt.Errorf("column %s: %d bytes of labels: las: %w: at most %d", pointio.Quote([]byte(a.Name)), text.Len(), table.ErrCannotHold, math.MaxUint16)
			}
			records = appendRecord(records, labelUser, labelID, cut("labels of "+a.Name, nameSize), []byte(text.String()))
			n++
		}
		descriptors = append(descriptors, d...)
	}
	return descriptors, records, n, nil
}

// newDescriptor returns the descriptor of extra bytes.
func newDescriptor(number byte, name string) []byte {
	d := make([]byte, descriptor)
	d[atType] = number
	copy(d[atName:atName+nameSize], name)
	return d
}

// setNone declares the value that means that there is none.
func setNone(d []byte, v uint64) {
	d[atOptions] |= noneOption
	le.PutUint64(d[atNone:], v)
}

// appendRecord appends a variable length record.
func appendRecord(dst []byte, user string, id uint16, text string, body []byte) []byte {
	var h [recordHead]byte
	copy(h[2:18], user)
	le.PutUint16(h[18:], id)
	le.PutUint16(h[20:], uint16(len(body)))
	copy(h[22:], text)
	return append(append(dst, h[:]...), body...)
}
