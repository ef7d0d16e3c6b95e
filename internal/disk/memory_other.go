//go:build !linux

package disk

// AnonymousMemory returns 0: the memory of the process is unknown.
func AnonymousMemory() int64 { return 0 }
