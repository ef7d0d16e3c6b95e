//go:build small

package locate

// refitsCells says that Refit builds cells again. The module for browsers leaves the code out that refits them.
const refitsCells = false
