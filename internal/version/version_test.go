package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	const revision = "c851fb1b0123456789abcdef0123456789abcdef"
	clone := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		name, main, version, commit string
		settings                    []debug.BuildSetting
		want                        string
	}{
		{name: "no information", want: "devel"},
		{name: "a clone without git", main: "(devel)", want: "devel"},
		{name: "go install of a version", main: "v1.2.3", want: "v1.2.3"},
		{name: "go install of a commit", main: "v0.0.0-20260102030405-c851fb1b0123", want: "v0.0.0-20260102030405-c851fb1b0123"},
		{name: "a clone", main: "v0.0.0-20260102030405-c851fb1b0123", settings: clone("false"), want: "devel c851fb1b0123"},
		{name: "a clone after a tag", main: "v1.2.4-0.20260102030405-c851fb1b0123", settings: clone("false"), want: "devel c851fb1b0123"},
		{name: "a clone of a tag", main: "v1.2.3", settings: clone("false"), want: "v1.2.3 c851fb1b0123"},
		{name: "a clone of a release candidate", main: "v1.2.3-rc.1", settings: clone("false"), want: "v1.2.3-rc.1 c851fb1b0123"},
		{name: "a changed clone", main: "v0.0.0-20260102030405-c851fb1b0123+dirty", settings: clone("true"), want: "devel c851fb1b0123+dirty"},
		{name: "a changed clone of a tag", main: "v1.2.3+dirty", settings: clone("true"), want: "devel c851fb1b0123+dirty"},
		{name: "Go 1.23", main: "(devel)", settings: clone("false"), want: "devel c851fb1b0123"},
		{name: "a stamped version", main: "(devel)", version: "v1.2.3", want: "v1.2.3"},
		{name: "a stamped version and commit", main: "(devel)", version: "v1.2.3", commit: "abc", want: "v1.2.3 abc"},
		{name: "a stamped version of a clone", main: "v1.2.2", settings: clone("false"), version: "v1.2.3", want: "v1.2.3 c851fb1b0123"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.main}, Settings: c.settings}
		version, commit := identify(info, c.version, c.commit)
		if got := strings.TrimSpace(version + " " + commit); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
