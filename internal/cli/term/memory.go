package term

import "runtime/debug"

// These constants are those of the default memory limit of package loaders. The program itself and
// memory that the runtime does not count take up to programBytes of the base.
const (
	memoryBase   = 64 << 20
	memoryFactor = 16
	programBytes = 24 << 20
)

// LimitGarbage makes the runtime collect garbage early enough that it does not let the process exceed
// limit plus 64 MB, if the memory in use permits. The limit 0 stands for 16 times the bytes of the
// input. The returned function restores the previous setting.
func LimitGarbage(limit, inputBytes int64) (restore func()) {
	if limit == 0 {
		limit = memoryFactor * inputBytes
	}
	before := debug.SetMemoryLimit(limit + memoryBase - programBytes)
	return func() { debug.SetMemoryLimit(before) }
}
