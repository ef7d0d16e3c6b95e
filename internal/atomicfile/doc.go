// Package atomicfile writes output files that appear completely or not at all.
//
// A File appears when it is committed and disappears when it is aborted or the process
// dies. A Resumable behaves in the same way, but an interrupted run leaves its bytes and
// a journal, and the next run continues from them.
//
//	f, err := atomicfile.Create("out.csv")
//	if err != nil {
//		return err
//	}
//	defer f.Abort() // does nothing after Commit
//	if _, err := f.Write(data); err != nil {
//		return err
//	}
//	return f.Commit()
package atomicfile
