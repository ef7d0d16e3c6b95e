package main

import (
	"encoding/json"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
)

// task is the data that all shards of a run share. It is sent to the workers.
type task struct {
	Mesh      []string
	Solids    string       // checksum of the loaded meshes; empty if not known yet
	Flags     answer.Flags // with the chosen method
	Expected  int64        // estimated number of all points
	Parts     string       // folder of the shards until the run is complete
	Key       string
	Version   string // of the driver
	Heartbeat string // file of the worker's heartbeat, "" without

	Distributions bool // the engine supports distribution metrics
}

// part is one shard: rows of a file. It is an element of the pipeline.
type part struct {
	Index int // of all, from 0
	Input int // number of the file
	Path  string
	Ext   string
	Stamp string // of the file, which must not change

	// The rows: shard Shard of Shards, or the bytes [Lo, Hi) of a text. Line lines are before Lo.
	// Seek says that a row begins at Lo.
	Shard, Shards int
	Lo, Hi, Line  int64
	Seek          bool
	First         bool // of its file
}

// shardResult describes a finished shard. It is an element of the pipeline and a file beside
// the shard, for the next try.
type shardResult struct {
	Index, Input int
	Shard        merge.Shard

	// Of the file, from its first shard.
	Format, Delimiter string
	HeaderLine        int64
	Drops             bool
	Head              []byte

	Warnings []string // about rows that the output format could not hold
}

// mustJSON returns the JSON of a value of these types.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types have a JSON form
	}
	return b
}
