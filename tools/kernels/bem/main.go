// Command bem writes the assembly of package bem:
//
//	go run ./kernels/bem -out ../bem/panels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	windingAVX2()
	windingAVX512()
	Generate()
}

// These constants repeat offsets and sizes of package bem. TestPanelLayout checks them.
const (
	atRe    = 0
	atIm    = 8
	atTurns = 16
	atSizes = 24
	atX     = 32
	atSpan  = 56
	atDone  = 64
	atCount = 72 // offset of the number of blocks that the call has processed
	atLimit = 80 // offset of the number of blocks in Panels
	atUsed  = 88
	atList  = 96

	rowBytes  = 64
	rows      = 16
	callLimit = 48
)

// These constants are rows of a panelBlock.
const (
	rowA     = 0
	rowE1    = 3 // first row of −e1; e2 and n are also negated
	rowE2    = 6
	rowN     = 9
	rowC1    = 12
	rowC2    = 13
	rowC12   = 14
	rowLimit = 15
)

// loop generates the loop over the blocks of all spans. All kernels share it.
type loop struct {
	state, blocks, spans, n reg.Register

	span, left, budget, at, index, used reg.GPVirtual
}

func begin() *loop {
	l := &loop{
		state:  Load(Param("st"), GP64()),
		blocks: Load(Param("blocks"), GP64()),
		spans:  Load(Param("spans"), GP64()),
		n:      Load(Param("n"), GP64()),
		span:   GP64(), left: GP64(), budget: GP64(), at: GP64(), index: GP64(), used: GP64(),
	}
	MOVQ(Mem{Base: l.state, Disp: atSpan}, l.span)
	XORL(l.used.As32(), l.used.As32())
	MOVQ(U32(callLimit), l.budget)
	return l
}

// walk generates the loop over the blocks of all spans. blockBody generates the work for one block.
// It returns a register whose lowest eight bits mark the skipped lanes. The other bits are zero.
func (l *loop) walk(blockBody func(block func(row int) Mem) reg.GPVirtual) {
	Label("span")
	CMPQ(l.span, l.n)
	JGE(LabelRef("done"))
	MOVLQSX(Mem{Base: l.spans, Index: l.span, Scale: 8}, l.index)
	MOVLQSX(Mem{Base: l.spans, Index: l.span, Scale: 8, Disp: 4}, l.left)
	done := GP64()
	MOVQ(Mem{Base: l.state, Disp: atDone}, done)
	// If the span is not within the blocks, the code jumps to the label "wrong".
	room := GP64()
	MOVQ(Mem{Base: l.state, Disp: atLimit}, room)
	SUBQ(l.index, room)
	JCS(LabelRef("wrong"))
	CMPQ(l.left, room)
	JHI(LabelRef("wrong"))
	ADDQ(done, l.index)
	SUBQ(done, l.left)
	XORL(done.As32(), done.As32())
	MOVQ(done, Mem{Base: l.state, Disp: atDone})
	MOVQ(l.index, l.at)
	SHLQ(Imm(10), l.at)
	ADDQ(l.blocks, l.at)

	Label("block")
	TESTQ(l.left, l.left)
	JLE(LabelRef("next"))
	TESTQ(l.budget, l.budget)
	JE(LabelRef("pause"))
	missed := blockBody(func(row int) Mem { return Mem{Base: l.at, Disp: row * rowBytes} })
	// The code writes a list entry for every block. If no lane of the block was skipped, the entry
	// of the next block overwrites this entry.
	entry := GP64()
	MOVQ(l.index, entry)
	SHLQ(Imm(8), entry)
	ORQ(missed.As64(), entry)
	MOVQ(entry, Mem{Base: l.state, Index: l.used, Scale: 8, Disp: atList})
	CMPQ(missed.As64(), Imm(1))
	SBBQ(I8(-1), l.used)
	ADDQ(U32(rows*rowBytes), l.at)
	INCQ(l.index)
	DECQ(l.left)
	DECQ(l.budget)
	JMP(LabelRef("block"))

	Label("next")
	INCQ(l.span)
	JMP(LabelRef("span"))

	// The code reaches the label "pause" if the budget of blocks is used up within a span.
	Label("pause")
	count := GP64()
	MOVLQSX(Mem{Base: l.spans, Index: l.span, Scale: 8, Disp: 4}, count)
	SUBQ(l.left, count)
	MOVQ(count, Mem{Base: l.state, Disp: atDone})
	JMP(LabelRef("done"))

	Label("wrong")
	MOVQ(I32(-1), Mem{Base: l.state, Disp: atDone})

	Label("done")
	MOVQ(l.span, Mem{Base: l.state, Disp: atSpan})
	MOVQ(l.used, Mem{Base: l.state, Disp: atUsed})
	count = GP64()
	MOVQ(U32(callLimit), count)
	SUBQ(l.budget, count)
	MOVQ(count, Mem{Base: l.state, Disp: atCount})
}
