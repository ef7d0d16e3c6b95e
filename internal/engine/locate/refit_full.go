//go:build !small

package locate

// refitsCells says that Refit keeps the parts of cells that do not change.
const refitsCells = true
