// Package version identifies a build: the command and the libraries for other languages.
package version

import (
	"regexp"
	"runtime/debug"
)

// The linker can set these two for a build outside git, such as a package of a distribution:
//
//	go build -ldflags "-X github.com/inpoly/inpoly/internal/version.version=v1.2.3" ./cmd/inpoly
var (
	version string // takes precedence over the version in the build information
	commit  string // takes precedence over the commit in the build information
)

// pseudoVersion matches the versions that Go derives from a commit without a tag. It is the pattern
// of IsPseudoVersion in golang.org/x/mod/module.
var pseudoVersion = regexp.MustCompile(`^v[0-9]+\.(0\.0-|\d+\.\d+-([^+]*\.)?0\.)\d{14}-[A-Za-z0-9]+(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// Identify returns the version of this build, such as v1.2.3, and its commit. The version is devel
// if the commit has no tag. The commit is empty if it is unknown, and ends in +dirty if the files
// differ from it.
func Identify() (string, string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return identify(info, version, commit)
}

// identify returns the version and the commit of a build. A nonempty version or commit replaces the
// value in info.
func identify(info *debug.BuildInfo, version, commit string) (string, string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision, modified := settings["vcs.revision"], settings["vcs.modified"] == "true"
	if version == "" {
		version = info.Main.Version
		// In a clone, the version is a tag, or a pseudo-version that says no more than the commit. A
		// pseudo-version without a revision is a commit that go install fetched.
		if version == "" || version == "(devel)" || revision != "" && (modified || pseudoVersion.MatchString(version)) {
			version = "devel"
		}
	}
	if commit == "" && revision != "" {
		commit = revision[:min(12, len(revision))]
		if modified {
			commit += "+dirty"
		}
	}
	return version, commit
}
