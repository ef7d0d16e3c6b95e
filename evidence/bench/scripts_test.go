package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The scripts run in the folder of the repository. Each path of this folder in them exists.
func TestPathsInScripts(t *testing.T) {
	scripts, err := filepath.Glob("*.sh")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	quoted := regexp.MustCompile(`(?:["/ (])((?:evidence/)?bench/[\w$./-]*)`)
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				at := strings.TrimRight(m[1], "./")
				if before := line[:strings.Index(line, m[1])]; strings.HasSuffix(before, "inpoly-") || strings.HasSuffix(before, "evidence/") {
					continue
				}
				if i := strings.IndexByte(at, '$'); i >= 0 {
					at = at[:i]
				}
				if _, err := os.Stat(filepath.Join("../..", at)); err != nil {
					t.Errorf("%s: %s does not exist, in %q", script, m[1], strings.TrimSpace(line))
				}
			}
		}
	}
}
