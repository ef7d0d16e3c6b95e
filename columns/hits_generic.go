//go:build !amd64 || noasm

package columns

const hasAVX2 = false

func hitsAVX2(*entry, int, uint64) uint64 { panic("columns: no assembly") }
