// Package shards describes the output of a distributed run: the manifest that lists the
// files it wrote, and what is needed to join them to the file that one machine would
// have written.
//
// A shard is a file of its own format, with a head before its rows and perhaps a tail
// behind them. The whole is one head, the rows of all shards in order, and one tail.
//
//	m, err := shards.Read("out-manifest.json")
//	if err != nil {
//		return err
//	}
//	err = m.Inputs[0].Join(w, "folder of the manifest")
package shards
