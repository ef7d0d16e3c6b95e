package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/disk"
)

// task is the data that all shards of a run share. The driver sends it to the workers.
type task struct {
	Mesh      []string
	Solids    string       // checksum of the loaded meshes, "" before they are loaded
	Flags     answer.Flags // flags of the run, with the chosen method
	Expected  int64        // estimated total number of points
	Parts     string       // folder of the shards until the run is complete
	Key       string       // result of plan.key
	Version   string       // version of the driver
	Heartbeat string       // path of the worker's heartbeat file, or ""

	Distributions bool // the engine supports distribution metrics
}

// part is a shard, that is, a range of rows of a file. It is an element of the pipeline.
type part struct {
	Index int // number of the shard in the run, from 0
	Input int // number of the file in the run, from 0
	Path  string
	Ext   string // suffix of the output file
	Stamp string // stamp of the input file when the run began

	// A part is one of three things:
	//   - If Hi > 0, it has the rows that begin in the bytes [Lo, Hi) of a text. Line is the
	//     number of lines before Lo. If Seek is true, a row begins at Lo.
	//   - If Shards > 0, it is part number Shard of the file, from 1 to Shards.
	//   - Otherwise it is the whole file.
	Shard, Shards int
	Lo, Hi, Line  int64
	Seek          bool
	First         bool // the part is the first one of its file
}

// shardResult describes a finished shard. It is an element of the pipeline. It is also stored in a
// file, for a later try.
type shardResult struct {
	Index, Input int
	Shard        merge.Shard

	// These fields describe the output of the whole file. Only the first shard of the file sets
	// Drops and Head.
	Format, Delimiter string
	HeaderLine        int64
	Drops             bool
	Head              []byte

	Warnings []string // values that the output format cannot represent
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// built maps the key of a run to a *builtQuery. So a process builds the index of a run only once.
var built sync.Map

type builtQuery struct {
	once sync.Once
	q    *answer.Query
	err  error
}

// query returns the query of a run and whether this call has built it. After an error, the next
// call tries again.
func (t *task) query(ctx context.Context) (q *answer.Query, fresh bool, err error) {
	v, _ := built.LoadOrStore(t.Key, &builtQuery{})
	a := v.(*builtQuery)
	a.once.Do(func() {
		a.q, a.err = t.build(ctx)
		fresh = true
	})
	if a.err != nil {
		built.CompareAndDelete(t.Key, v)
	}
	return a.q, fresh, a.err
}

// remember stores a query that was built before the key of its run was known.
func (t *task) remember(q *answer.Query) {
	a := &builtQuery{q: q}
	a.once.Do(func() {})
	built.Store(t.Key, a)
}

// build opens the meshes and builds the index.
func (t *task) build(ctx context.Context) (*answer.Query, error) {
	if own := version(); t.Version != own {
		return nil, fmt.Errorf("the run was started by inpoly-beam %s, but this worker is version %s: the versions must be equal", t.Version, own)
	}
	opt, err := t.Flags.Options()
	if err != nil {
		return nil, err
	}
	opt.ExpectedPoints = t.Expected
	paths, done, err := localCopies(ctx, t.Mesh)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := answer.Open(ctx, paths, t.Flags.Body != "", opt)
	if err != nil {
		return nil, err
	}
	if err := t.Flags.Place(s); err != nil {
		return nil, err
	}
	if err := t.Flags.CheckParts(s, false); err != nil {
		return nil, err
	}
	if t.Solids != "" && checksumOf(s) != t.Solids {
		return nil, fmt.Errorf("%s: the mesh has changed since the run began", strings.Join(t.Mesh, ", "))
	}
	return answer.NewQuery(s, &t.Flags), nil
}

func checksumOf(s *answer.Solids) string {
	h := sha256.New()
	s.Hash(h)
	return hex.EncodeToString(h.Sum(nil))
}

// localCopies copies the remote files to local files. It returns the local paths of all files, and
// a function that removes the copies.
func localCopies(ctx context.Context, paths []string) (local []string, done func(), err error) {
	var copies []func()
	done = func() {
		for _, remove := range copies {
			remove()
		}
	}
	for _, p := range paths {
		if remote(p) {
			var remove func()
			if p, remove, err = download(ctx, p); err == nil {
				copies = append(copies, remove)
			}
		} else if _, err = disk.Stat(p); err != nil {
			err = withName(p, disk.Reason(err))
		}
		if err != nil {
			done()
			return nil, nil, err
		}
		local = append(local, p)
	}
	return local, done, nil
}
