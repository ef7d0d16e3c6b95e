//go:build !small

package locate

// refitsCells tells Refit to keep the parts of cells that do not change.
const refitsCells = true
