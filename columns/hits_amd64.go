//go:build !noasm

package columns

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor and the operating system can run the function in
// hits_amd64.s, which tools/kernels/columns generates.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func hitsAVX2(entries *entry, n int, p uint64) (hits uint64)
