//go:build !amd64 || noasm

package columns

const hasAVX2 = false

func hitsAVX2(*entry, int, uint64) uint64 { panic("columns: no assembly") }

func withinAVX2(*uint64, int, uint64, uint64) uint64 { panic("columns: no assembly") }

func crossAVX2(*[9]float64, *float64, *float64, *float64, *int64, int) uint64 {
	panic("columns: no assembly")
}
