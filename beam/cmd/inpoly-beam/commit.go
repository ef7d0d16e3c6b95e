package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/disk"
)

// finalStep has the data for the last step of a run.
type finalStep struct {
	Task   task
	Prefix string // value of the flag --out
	Inputs []string
	Parts  int // number of shards
	Method string
	Rule   string
}

// finish gives all shards their final names and writes the manifest. After an interrupted call,
// finish can be called again. No step before finish changes a file of an earlier run.
func (e *finalStep) finish(ctx context.Context, results []*shardResult) error {
	slices.SortStableFunc(results, func(a, b *shardResult) int { return a.Index - b.Index })
	results = slices.CompactFunc(results, func(a, b *shardResult) bool { return a.Index == b.Index })
	if len(results) != e.Parts {
		return fmt.Errorf("%s: only %d of %d shards are finished", e.Prefix, len(results), e.Parts)
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
	// No file is renamed until two checks pass. The call of stage detects a full disk, and the loop
	// detects a folder that has the name of a shard.
	commit, abort, err := stage(ctx, merge.ManifestName(e.Prefix), append(data, '\n'))
	if err != nil {
		return err
	}
	defer abort()
	for _, name := range names {
		if remote(name) {
			break // an object store has no folders
		}
		if fi, err := disk.Lstat(name); err == nil && fi.IsDir() {
			return fmt.Errorf("%s: is a directory", name)
		}
	}
	old, err := e.earlier(ctx)
	if err != nil {
		return err
	}
	for i, r := range results {
		in := &m.Inputs[r.Input]
		from := e.Task.shardFile(&part{Index: i, Ext: in.Ext})
		if err := rename(ctx, from, names[i], &r.Shard); err != nil {
			return err
		}
	}
	if err := commit(); err != nil {
		return err
	}
	return e.tidy(ctx, len(results), old, names)
}

// rename gives a shard its final name. An interrupted earlier call can already have renamed the
// shard. The old file then does not exist, and the new file has the bytes of the shard.
func rename(ctx context.Context, from, to string, s *merge.Shard) error {
	err := withFS(ctx, to, func(f filesystem.Interface) error { return filesystem.Rename(ctx, f, from, to) })
	if err == nil {
		return nil
	}
	if _, _, missing := stamp(ctx, from); missing != nil && matches(ctx, to, s) {
		return nil
	}
	return err
}

// earlier returns the names of the shard files of an earlier run with the same prefix. It fails if a
// local manifest exists and cannot be read. Remote file systems have no common error for a missing
// file.
func (e *finalStep) earlier(ctx context.Context) (names []string, err error) {
	data, err := readAll(ctx, merge.ManifestName(e.Prefix))
	if err != nil && !remote(e.Prefix) && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	m, err := merge.Parse(data)
	if err != nil {
		return nil, nil
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
	return names, nil
}

// tempName matches the temporary names that atomicfile.File gives to shards and results.
var tempName = regexp.MustCompile(`^\.\d{5}\..+\.[0-9a-f]{16}\.tmp$`)

// tidy removes the files of n results. It also removes the old shards, except those that the new
// run has replaced.
func (e *finalStep) tidy(ctx context.Context, n int, oldShards, newShards []string) error {
	for i := range n {
		_ = remove(ctx, e.Task.resultFile(i)) // a file that remains is harmless
	}
	kept := map[string]bool{}
	for _, name := range newShards {
		kept[name] = true
	}
	for _, name := range oldShards {
		if !kept[name] {
			if err := remove(ctx, name); err != nil {
				return err
			}
		}
	}
	if remote(e.Task.Parts) {
		return nil
	}
	// Killed drivers and workers leave files behind. A file that cannot be removed does no harm.
	for _, name := range e.Task.filesWith(heartbeatSuffix) {
		endHeartbeat(name)
	}
	for _, name := range e.Task.filesWith(".tmp") {
		if tempName.MatchString(filepath.Base(name)) {
			_ = remove(ctx, name)
		}
	}
	_ = remove(ctx, e.Task.Parts) // the error is ignored, because the folder can contain other files
	return nil
}
