// Package parquet reads and writes tables of points in Apache Parquet
// (github.com/apache/parquet-format).
//
// # Reading
//
// New reads the footer of a file: the schema and the row groups. A block is a run of rows of one
// row group. Fill reads the pages of its coordinates, and Parse decodes them; a page is decoded
// once for all blocks that share it. The package reads all codecs but LZO and the old LZ4, all
// encodings, and both versions of pages. A file is read from its end and from many offsets at
// once, so it must be a plain file.
//
// Memory does not grow with the number of rows, but with the size of pages and the number of
// columns, because a page can only be decoded as a whole. In memory are at once:
//   - the decoded pages of the coordinates for all blocks under way (65,536 rows each; a Job has
//     two blocks for each worker and two more);
//   - the decoded pages of all other columns too, if rows are dropped, at the ends of a shard, and
//     if the output has another format;
//   - for each worker, the bytes of the page that it decodes;
//   - the dictionaries of the row group.
//
// Writers usually make pages of a megabyte, which take some megabytes for each column. Eight columns
// of float64 in pages of 64 MiB took 0.5 GB, and 0.8 GB with dropped rows. Decoding a page again for
// each of its blocks was tried: for such files it took twelve times as long, and no less memory.
//
// # Writing
//
// The sink of the same format (Source.Passthrough) copies a row group byte by byte if none of its
// rows are dropped, with its dictionaries, statistics, indexes and Bloom filters. The footer keeps
// everything but offsets, and the answers become additional columns. If rows are dropped, and at
// the ends of a shard, pages are rewritten without statistics. They keep the codec (Zstandard
// in place of Brotli) and the dictionary of the column, and all values and levels bit for bit.
// Convert writes other sources.
//
// Inside is an optional BOOLEAN (null if uncertain), State and Label are strings with a dictionary,
// Number and Bound are DOUBLE, Integer is INT64, and Words are strings. Their pages are compressed
// with Snappy.
//
// The key ARROW:schema of the footer describes each column by its number to Arrow. It is removed if
// columns are added, because readers that trust it would expect the old number of columns. A Sink
// is no table.Resumer, because a footer describes all earlier row groups.
//
//	src, err := parquet.New("cloud.parquet", f, f, size, parquet.Options{})
//	if err != nil {
//		return err
//	}
//	sink, err := src.Passthrough([]table.Column{{Name: "inside"}})
//	if err != nil {
//		return err
//	}
//	// Begin; for each block Fill, Parse, answers, Format, Write; End.
//
// # Files
//
//   - source.go: Source and its options; blocks, coordinates and values
//   - footer.go: the footer, row groups, reading of bytes
//   - schema.go: leaf columns and their types; the columns of x, y and z
//   - chunk.go: the pages and the dictionary of a column of a row group
//   - page.go: page headers; decoding of pages and their levels
//   - encoding.go: the encodings of values and levels
//   - codec.go: compression
//   - thrift.go: metadata in Thrift's compact protocol, with fields that nobody here knows
//   - passthrough.go, copy.go: the sink of the same format; copied row groups and new pages
//   - convert.go: the sink of other formats
//   - answer.go: the answer columns
//   - column.go, output.go: pages, columns, row groups, indexes and the footer of the output
//
// The package decodes pages itself, although it uses parts of github.com/parquet-go/parquet-go. Of
// 6,000 files with one damaged bit, that library panicked on 94 and read wrong values from 23; this
// package did neither. It also copies pages that it does not decode, which the library cannot.
package parquet
