package npy

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkPassthrough reads, parses and formats blocks without answers on one goroutine.
func BenchmarkPassthrough(b *testing.B) {
	const n = 200_000
	a := randomArray(rand.New(rand.NewPCG(1, 1)), n, 3)
	for _, descr := range []string{"<f4", "<f8", ">f8"} {
		text := string(a.file(descr, false))
		b.Run(fmt.Sprintf("type=%s/points=%d", descr, n), func(b *testing.B) {
			files.BenchmarkPassthrough(b, text, n)
		})
	}
}
