// Package parquet reads and writes tables of points in Apache Parquet
// (github.com/apache/parquet-format).
//
// # Reading
//
// New reads the footer of a file: the schema and the row groups. A block is a range of rows of one
// row group. Fill reads the pages of its coordinates, and Parse decodes them. A page is decoded
// once for all blocks that share it. The package reads all codecs except LZO and the old LZ4, all
// encodings, and both versions of pages. The input must be a plain file, because New begins at its
// end, and goroutines read at several offsets at once.
//
// A page can only be decoded as a whole. Memory therefore grows with the size of the pages and the
// number of columns, but not with the number of rows. These parts are in memory at once:
//   - the decoded pages of the coordinates of all current blocks (a block has 65,536 rows, and a
//     Job has two blocks for each worker and two more);
//   - the decoded pages of all other columns, for rewritten blocks (see Writing) and if the output
//     has another format;
//   - for each worker, the bytes of the page that it decodes;
//   - the dictionaries of the row group.
//
// Writers usually make pages of a megabyte, which take some megabytes for each column. Eight columns
// of float64 in pages of 64 MiB took 0.5 GB, and 0.8 GB with dropped rows. Decoding a page again for
// each of its blocks took twelve times as long for these files, and saved no memory.
//
// # Writing
//
// Source.Passthrough returns a sink of the same format. If no row of a row group is dropped, the sink
// copies the group byte by byte, with its dictionaries, statistics, indexes and Bloom filters. The
// footer keeps everything except offsets, and the answers become additional columns. If rows are
// dropped, and at the ends of a shard, the sink rewrites pages, without statistics. The new pages
// keep the dictionary of the column, and all values and levels bit for bit. The new pages also keep
// the codec, but Zstandard replaces Brotli. Convert returns a sink for sources of other formats.
//
// Inside is an optional BOOLEAN (null if uncertain), State and Label are strings with a dictionary,
// Number and Bound are optional DOUBLE (null if NaN), Integer is INT64, and Words are strings. Snappy
// compresses the pages.
//
// For Arrow, the key ARROW:schema in the footer describes each column by its number. A sink that
// adds columns removes this key. Otherwise, Arrow readers would expect the old number of columns.
// No sink implements table.Resumer, because the footer describes all earlier row groups.
//
// # Why not the library
//
// The package decodes pages itself, although it uses parts of github.com/parquet-go/parquet-go. Of
// 6,000 files with one damaged bit, that library panicked on 94 and read wrong values from 23. This
// package did neither. This package can also copy pages without decoding them, which the library
// cannot do.
package parquet
