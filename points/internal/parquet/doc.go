// Package parquet reads and writes tables of points in Apache Parquet
// (github.com/apache/parquet-format).
//
// New reads the footer of a file, its schema and where its row groups are. A block is a
// run of rows of one row group: Fill reads the pages of its coordinates, Parse decodes
// them, each page once for all blocks that share it. All codecs but LZO and the old LZ4
// are read, all encodings, and both versions of pages.
//
// Memory does not grow with the rows, but with the pages and the columns, as a page can
// only be decoded as a whole. At once there are, decoded, all pages that have rows of the
// blocks under way (65,536 rows each; a Job has two a worker and two more), of the
// coordinates, and of all columns where rows are left out, at the ends of a shard and for
// another format; for each worker the bytes of the page that it decodes; and the
// dictionaries of the row group. Pages of a megabyte, as writers make them, take some
// megabytes a column; eight columns of float64 in pages of 64 MiB took 0.5 GB, and 0.8 GB
// with rows left out. To keep less and decode a page again for each of its blocks was
// tried: it took twelve times as long for those, and no less memory.
//
// The sink of the same format (Source.Passthrough) never decodes what it passes on: a row group
// none of whose rows are left out is copied byte by byte, with its dictionaries,
// statistics, indexes and Bloom filters, and the footer keeps what it says; only places
// are changed, and the answers are added as columns behind the others. Where rows are
// left out, and at the ends of a shard, the pages are written anew, without statistics,
// with the codec and the dictionary of the column (Zstandard in place of Brotli), all
// values and levels the same bit for bit. Other sources are written by Convert.
//
// The answers: Inside is an optional BOOLEAN (null where it is uncertain), State and
// Label are strings with a dictionary, Number and Bound are DOUBLE, Integer is INT64,
// Words are strings. Their pages are compressed by Snappy.
//
// A file is read from its end and from many places at once, so it must be a plain file.
// The key ARROW:schema of the footer, which tells Arrow about each column by its number,
// is left out where columns are added: readers that trust it would look for more columns
// than it has. A Sink is no table.Resumer: a footer knows all that was written before.
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
package parquet
