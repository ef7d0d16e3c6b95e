package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is the number of independent sums that keep the processor busy. A fused multiply-add takes
// four cycles. In each cycle, the processor starts one instruction with eight lanes or two
// instructions with four lanes.
const chains = 8

// addColumns generates the sum over the columns, with a separate loop for each number of registers.
func addColumns(name string, s isa) {
	TEXT(name, NOSPLIT, "func(y *float64, rows int, columns, x *float64, n int)")
	Doc(name + " is addColumnsGeneric. rows and n must be positive.")
	y := Load(Param("y"), GP64())
	rows := Load(Param("rows"), GP64())
	from := Load(Param("columns"), GP64())
	x := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	stride, thrice := GP64(), GP64()
	MOVQ(rows, stride)
	SHLQ(Imm(3), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, thrice)
	// step is the number of registers for eight rows. The number of rows is a multiple of eight.
	step := 8 / s.lanes

	Label("block")
	CMPQ(rows, U32(uint32(s.most*s.lanes)))
	JGE(LabelRef(rowsLabel(s.most)))
	choose(rows, s.lanes, step, s.most-step, step)
	for k := step; k <= s.most; k += step {
		Label(rowsLabel(k))
		b := block{isa: s, k: k, x: GP64(), at: GP64(), n: GP64()}
		b.sets = max(1, min(4, chains/k))
		if b.sets == 3 {
			b.sets = 2
		}
		MOVQ(x, b.x)
		MOVQ(from, b.at)
		MOVQ(n, b.n)
		b.sum(stride, thrice)
		for i, v := range b.acc[0] {
			at := Mem{Base: y, Disp: i * s.bytes()}
			VADDPD(at, v, v)
			VMOVUPD(v, at)
		}
		SUBQ(U32(uint32(k*s.lanes)), rows)
		JE(LabelRef("done"))
		ADDQ(U32(uint32(k*s.bytes())), y)
		ADDQ(U32(uint32(k*s.bytes())), from)
		JMP(LabelRef("block"))
	}
	Label("done")
	VZEROUPPER()
	RET()
}

func rowsLabel(k int) string { return fmt.Sprintf("rows%d", k) }

// choose generates a binary search that jumps to the loop for k registers, low ≤ k ≤ high.
func choose(rows reg.Register, lanes, low, high, step int) {
	if low == high {
		JMP(LabelRef(rowsLabel(low)))
		return
	}
	k := low + (high-low)/(2*step)*step
	CMPQ(rows, U32(uint32(k*lanes)))
	JE(LabelRef(rowsLabel(k)))
	above := fmt.Sprintf("above%d", k)
	if k > low {
		JG(LabelRef(above))
		choose(rows, lanes, low, k-step, step)
		Label(above)
	}
	choose(rows, lanes, k+step, high, step)
}

// block generates the sum over the columns for k registers of rows. It has several sets of k
// registers and adds successive columns to different sets.
type block struct {
	isa
	k, sets  int
	x, at, n reg.GPVirtual
	acc      [][]reg.VecVirtual
}

// sum generates the loops of a block. The loops leave the sums in the registers acc[0].
func (b *block) sum(stride, thrice reg.Register) {
	label := func(what string) string { return fmt.Sprintf("%s%d", what, b.k) }
	b.acc = make([][]reg.VecVirtual, b.sets)
	for i := range b.acc {
		for range b.k {
			b.acc[i] = append(b.acc[i], b.zero())
		}
	}
	columnAt := []Mem{
		{Base: b.at},
		{Base: b.at, Index: stride, Scale: 1},
		{Base: b.at, Index: stride, Scale: 2},
		{Base: b.at, Index: thrice, Scale: 1},
	}
	if b.sets > 1 {
		CMPQ(b.n, Imm(uint64(b.sets)))
		JL(LabelRef(label("rest")))
		Label(label("sets"))
		for i := range b.sets {
			b.column(i, columnAt[i], i)
		}
		LEAQ(Mem{Base: b.at, Index: stride, Scale: uint8(b.sets)}, b.at)
		b.advance(b.sets)
		CMPQ(b.n, Imm(uint64(b.sets)))
		JGE(LabelRef(label("sets")))
		Label(label("rest"))
		TESTQ(b.n, b.n)
		JE(LabelRef(label("join")))
	}
	Label(label("column"))
	b.column(0, columnAt[0], 0)
	ADDQ(stride, b.at)
	b.advance(1)
	JNE(LabelRef(label("column")))
	if b.sets == 1 {
		return
	}
	Label(label("join"))
	for w := b.sets / 2; w > 0; w /= 2 {
		for i := range w {
			for j := range b.k {
				VADDPD(b.acc[i+w][j], b.acc[i][j], b.acc[i][j])
			}
		}
	}
}

// column generates instructions that add x[i] times a column to the registers of a set.
func (b *block) column(set int, at Mem, i int) {
	v := b.vec()
	VBROADCASTSD(Mem{Base: b.x, Disp: 8 * i}, v)
	for j, acc := range b.acc[set] {
		VFMADD231PD(at.Offset(j*b.bytes()), v, acc)
	}
}

// advance generates instructions that skip the given number of columns. After these instructions,
// the processor flags show whether columns remain.
func (b *block) advance(columns int) {
	ADDQ(Imm(uint64(8*columns)), b.x)
	SUBQ(Imm(uint64(columns)), b.n)
}
