package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// component is a module of a build, or Go's standard library, with its licenses.
type component struct {
	module, version string
	sum             string   // hash as in go.sum, or "" for the standard library
	ids             []string // SPDX identifiers of all licenses that apply, sorted
	notices         []notice
}

// notice is a text that must accompany the command.
type notice struct {
	name string // path in the module
	text []byte
}

// noticeName matches the names of files with licenses, notices and grants of patents.
var noticeName = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying|^notice|^patents|^copyright`)

// known maps the licenses that permit the distribution of the command with a notice, in the names
// of licensecheck, to SPDX identifiers. A grant of patents has no identifier.
var known = map[string]string{
	"Apache-2.0": "Apache-2.0", "BSD-2-Clause": "BSD-2-Clause", "BSD-3-Clause": "BSD-3-Clause",
	"ISC": "ISC", "MIT": "MIT", "Zlib": "Zlib", "GooglePatentsFile": "",
}

// standardLibrary is the name of Go's standard library in a software bill of materials.
const standardLibrary = "std"

// licenses returns the modules in the build information of b and the standard library. The notices
// of a module are in its root folder and in the folders of the linked packages.
func (g *goTools) licenses(ctx context.Context, b *build) ([]component, error) {
	roots, folders, err := g.linked(ctx, b)
	if err != nil {
		return nil, err
	}
	list := []component{{module: standardLibrary, version: b.info.GoVersion}}
	if err := list[0].collect(g.root, []string{g.root}); err != nil {
		return nil, err
	}
	for _, d := range b.info.Deps {
		root, ok := roots[d.Path+"@"+d.Version]
		if !ok {
			return nil, fmt.Errorf("module %s %s is in the build information, but no package of it is linked", d.Path, d.Version)
		}
		c := component{module: d.Path, version: d.Version, sum: d.Sum}
		if err := c.collect(root, folders[root]); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(roots) != len(b.info.Deps) {
		return nil, fmt.Errorf("%d modules have linked packages, but %d are in the build information", len(roots), len(b.info.Deps))
	}
	return list, nil
}

// linked returns the root folder of each module (PATH@VERSION) with packages in b, and for each root
// the folders of these packages and their parents in the module.
func (g *goTools) linked(ctx context.Context, b *build) (roots map[string]string, folders map[string][]string, err error) {
	out, err := output(g.command(ctx, b.platform, "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/inpoly"))
	if err != nil {
		return nil, nil, err
	}
	roots, folders = map[string]string{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 || f[1] == "" {
			return nil, nil, fmt.Errorf("go list: unexpected line %q", line)
		}
		root := f[1]
		roots[f[0]] = root
		for dir := f[2]; ; dir = filepath.Dir(dir) {
			if !slices.Contains(folders[root], dir) {
				folders[root] = append(folders[root], dir)
			}
			if dir == root {
				break
			}
			if len(dir) <= len(root) {
				return nil, nil, fmt.Errorf("package folder %s is not in %s", f[2], root)
			}
		}
	}
	return roots, folders, nil
}

// collect reads the notices in the given folders below root. It fails if the root has no license, or
// if it does not know a license.
func (c *component) collect(root string, folders []string) error {
	slices.Sort(folders)
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !noticeName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			file := filepath.Join(dir, e.Name())
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			if err := c.add(filepath.ToSlash(name), text); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	if len(c.ids) == 0 {
		return fmt.Errorf("%s %s has no license in %s: %w", c.module, c.version, root, fs.ErrNotExist)
	}
	return nil
}

// add adds a notice. Files named NOTICE and the like need not contain a license.
func (c *component) add(name string, text []byte) error {
	cover := licensecheck.Scan(text)
	for _, m := range cover.Match {
		id, ok := known[m.ID]
		if !ok {
			return fmt.Errorf("the license %s is not in the list of accepted licenses", m.ID)
		}
		if id != "" && !slices.Contains(c.ids, id) {
			c.ids = append(c.ids, id)
		}
	}
	// least is the smallest percentage of a text that licensecheck must recognize. Below it, a part
	// of the text is an unknown license. Names and years of the copyright, which differ, are some
	// percent of a short license.
	const least = 75
	base := strings.ToLower(path.Base(name))
	if cover.Percent < least && !strings.HasPrefix(base, "notice") && !strings.HasPrefix(base, "copyright") {
		return fmt.Errorf("only %.0f%% of the text is a known license", cover.Percent)
	}
	slices.Sort(c.ids)
	c.notices = append(c.notices, notice{name, text})
	return nil
}

// notices returns the notices of all components as one text.
func notices(components []component) []byte {
	var s bytes.Buffer
	s.WriteString("The command inpoly contains Go's standard library and the modules below. Their licenses follow.\n\n")
	title := func(c component) string {
		if c.module == standardLibrary {
			return "Go standard library " + c.version
		}
		return c.module + " " + c.version
	}
	for _, c := range components {
		fmt.Fprintf(&s, "  %s: %s\n", title(c), strings.Join(c.ids, " AND "))
	}
	line := strings.Repeat("=", 80)
	for _, c := range components {
		for _, n := range c.notices {
			fmt.Fprintf(&s, "\n%s\n%s: %s\n%s\n\n", line, title(c), n.name, line)
			s.Write(bytes.TrimRight(bytes.ReplaceAll(n.text, []byte("\r\n"), []byte("\n")), "\n"))
			s.WriteString("\n")
		}
	}
	return s.Bytes()
}
