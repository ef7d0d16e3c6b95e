package parquet

import (
	"fmt"
	"sync"

	"github.com/parquet-go/parquet-go/format"
)

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
