// Package merge is the command inpoly merge: it joins the files of a distributed run to the file
// that one machine would have written. A manifest lists the files.
//
// A shard is a valid file of its format, with a head before its rows and perhaps a tail after
// them. The joined file consists of one head, the rows of all shards in order, and one tail.
//
//	m, err := merge.Read("out-manifest.json")
//	if err != nil {
//		return err
//	}
//	err = m.Inputs[0].Join(w, "folder of the manifest")
package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Kind is the kind of file in the manifest. The number grows when the meaning changes.
const Kind = "inpoly shards 1"

// Manifest lists the files of a run. It is written last, so all files that it lists exist.
type Manifest struct {
	Kind    string   `json:"kind"`
	Version string   `json:"version"`
	Key     string   `json:"key"` // of inputs, flags and the division into shards
	Mesh    []string `json:"mesh"`
	Method  string   `json:"method"`
	Rule    string   `json:"rule"`
	Counts
	Inputs []Input `json:"inputs"`
}

// Counts are numbers of rows.
type Counts struct {
	Rows      int64 `json:"rows"`    // answered
	Written   int64 `json:"written"` // all but those that were dropped
	Inside    int64 `json:"inside"`
	Outside   int64 `json:"outside"`
	On        int64 `json:"on"`
	Uncertain int64 `json:"uncertain"`
	NonFinite int64 `json:"nonfinite_rows"`
	RowLike   int64 `json:"row_like_comments"`
	Ragged    int64 `json:"ragged_rows"`
	Verified  int64 `json:"verified,omitempty"`  // compared with the sum over all triangles
	Undecided int64 `json:"undecided,omitempty"` // verified rows whose side the sum does not determine
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	c.Rows += d.Rows
	c.Written += d.Written
	c.Inside += d.Inside
	c.Outside += d.Outside
	c.On += d.On
	c.Uncertain += d.Uncertain
	c.NonFinite += d.NonFinite
	c.RowLike += d.RowLike
	c.Ragged += d.Ragged
	c.Verified += d.Verified
	c.Undecided += d.Undecided
}

// Input is a point file and the shards of its output, in order, at least one.
type Input struct {
	Path       string   `json:"path"`
	Format     string   `json:"format"`                // of the output
	Ext        string   `json:"ext"`                   // of its name, with the dot
	HeaderLine int64    `json:"header_line,omitempty"` // of a text, from 1; 0 without
	Delimiter  string   `json:"delimiter,omitempty"`   // of a text
	Drops      bool     `json:"drops,omitempty"`       // the number of rows was unknown before the end
	Head       []byte   `json:"head,omitempty"`        // of the joined file, with room for the number of rows if Drops
	Warnings   []string `json:"warnings,omitempty"`    // warnings about values that the output format could not hold
	Shards     []Shard  `json:"shards"`
}

// Shard is a file with the output of consecutive rows.
type Shard struct {
	File   string `json:"file"` // beside the manifest
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Head   int64  `json:"head_bytes"`
	Tail   int64  `json:"tail_bytes"`
	Counts
}

// ShardName returns the name of shard i of n, from 0, with a prefix.
func ShardName(prefix string, i, n int, ext string) string {
	return fmt.Sprintf("%s-%05d-of-%05d%s", prefix, i, n, ext)
}

// ManifestName returns the name of the manifest with a prefix.
func ManifestName(prefix string) string { return prefix + "-manifest.json" }

// Read reads and checks the manifest at path.
func Read(path string) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Parse parses a manifest. It fails if data is not a manifest, or if a name leads out of its
// folder.
func Parse(data []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("manifest of shards: %w", err)
	}
	if m.Kind != Kind {
		return nil, fmt.Errorf("manifest of shards: its kind is %q, want %q", m.Kind, Kind)
	}
	if len(m.Inputs) == 0 {
		return nil, errors.New("manifest of shards: no inputs")
	}
	for _, in := range m.Inputs {
		if len(in.Shards) == 0 {
			return nil, fmt.Errorf("manifest of shards: %s has no shards", in.Path)
		}
		if in.Ext != "" && (in.Ext[0] != '.' || strings.ContainsAny(in.Ext, `/\`)) {
			return nil, fmt.Errorf("manifest of shards: %s: suffix %q", in.Path, in.Ext)
		}
		for _, s := range in.Shards {
			if s.File != filepath.Base(s.File) || strings.ContainsAny(s.File, `/\`) || s.File == "." || s.File == ".." {
				return nil, fmt.Errorf("manifest of shards: the name %q is not one of a file beside it", s.File)
			}
			if s.Head < 0 || s.Tail < 0 || s.Bytes < 0 || s.Rows < 0 || s.Written < 0 || s.Head > s.Bytes || s.Tail > s.Bytes-s.Head {
				return nil, fmt.Errorf("manifest of shards: %s: %d bytes with a head of %d and a tail of %d", s.File, s.Bytes, s.Head, s.Tail)
			}
		}
	}
	return &m, nil
}
