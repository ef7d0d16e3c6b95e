// Package pointio has the helpers that the point formats share: reading streams, dividing
// files into shards, and writing answer columns into binary records. Their interfaces are
// those of package table.
package pointio
