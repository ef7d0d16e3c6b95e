package main

import (
	"encoding/json"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
)

// task is what all shards of a run have in common. It travels to the workers.
type task struct {
	Mesh     []string
	Solids   string       // checksum of what was loaded, which may be from more files; empty where it is not known yet
	Flags    answer.Flags // with the method that was chosen
	Expected int64        // points in all, roughly
	Parts    string       // folder of what is not complete yet
	Key      string
	Version  string // of the driver
	Pulse    string // file of the worker's pulse, if somebody looks at it

	Distributions bool // the engine takes them
}

// part is one shard: rows of a file. It is an element of the pipeline.
type part struct {
	Index int // of all, from 0
	Input int // number of the file
	Path  string
	Ext   string
	Stamp string // of the file; it must still be so

	// Rows of the file: shard Shard of Shards; or the bytes [Lo, Hi) of a text, where Line
	// lines are before Lo and Seek says that a row begins there.
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

	Warnings []string // what the rows have lost in the format of the output
}

// must returns the JSON of a value that has one.
func must(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of these types it cannot
	}
	return b
}
