//go:build small

package locate

// refitsCells tells Refit to build cells again. The WebAssembly module leaves out the code that
// refits cells.
const refitsCells = false
