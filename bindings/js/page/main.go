// Command page builds dist/inpoly.html, a page that locates points in a browser without a server and
// without a network. The page has the command inpoly as WebAssembly (bindings/js/command), packed with gzip.
//
//	go run . -out ../../../dist/inpoly.html
//
// The same source and the same Go version give the same bytes. docs/page.md describes the page.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/view"
)

//go:embed assets
var assets embed.FS

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("page", flag.ContinueOnError)
	root := flags.String("root", "../../..", "`folder` of the repository")
	out := flags.String("out", "", "`file` to write")
	wasm := flags.String("wasm", "", "`file` with the command, built from bindings/js/command (default: build it)")
	version := flags.String("version", "", "`version` that the page shows (default: a development build)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return errors.New("expected -out FILE and no arguments")
	}
	if *wasm == "" {
		dir, err := os.MkdirTemp("", "inpoly-page-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*wasm = filepath.Join(dir, "inpoly.wasm")
		if err := build(ctx, *root, *wasm); err != nil {
			return err
		}
	}
	text, err := page(ctx, *root, *wasm, *version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(*out, text, 0o644)
}

// build builds the command as WebAssembly. The packages in cmd/inpoly/compact.txt have no inlined functions, which
// makes the file smaller. They do not run for each point.
func build(ctx context.Context, root, out string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	compact, err := os.ReadFile(filepath.Join(root, "cmd", "inpoly", "compact.txt"))
	if err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}
	for _, name := range strings.Fields(string(compact)) {
		args = append(args, "-gcflags="+name+"=-l")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./bindings/js/command")...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	return cmd.Run()
}

// choice is a value of a flag and what it means.
type choice struct{ Name, Note string }

// choices pairs the values of a flag with their meanings. A value without a meaning is its own.
func choices(names []string, notes map[string]string) []choice {
	var list []choice
	for _, name := range names {
		list = append(list, choice{name, notes[name]})
	}
	return list
}

// block is packed data in the page.
type block struct{ ID, Text string }

type content struct {
	Policy, Style, Worker, Script, Version string
	Licenses                               []license
	Formats                                []string
	Rules, Orients, Methods                []choice
	Data                                   []block
}

// page returns the page.
func page(ctx context.Context, root, wasm, version string) ([]byte, error) {
	read := func(names ...string) string {
		var s strings.Builder
		for _, name := range names {
			text, err := assets.ReadFile("assets/" + name)
			if err != nil {
				panic(err) // cannot happen, because the file is embedded
			}
			s.Write(text)
		}
		return s.String()
	}
	worker, err := library(ctx, root, "scope.js", "files.js", "program.js")
	if err != nil {
		return nil, err
	}
	if version == "" {
		version = "inpoly, development build"
	}
	c := content{
		Version: version, Style: read("page.css"), Formats: points.OutputFormats(),
		Worker: worker + read("worker.js"), Script: "\"use strict\";\n" + read("engine.js", "chosen.js", "page.js"),
		Rules: choices(answer.RuleNames, map[string]string{
			"nonzero": "|W| > 1/2", "positive": "W > 1/2", "negative": "W < −1/2", "evenodd": "odd number of crossings",
		}),
		Orients: choices(answer.OrientNames, map[string]string{
			"auto": "turn flipped faces over", "never": "take the mesh as it is", "always": "also parts that face inward",
		}),
		Methods: choices(answer.MethodNames, map[string]string{"auto": "the fastest"}),
	}
	for _, d := range []struct{ id, path string }{
		{"wasm", wasm},
		{"example-mesh", filepath.Join(root, "testdata/knot.stl")},
		{"example-points", filepath.Join(root, "testdata/points.csv")},
	} {
		text, err := pack(d.path)
		if err != nil {
			return nil, err
		}
		c.Data = append(c.Data, block{d.id, text})
	}
	if c.Licenses, err = licenses(ctx, root); err != nil {
		return nil, err
	}
	inner, err := viewSource(ctx)
	if err != nil {
		return nil, err
	}
	// Frames and workers with blob: addresses inherit this policy, so it permits the script of the 3D
	// view and its style sheets, which differ from scene to scene.
	c.Policy = fmt.Sprintf("default-src 'none'; script-src %s %s 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "+
		"worker-src blob:; frame-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'", hashSource(c.Script), inner)
	for _, text := range []string{c.Worker, c.Script} {
		if strings.Contains(strings.ToLower(text), "</script") {
			return nil, errors.New("a script contains the end of a script")
		}
	}
	var out bytes.Buffer
	err = template.Must(template.New("page").Parse(read("page.html"))).Execute(&out, c)
	return out.Bytes(), err
}

// hashSource returns the source expression of a Content-Security-Policy that permits a script.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// moduleWords matches the imports and the word export of an ES module.
var moduleWords = regexp.MustCompile(`(?m)^(import .*;\n|export )`)

// library returns files of bindings/js/lib as one script, without imports and exports. It begins with the function
// createGo, which returns the class Go of wasm_exec.js for a global scope (bindings/js/build/go.mjs).
func library(ctx context.Context, root string, names ...string) (string, error) {
	goRoot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goRoot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return "", err
	}
	var script strings.Builder
	fmt.Fprintf(&script, "\"use strict\";\nfunction createGo(globalThis) {\nconst { fs, process, path, crypto, performance, TextEncoder, TextDecoder } = globalThis;\n%s\nreturn globalThis.Go;\n}\n", support)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, "bindings", "js", "lib", name))
		if err != nil {
			return "", err
		}
		script.Write(moduleWords.ReplaceAll(text, nil))
	}
	return script.String(), nil
}

// pack returns the content of a file, packed with gzip, as base64.
func pack(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
		err = errors.Join(err, z.Close())
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

// license is the text of the license files of a module.
type license struct{ Module, Text string }

// licenses returns the licenses of inpoly, of Go and of the modules in the command. The texts are
// escaped for HTML.
func licenses(ctx context.Context, root string) ([]license, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}", "./bindings/js/command")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	goRoot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	var list []license
	for _, line := range append(slices.Compact(modules), "the Go programming language\t"+strings.TrimSpace(string(goRoot))) {
		name, dir, _ := strings.Cut(line, "\t")
		var text strings.Builder
		for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*"} {
			paths, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				data, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				text.Write(data)
			}
		}
		if text.Len() == 0 {
			return nil, fmt.Errorf("%s has no license file", name)
		}
		list = append(list, license{strings.TrimSpace(name), html.EscapeString(text.String())})
	}
	return list, nil
}

// viewSource returns the source expression that permits the script of the 3D view.
func viewSource(ctx context.Context) (string, error) {
	soup := mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
	}
	m, err := mesh.New(ctx, soup, mesh.Options{})
	if err != nil {
		return "", err
	}
	solid, err := inpoly.New(ctx, m, inpoly.Options{})
	if err != nil {
		return "", err
	}
	scene, err := view.New(ctx, solid, nil, view.Options{Pixels: 16})
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := scene.WriteHTML(&text); err != nil {
		return "", err
	}
	found := regexp.MustCompile(`script-src ('sha256-[A-Za-z0-9+/=]+')`).FindSubmatch([]byte(html.UnescapeString(text.String())))
	if found == nil {
		return "", errors.New("the 3D view has no policy for its script")
	}
	return string(found[1]), nil
}
