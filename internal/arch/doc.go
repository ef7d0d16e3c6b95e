// Package arch contains tests of the whole repository: they check the imports between packages, and
// the words in names and texts. It has no other code.
package arch
