package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/inpoly/inpoly/internal/cli/merge"
)

// finalStep holds the data that the last step of a run needs.
type finalStep struct {
	Task   task
	Prefix string
	Inputs []string
	Parts  int
	Method string
	Rule   string
}

// finish gives all shards their names and writes the manifest. If it is interrupted, it can be
// repeated. Before finish, no file of an earlier run with the same names is changed.
func (e *finalStep) finish(ctx context.Context, results []*shardResult) error {
	slices.SortStableFunc(results, func(a, b *shardResult) int { return a.Index - b.Index })
	results = slices.CompactFunc(results, func(a, b *shardResult) bool { return a.Index == b.Index })
	if len(results) != e.Parts {
		return fmt.Errorf("%s: %d shards of %d are finished", e.Prefix, len(results), e.Parts)
	}
	m := &merge.Manifest{Kind: merge.Kind, Version: e.Task.Version, Key: e.Task.Key, Mesh: e.Task.Mesh, Method: e.Method, Rule: e.Rule}
	for _, path := range e.Inputs {
		m.Inputs = append(m.Inputs, merge.Input{Path: path})
	}
	names := make([]string, len(results))
	for i, r := range results {
		in := &m.Inputs[r.Input]
		if len(in.Shards) == 0 {
			in.Format, in.Delimiter, in.HeaderLine, in.Drops, in.Head = r.Format, r.Delimiter, r.HeaderLine, r.Drops, r.Head
			in.Ext = extension(in.Path, r.Format)
		}
		names[i] = merge.ShardName(e.Prefix, i, len(results), in.Ext)
		s := r.Shard
		s.File = base(names[i])
		in.Shards = append(in.Shards, s)
		in.Warnings = append(in.Warnings, r.Warnings...)
		m.Counts.Add(s.Counts)
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	// A full disk, or a folder with the name of a shard, is an error before any name changes.
	commit, abort, err := stage(ctx, merge.ManifestName(e.Prefix), append(data, '\n'))
	if err != nil {
		return err
	}
	defer abort()
	for _, name := range names {
		if remote(name) {
			break // objects have no folders
		}
		if fi, err := os.Lstat(name); err == nil && fi.IsDir() {
			return fmt.Errorf("%s: is a directory", name)
		}
	}
	old := e.earlier(ctx)
	for i, r := range results {
		in := &m.Inputs[r.Input]
		from := e.Task.shardFile(&part{Index: i, Ext: in.Ext})
		if err := e.rename(ctx, from, names[i], &r.Shard); err != nil {
			return err
		}
	}
	if err := commit(); err != nil {
		return err
	}
	return e.tidy(ctx, len(results), old, names)
}

// rename gives a shard its name, unless an interrupted try has already done so.
func (e *finalStep) rename(ctx context.Context, from, to string, s *merge.Shard) error {
	err := move(ctx, from, to)
	if err == nil {
		return nil
	}
	if _, _, missing := stamp(ctx, from); missing == nil {
		return err // it exists and cannot be renamed
	}
	if !remote(to) {
		if sum, n, bad := checksum(to); bad == nil && n == s.Bytes && sum == s.SHA256 {
			return nil
		}
		return err
	}
	if _, n, bad := stamp(ctx, to); bad == nil && n == s.Bytes {
		return nil
	}
	return err
}

// earlier returns the shards of an earlier run of the same prefix.
func (e *finalStep) earlier(ctx context.Context) (names []string) {
	data, err := readAll(ctx, merge.ManifestName(e.Prefix))
	if err != nil {
		return nil
	}
	m, err := merge.Parse(data)
	if err != nil {
		return nil
	}
	i, n := 0, 0
	for _, in := range m.Inputs {
		n += len(in.Shards)
	}
	for _, in := range m.Inputs {
		for _, s := range in.Shards {
			name := merge.ShardName(e.Prefix, i, n, in.Ext)
			if i++; base(name) == s.File {
				names = append(names, name)
			}
		}
	}
	return names
}

// tempSuffix and tempName describe the temporary names of unfinished shards and results; see
// atomicfile.File.
const tempSuffix = ".tmp"

var tempName = regexp.MustCompile(`^\.\d{5}\..+\.[0-9a-f]{8}\.tmp$`)

// tidy removes the results, and the shards of an earlier run that have other names.
func (e *finalStep) tidy(ctx context.Context, n int, old, names []string) error {
	for i := range n {
		_ = remove(ctx, e.Task.resultFile(i)) // everything is written: a result that remains is harmless
	}
	kept := map[string]bool{}
	for _, name := range names {
		kept[name] = true
	}
	for _, name := range old {
		if !kept[name] {
			if err := remove(ctx, name); err != nil {
				return err
			}
		}
	}
	if !remote(e.Task.Parts) {
		for _, name := range e.Task.filesWith(heartbeatSuffix) {
			endHeartbeat(name) // of a driver that was killed
		}
		for _, name := range e.Task.filesWith(tempSuffix) {
			if tempName.MatchString(filepath.Base(name)) {
				_ = os.Remove(name) // of a worker that was killed; a file that remains is harmless
			}
		}
		// Other files in the folder are not ours: they stay.
		_ = remove(ctx, e.Task.Parts)
	}
	return nil
}
