// Package arch holds tests of the whole repository: which package may import which, and
// which words names and texts do not use. It has no code.
package arch
