// Package arch holds tests of the whole repository: which package may import which, and which words
// must not occur in names and texts. It has no code.
package arch
