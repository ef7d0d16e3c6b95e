package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// readFooter reads what the end of the file says.
func (s *Source) readFooter() (err error) {
	defer guard(&err)
	not := fmt.Errorf("%w: not a Parquet file", table.ErrFormat)
	const least = 2*len(magic) + 4 // magic, length of the footer, magic
	if s.size < int64(least) {
		return not
	}
	front, err := s.bytes(0, len(magic))
	if err != nil {
		return err
	}
	end, err := s.bytes(s.size-8, 8)
	if err != nil {
		return err
	}
	switch {
	case string(front) == "PARE" || string(end[4:]) == "PARE":
		return fmt.Errorf("%w: the Parquet file is encrypted", table.ErrFormat)
	case string(front) != magic:
		return not
	case string(end[4:]) != magic:
		return fmt.Errorf("%w: the end of the Parquet file is missing", errCorrupt)
	}
	length := int64(le32(end))
	s.footer = s.size - 8 - length
	if s.footer < int64(len(magic)) {
		return fmt.Errorf("%w: footer of %d bytes in a file of %d", errCorrupt, length, s.size)
	}
	raw, err := s.bytes(s.footer, int(length))
	if err != nil {
		return err
	}
	if s.meta, _, err = fields(raw, 0, nil); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	if find(s.meta, 8) != nil {
		return fmt.Errorf("%w: the Parquet file is encrypted", table.ErrFormat)
	}
	if err := s.readSchema(); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	if err := s.readGroups(); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	return nil
}

// structs returns the elements of the list of structs in the field of that id.
func structs(fs []field, id int16) ([][]byte, error) {
	f := find(fs, id)
	if f == nil || f.kind != kindList {
		return nil, fmt.Errorf("%w: no list in field %d", errThrift, id)
	}
	kind, items, _, err := elements(f.value, 0, nil)
	if err == nil && len(items) > 0 && kind != kindStruct {
		err = fmt.Errorf("%w: no structs in field %d", errThrift, id)
	}
	return items, err
}

// readSchema reads the schema from the footer.
func (s *Source) readSchema() error {
	items, err := structs(s.meta, 2)
	if err != nil {
		return err
	}
	schema := make([]format.SchemaElement, len(items))
	for i, raw := range items {
		if err := unmarshal(raw, &schema[i]); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	s.leaves, s.top, err = leavesOf(schema)
	return err
}

// readGroups reads how many rows the row groups have.
func (s *Source) readGroups() error {
	items, err := structs(s.meta, 4)
	if err != nil {
		return err
	}
	var first int64
	for i, raw := range items {
		fs, _, err := fields(raw, 0, nil)
		if err != nil {
			return err
		}
		rows := find(fs, 3)
		if rows == nil || rows.number() < 0 || rows.number() > math.MaxInt64-first {
			return fmt.Errorf("%w: row group %d: number of rows", errThrift, i)
		}
		s.groups = append(s.groups, &group{index: i, raw: raw, first: first, rows: rows.number()})
		first += rows.number()
	}
	if rows := find(s.meta, 3); rows == nil || rows.number() != first {
		return fmt.Errorf("%w: the row groups have %d rows, which is not what the footer says", errThrift, first)
	}
	return nil
}

// rows returns how many rows the file has.
func (s *Source) rows() int64 {
	if n := len(s.groups); n > 0 {
		return s.groups[n-1].first + s.groups[n-1].rows
	}
	return 0
}

// bytes reads n bytes of the file.
func (s *Source) bytes(at int64, n int) ([]byte, error) {
	if at < 0 || n < 0 || at > s.size-int64(n) {
		return nil, fmt.Errorf("%w: bytes %d to %d of a file of %d", errCorrupt, at, at+int64(n), s.size)
	}
	b := make([]byte, n)
	if k, err := s.at.ReadAt(b, at); k < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file has become shorter
		}
		return nil, fmt.Errorf("read at byte %d: %w", at, err)
	}
	return b, nil
}

// unmarshal reads the struct raw into v. Its lengths are checked before, as the library
// takes memory as they say.
func unmarshal(raw []byte, v any) error {
	n, err := skip(kindStruct, raw, 0)
	if err != nil {
		return err
	}
	return thrift.Unmarshal(new(thrift.CompactProtocol), raw[:n], v)
}

// guard turns a panic of the library, or an index out of range here, into an error: both
// come of damaged files.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", errCorrupt, r)
	}
}

// group is a row group.
type group struct {
	index       int
	raw         []byte // its metadata
	first, rows int64

	mu     sync.Mutex
	meta   *format.RowGroup // nil while no block needs it
	chunks []*chunk
}

// forget frees the pages that end in the rows [lo, hi).
func (g *group) forget(lo, hi int64) {
	g.mu.Lock()
	chunks := g.chunks
	g.mu.Unlock()
	for _, c := range chunks {
		if c != nil {
			c.forget(lo, hi)
		}
	}
}

// drop frees all that was read of g.
func (g *group) drop() {
	g.mu.Lock()
	g.meta, g.chunks = nil, nil
	g.mu.Unlock()
}

// chunk returns a column of a row group, whose pages are known.
func (s *Source) chunk(g *group, column int) (c *chunk, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.meta == nil {
		if err := g.read(len(s.leaves)); err != nil {
			return nil, err
		}
	}
	if c = g.chunks[column]; c == nil {
		if c, err = newChunk(s, &s.leaves[column], &g.meta.Columns[column], g.rows); err != nil {
			return nil, err
		}
		g.chunks[column] = c
	}
	return c, c.locate()
}

// read reads the metadata of g, which must have that many columns.
func (g *group) read(columns int) (err error) {
	defer guard(&err)
	meta := new(format.RowGroup)
	if err := unmarshal(g.raw, meta); err != nil {
		return err
	}
	if len(meta.Columns) != columns {
		return fmt.Errorf("%w: %d columns, but %d in the schema", errThrift, len(meta.Columns), columns)
	}
	g.meta, g.chunks = meta, make([]*chunk, columns)
	return nil
}

// copied returns a column of which only the bytes are needed.
func (s *Source) copied(g *group, column int) (*chunk, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.meta == nil {
		if err := g.read(len(s.leaves)); err != nil {
			return nil, err
		}
	}
	if c := g.chunks[column]; c != nil {
		return c, nil
	}
	return newChunk(s, &s.leaves[column], &g.meta.Columns[column], g.rows)
}
