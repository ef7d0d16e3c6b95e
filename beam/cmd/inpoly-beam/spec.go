package main

import (
	"encoding/json"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
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
	Ext   string // suffix of the output
	Stamp string // stamp of the file, which must not change

	// The rows of the part are shard Shard of Shards, or the rows that begin in the bytes [Lo, Hi)
	// of a text. Line is the number of lines before Lo. Seek means that a row begins at Lo.
	Shard, Shards int
	Lo, Hi, Line  int64
	Seek          bool
	First         bool // the part is the first one of its file
}

// shardResult describes a finished shard. It is an element of the pipeline. A file beside the shard
// stores it for the next try.
type shardResult struct {
	Index, Input int // from the part
	Shard        merge.Shard

	// These fields describe the output of the whole file. Drops and Head are set in the first shard
	// of the file only.
	Format, Delimiter string
	HeaderLine        int64
	Drops             bool
	Head              []byte

	Warnings []string // values that the output format could not hold
}

// mustJSON returns the JSON of a value whose type always has a JSON form.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
