package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
)

// readFooter reads the schema and the row groups from the end of the file.
func (s *Source) readFooter() (err error) {
	defer recoverDamage(&err)
	notParquet := fmt.Errorf("%w: not a Parquet file", table.ErrFormat)
	const minSize = 2*len(magic) + 4 // magic at both ends, and the length of the footer
	if s.size < int64(minSize) {
		return notParquet
	}
	start, err := s.read(0, len(magic))
	if err != nil {
		return err
	}
	end, err := s.read(s.size-8, 8)
	if err != nil {
		return err
	}
	switch {
	case string(start) == "PARE" || string(end[4:]) == "PARE":
		return fmt.Errorf("%w: the Parquet file is encrypted", table.ErrFormat)
	case string(start) != magic:
		return notParquet
	case string(end[4:]) != magic:
		return fmt.Errorf("%w: the end of the Parquet file is missing", errCorrupt)
	}
	length := int64(le32(end))
	s.footer = s.size - 8 - length
	if s.footer < int64(len(magic)) {
		return plural.Errorf("%w: the footer has %d bytes, but the file has %d", errCorrupt, length, s.size)
	}
	raw, err := s.read(s.footer, int(length))
	if err != nil {
		return err
	}
	if s.metadata, _, err = readStruct(raw, 0); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	if findField(s.metadata, fileEncryption) != nil {
		return fmt.Errorf("%w: the Parquet file is encrypted", table.ErrFormat)
	}
	for _, read := range []func() error{s.readSchema, s.readGroups} {
		if err := read(); err != nil {
			return fmt.Errorf("footer: %w", err)
		}
	}
	return nil
}

func (s *Source) readSchema() error {
	items, err := readStructs(s.metadata, fileSchema)
	if err != nil {
		return err
	}
	schema := make([]format.SchemaElement, len(items))
	for i, raw := range items {
		if err := unmarshal(raw, &schema[i]); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	s.leaves, s.topNames, err = flattenSchema(schema)
	return err
}

// readGroups reads the row groups from the footer, without their columns. It sets s.endRow.
func (s *Source) readGroups() error {
	items, err := readStructs(s.metadata, fileRowGroups)
	if err != nil {
		return err
	}
	var first int64
	for i, raw := range items {
		fs, _, err := readStruct(raw, 0)
		if err != nil {
			return err
		}
		rows := findField(fs, groupNumRows)
		if rows == nil || rows.integer() < 0 || rows.integer() > math.MaxInt64-first {
			return fmt.Errorf("%w: row group %d: invalid number of rows", errThrift, i)
		}
		s.groups = append(s.groups, &rowGroup{index: i, raw: raw, firstRow: first, rows: rows.integer()})
		first += rows.integer()
	}
	if rows := findField(s.metadata, fileNumRows); rows == nil || rows.integer() != first {
		return plural.Errorf("%w: the row groups have %d rows in total, but the footer declares another number of rows", errThrift, first)
	}
	s.endRow = first
	return nil
}

// read reads n bytes at an offset of the file.
func (s *Source) read(at int64, n int) ([]byte, error) {
	if at < 0 || n < 0 || at > s.size-int64(n) {
		return nil, plural.Errorf("%w: bytes %d to %d are not in the file, which has %d bytes", errCorrupt, at, at+int64(n), s.size)
	}
	b := make([]byte, n)
	return b, s.readFull(b, at)
}

// readFull fills b from an offset of the file.
func (s *Source) readFull(b []byte, at int64) error {
	k, err := s.file.ReadAt(b, at)
	if k == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the file has become shorter
	}
	return fmt.Errorf("read at byte %d: %w", at, err)
}

// readIndex reads the bytes of an index. It returns nil if there is no index.
func (s *Source) readIndex(at int64, n int32) ([]byte, error) {
	if at <= 0 || n <= 0 {
		return nil, nil
	}
	return s.read(at, int(n))
}

// unmarshal decodes raw, an encoded struct, into v. It first checks all lengths in raw, because the
// library allocates memory for them without a check.
func unmarshal(raw []byte, v any) error {
	n, err := valueLength(kindStruct, raw, 0)
	if err != nil {
		return err
	}
	return thrift.Unmarshal(new(thrift.CompactProtocol), raw[:n], v)
}

// marshal encodes v, a struct of the metadata.
func marshal(v any) []byte {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		panic("parquet: " + err.Error()) // only a write could fail, and writes to memory do not fail
	}
	return b
}

// recoverDamage turns a panic into an error. On damaged files the Parquet library can panic, and
// indices of this package can be out of range.
func recoverDamage(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", errCorrupt, r)
	}
}

// rowGroup is a row group of the source.
type rowGroup struct {
	index          int
	raw            []byte // encoded metadata (RowGroup of parquet.thrift)
	firstRow, rows int64

	mu     sync.Mutex
	meta   *format.RowGroup // decoded metadata; nil if no block needs it
	chunks []*columnChunk
}

// releasePages releases the pages whose last row is in [lo, hi).
func (g *rowGroup) releasePages(lo, hi int64) {
	g.mu.Lock()
	chunks := slices.Clone(g.chunks) // chunkMeta can change g.chunks concurrently
	g.mu.Unlock()
	for _, c := range chunks {
		if c != nil {
			c.releasePages(lo, hi)
		}
	}
}

func (g *rowGroup) release() {
	g.mu.Lock()
	for _, c := range g.chunks {
		if c != nil {
			_ = c.src.reserve(-c.reserved.Swap(0))
		}
	}
	g.meta, g.chunks = nil, nil
	g.mu.Unlock()
}

// chunk returns a column chunk of g with its pages.
func (s *Source) chunk(g *rowGroup, column int) (*columnChunk, error) {
	c, err := s.chunkMeta(g, column)
	if err != nil {
		return nil, err
	}
	return c, c.locatePages()
}

// chunkMeta returns a column chunk of g. Its pages can be unknown (see locatePages).
func (s *Source) chunkMeta(g *rowGroup, column int) (c *columnChunk, err error) {
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
	return c, nil
}

// read decodes the metadata of g. It fails unless g has the given number of columns.
func (g *rowGroup) read(columns int) (err error) {
	defer recoverDamage(&err)
	meta := new(format.RowGroup)
	if err := unmarshal(g.raw, meta); err != nil {
		return err
	}
	if len(meta.Columns) != columns {
		return plural.Errorf("%w: the row group has %d columns, but the schema has %d", errThrift, len(meta.Columns), columns)
	}
	g.meta, g.chunks = meta, make([]*columnChunk, columns)
	return nil
}
