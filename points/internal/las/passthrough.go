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

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*passthrough)(nil)

// passthrough is the sink that copies the points of the source and appends answers.
type passthrough struct {
	src     *Source
	answers pointio.Answers
	size    int    // number of answer bytes in a point
	header  []byte // header and records of the output if no points are dropped
	rows    int64  // number of rows that Begin received, −1 if unknown
	sum     summary
}

// Passthrough returns a sink that copies all fields and appends the answers. The sink is a
// table.HeaderPatcher and a table.Resumer. It also copies the records after the points, which it
// reads from the source. Therefore a source can have only one such sink, and its Begin must be
// called before Fill returns io.EOF.
//
// If the output has all points, its header has the counts and the box of the source.
// Otherwise, its final header describes the points in the output.
//
// The output of a LAZ file is a LAZ file, without the records of COPC.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	if s.header.packed != nil {
		return ConvertPacked(s, cols)
	}
	return s.plainPassthrough(cols)
}

// plainPassthrough returns a sink that copies the uncompressed points.
func (s *Source) plainPassthrough(cols []table.Column) (*passthrough, error) {
	list, err := newAnswers(newUniqueNames(s.dims), cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	k := &passthrough{src: s, answers: list, size: list.Size(), header: s.header.raw, sum: emptySummary(), rows: -1}
	if len(list) == 0 {
		return k, nil
	}
	var undocumented []byte // descriptors of extra bytes that no record describes
	for rest := s.undocumented; rest > 0; rest -= math.MaxUint8 {
		d := newDescriptor(0, "undocumented")
		d[atOptions] = byte(min(rest, math.MaxUint8))
		undocumented = append(undocumented, d...)
	}
	if k.header, err = s.header.extend(undocumented, list); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return k, nil
}

// extend returns a copy of the header and the records of h for points with answers. It adds the
// given descriptors and the descriptors of the answers.
func (h *header) extend(descriptors []byte, answers pointio.Answers) ([]byte, error) {
	raw := slices.Clone(h.raw)
	size := h.pointSize + answers.Size()
	if err := checkPointSize(size); err != nil {
		return nil, err
	}
	answerDescriptors, vlrs, added, err := describeAnswers(answers)
	if err != nil {
		return nil, err
	}
	descriptors = append(descriptors, answerDescriptors...)
	old := h.extraBytesRecord()
	length := len(descriptors)
	if old != nil {
		length += old.length
	}
	if length > math.MaxUint16 {
		return nil, fmt.Errorf("the output needs %d descriptions of extra bytes: las: %w: expected at most %d", length/descriptorSize, table.ErrCannotHold, math.MaxUint16/descriptorSize)
	}
	if old == nil && length > 0 {
		vlrs = append(appendRecord(nil, specUser, extraID, "extra bytes", descriptors), vlrs...)
		added++
	}
	raw = slices.Insert(raw, h.vlrsEnd, vlrs...)
	if old != nil {
		le.PutUint16(raw[old.offset+20:], uint16(length))
		raw = slices.Insert(raw, old.offset+vlrHeaderSize+old.length, descriptors...)
	}
	le.PutUint32(raw[atVLRCount:], uint32(len(h.vlrs)+added))
	le.PutUint32(raw[atPoints:], uint32(len(raw))) // fits, because h.raw has at most maxHeaderBytes
	le.PutUint16(raw[atPointSize:], uint16(size))
	return raw, nil
}

// encodeHeader returns the header and the records for the points of t. If isFinal is false, only
// t.Count is known, and the header keeps the box of the source.
func (k *passthrough) encodeHeader(t *summary, isFinal bool) []byte {
	h := k.src.header
	raw := slices.Clone(k.header)
	if t.Count != h.count {
		t.putCounts(raw)
		if isFinal {
			t.putBox(raw)
		}
	}
	// The data after the points move, because the points end at another offset.
	h.moveTrailing(raw, int64(len(raw))+t.Count*int64(h.pointSize+k.size)-h.pointsEnd())
	return raw
}

// NeedsPatch implements table.HeaderPatcher. A shard needs a patch, because the header of the
// source describes all points.
func (k *passthrough) NeedsPatch(rows int64) bool {
	return rows < 0 || k.src.Rows() < k.src.header.count
}

func (k *passthrough) Begin(w io.Writer, rows int64) error {
	k.claimEVLRs(rows)
	_, err := w.Write(k.initialHeader())
	return err
}

// claimEVLRs sets k.rows, and tells the source that k copies the extended records.
func (k *passthrough) claimEVLRs(rows int64) {
	k.rows = rows
	k.src.passesEVLRs, k.src.addsExtraBytes = true, len(k.answers) > 0
}

// initialHeader returns the header that Begin writes.
func (k *passthrough) initialHeader() []byte {
	t := summary{Count: k.rows}
	if k.rows < 0 {
		t.Count = k.src.Rows()
	}
	return k.encodeHeader(&t, false)
}

func (k *passthrough) Format(b *table.Block) error {
	if err := k.answers.Check(k.src, b, "las", "int32"); err != nil {
		return fmt.Errorf("%s: %w", k.src.name, err)
	}
	pointSize := k.src.header.pointSize
	k.answers.FormatRows(b, pointSize, false)
	t, ok := b.Sink.(*summary)
	if !ok {
		t = new(summary)
		b.Sink = t
	}
	*t = emptySummary()
	t.addRecords(b.Out, pointSize+k.size, returnMask(k.src.header.format))
	return nil
}

func (k *passthrough) Write(w io.Writer, b *table.Block) error {
	k.sum.add(b.Sink.(*summary))
	_, err := w.Write(b.Out)
	return err
}

// End copies the extended records.
func (k *passthrough) End(w io.Writer) error {
	if k.rows >= 0 && k.rows != k.sum.Count {
		return plural.Errorf("%s: %d points were written, but the header says %d", k.src.name, k.sum.Count, k.rows)
	}
	return k.src.copyEVLRs(w)
}

func (k *passthrough) FinalHeader() []byte {
	head := k.encodeHeader(&k.sum, true)
	if bytes.Equal(head, k.initialHeader()) {
		return nil
	}
	return head
}

func (k *passthrough) lastHeader() []byte  { return k.encodeHeader(&k.sum, true) }
func (k *passthrough) movesTrailing() bool { return k.src.header.evlrOffset > 0 }

// Warnings states that the output of a COPC file is not a COPC file.
func (k *passthrough) Warnings() []string {
	if p := k.src.header.packed; p == nil || p.dropped == 0 {
		return nil
	}
	return []string{"the output has no COPC hierarchy, because its nodes would have wrong offsets"}
}

func (k *passthrough) State() ([]byte, error) { return json.Marshal(&k.sum) }

func (k *passthrough) Resume(rows int64, state []byte) error {
	k.claimEVLRs(rows)
	if err := json.Unmarshal(state, &k.sum); err != nil {
		return fmt.Errorf("las: cannot read the state of an earlier run: %w", err)
	}
	if k.sum.Count < 0 || k.sum.Count > k.src.Rows() {
		return plural.Errorf("las: the state of an earlier run does not fit the input: %d points were written, but the input has %d", k.sum.Count, k.src.Rows())
	}
	return nil
}

// User ID and record ID of the records that hold labels.
const (
	labelUser = "inpoly"
	labelID   = 1
)

// newAnswers returns the answers for cols, with names that are not in usedNames. It adds these
// names to usedNames.
func newAnswers(usedNames uniqueNames, cols []table.Column) (pointio.Answers, error) {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = usedNames.add(c.Name)
	}
	return pointio.NewAnswers("las", cols, names)
}

// uniqueNames is the set of names in use.
type uniqueNames map[string]bool

func newUniqueNames(dims []dimension) uniqueNames {
	n := uniqueNames{}
	for _, d := range dims {
		n[d.name] = true
	}
	return n
}

// add adds a name to n and returns it, shortened to fit a descriptor. A name in use gets a number.
// Underscores replace NUL bytes, which end names in LAS.
func (n uniqueNames) add(name string) string {
	name = strings.ReplaceAll(name, "\x00", "_")
	if name == "" {
		name = "extra"
	}
	out := truncate(name, nameSize)
	for k := 2; n[out]; k++ {
		suffix := fmt.Sprintf("_%d", k)
		out = truncate(name, nameSize-len(suffix)) + suffix
	}
	n[out] = true
	return out
}

// truncate shortens s to at most the given size. It does not split a UTF-8 character.
func truncate(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// describeAnswers returns the descriptors of the answers, and n records with their labels.
func describeAnswers(list pointio.Answers) (descriptors []byte, vlrs []byte, n int, err error) {
	for _, a := range list {
		d := newDescriptor(extraNumber(a.Type), a.Name)
		switch a.Kind {
		case table.Inside:
			putNoData(d, pointio.NoSide)
			copy(d[atText:], "0 out 1 in 255 uncertain")
		case table.State:
			putNoData(d, pointio.NoSide)
			copy(d[atText:], "0 out 1 in 2 on 255 uncertain")
		case table.Label:
			copy(d[atText:], "a label each, -1 none")
			var text strings.Builder
			for i, l := range a.Labels {
				fmt.Fprintf(&text, "%d %s\n", i, strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ").Replace(l))
			}
			if text.Len() > math.MaxUint16 {
				return nil, nil, 0, plural.Errorf("column %s: the labels have %d bytes in total: las: %w: expected at most %d", quote.Word(a.Name), text.Len(), table.ErrCannotHold, math.MaxUint16)
			}
			vlrs = appendRecord(vlrs, labelUser, labelID, truncate("labels of "+a.Name, nameSize), []byte(text.String()))
			n++
		}
		descriptors = append(descriptors, d...)
	}
	return descriptors, vlrs, n, nil
}

// checkPointSize fails if LAS cannot hold points of the given size.
func checkPointSize(size int) error {
	if size > math.MaxUint16 {
		return plural.Errorf("each point needs %d bytes: las: %w: expected at most %d", size, table.ErrCannotHold, math.MaxUint16)
	}
	return nil
}

func newDescriptor(number byte, name string) []byte {
	d := make([]byte, descriptorSize)
	d[atType] = number
	copy(d[atName:atName+nameSize], name)
	return d
}

// putNoData declares that v stands for a missing value.
func putNoData(d []byte, v uint64) {
	d[atOptions] |= noDataOption
	le.PutUint64(d[atNoData:], v)
}

func appendRecord(dst []byte, user string, id uint16, text string, body []byte) []byte {
	var h [vlrHeaderSize]byte
	copy(h[2:18], user)
	le.PutUint16(h[18:], id)
	le.PutUint16(h[20:], uint16(len(body)))
	copy(h[22:], text)
	return append(append(dst, h[:]...), body...)
}
