// Package table has the types that point formats share: blocks of rows, answer columns, and
// the interfaces of an input format (Source) and an output format (Sink). It contains no
// format itself. Programs that use package points need Block and Column; the rest is for
// authors of formats.
//
// A point cloud is a table: each row is a point, and three of its fields are the
// coordinates. A Source divides its input into Blocks of whole rows and parses their points.
// A callback answers them. A Sink formats the rows with their answers and writes them, in
// order. One goroutine fills blocks and one writes them. Many goroutines parse and format at
// the same time, each with its own block.
//
// Every Source has a Sink of the same format, which passes all fields through bit for bit
// (Source.Passthrough). Sinks of other formats read the fields as Values, column by column:
//
//	for i, f := range src.Fields() {
//		if err := src.Values(b, i, &v); err != nil {
//			return err
//		}
//		fmt.Println(f.Name, f.Type, v.Floats, v.Ints)
//	}
package table
