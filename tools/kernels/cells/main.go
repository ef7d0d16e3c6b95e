// Cells writes the assembly of package cells/internal/layout:
//
//	go run ./kernels/cells -out ../cells/internal/layout/kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!noasm")
	lookUp()
	planeSigns()
	cornerSigns()
	Generate()
}
