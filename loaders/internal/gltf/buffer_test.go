package gltf

import (
	"regexp"
	"testing"
)

// TestPatterns compares scheme and version2 with regular expressions, which the package does not use
// because they would be a large part of a small build.
func TestPatterns(t *testing.T) {
	schemes := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	versions := regexp.MustCompile(`^2\.[0-9]+\z`)
	var check func(prefix string, depth int)
	check = func(prefix string, depth int) {
		if got, want := scheme(prefix), schemes.FindString(prefix); got != want {
			t.Errorf("scheme(%q) = %q, want %q", prefix, got, want)
		}
		if got, want := version2(prefix), versions.MatchString(prefix); got != want {
			t.Errorf("version2(%q) = %v, want %v", prefix, got, want)
		}
		if depth == 0 {
			return
		}
		for _, c := range "2.0:+-/aAzZ@[`{9é \n\x00" {
			check(prefix+string(c), depth-1)
		}
	}
	check("", 4)
}
