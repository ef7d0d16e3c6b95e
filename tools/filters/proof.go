package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/constant"
	"go/types"
	"io/fs"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// proof is a proof in a file.
type proof struct {
	path      string
	text      string
	constants map[string]*big.Rat // the constants that the text names, and their values in the source
	places    []place
}

// place is a package to which a proof applies: the package in the folder of the proof, or one in a
// line "# also: folder". The package has the constants of the proof, with the same values.
type place struct {
	dir     string
	rounded []string // functions whose products are rounded
}

var (
	placeholder = regexp.MustCompile(`@(\w+)@`)
	directive   = regexp.MustCompile(`(?m)^# (rounded|also|rounded there): (.*)$`)
)

// find returns the proofs below a folder.
func find(root string) ([]*proof, error) {
	var proofs []*proof
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".gappa" {
			return err
		}
		p, err := read(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		proofs = append(proofs, p)
		return nil
	})
	return proofs, err
}

// read reads a proof and the constants of its package.
func read(path string) (*proof, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &proof{path: path, text: string(text), places: []place{{dir: filepath.Dir(path)}}}
	for _, d := range directive.FindAllStringSubmatch(p.text, -1) {
		last := &p.places[len(p.places)-1]
		switch d[1] {
		case "also":
			p.places = append(p.places, place{dir: filepath.Join(filepath.Dir(path), d[2])})
		default:
			last.rounded = strings.Split(d[2], ", ")
		}
	}
	for i, at := range p.places {
		values, err := p.values(at.dir)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.constants = values
		}
		for name, v := range p.constants {
			if v.Cmp(values[name]) != 0 {
				return nil, fmt.Errorf("%s has the value %v in %s, but %v here", name, values[name], at.dir, v)
			}
		}
	}
	return p, nil
}

// values returns the values of the constants that the proof names, in the package in a folder.
func (p *proof) values(dir string) (map[string]*big.Rat, error) {
	pkg, err := load(dir)
	if err != nil {
		return nil, err
	}
	values := map[string]*big.Rat{}
	for _, m := range placeholder.FindAllStringSubmatch(p.text, -1) {
		if values[m[1]], err = value(pkg, m[1]); err != nil {
			return nil, err
		}
	}
	if len(values) == 0 {
		return nil, errors.New("the proof names no constant as @name@")
	}
	return values, nil
}

// load returns the types of the package in a folder.
func load(dir string) (*types.Package, error) {
	config := packages.Config{Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports, Dir: dir}
	list, err := packages.Load(&config, ".")
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || len(list[0].Errors) > 0 {
		return nil, fmt.Errorf("the package in %s has errors", dir)
	}
	return list[0].Types, nil
}

// value returns the value of a constant of a package, or of a package that it imports.
func value(pkg *types.Package, name string) (*big.Rat, error) {
	found := map[string]constant.Value{}
	for _, p := range append([]*types.Package{pkg}, pkg.Imports()...) {
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok && (p == pkg || c.Exported()) {
			found[c.Val().ExactString()] = c.Val()
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d constants with the name %s and different values, want 1", len(found), name)
	}
	for text := range found {
		if r, ok := new(big.Rat).SetString(text); ok {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s is not a number", name)
}

// instance returns the text with the given values of the constants.
func (p *proof) instance(values map[string]*big.Rat) (string, error) {
	var err error
	text := placeholder.ReplaceAllStringFunc(p.text, func(s string) string {
		v := values[strings.Trim(s, "@")]
		exponent := v.Denom().BitLen() - 1
		if new(big.Int).Lsh(big.NewInt(1), uint(exponent)).Cmp(v.Denom()) != 0 {
			err = fmt.Errorf("the denominator of %s is not a power of two", s)
		}
		return fmt.Sprintf("%db-%d", v.Num(), exponent)
	})
	return text, err
}

// prove runs Gappa. Gappa also warns of rewriting rules that it cannot verify, so a warning is an error.
func prove(ctx context.Context, text string) error {
	cmd := exec.CommandContext(ctx, "gappa", "-Eprecision=300")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if out = bytes.TrimSpace(out); err != nil || len(out) > 0 {
		return fmt.Errorf("not proved: %v: %s", err, out)
	}
	return nil
}

// fused matches the instructions of arm64 that round a product and a sum once.
var fused = regexp.MustCompile(`\bFN?M(ADD|SUB)[DS]\b`)

// checkProducts compiles the packages for arm64. It returns an error if a function whose products must
// be rounded is missing, or if its machine code has a fused multiplication.
func (p *proof) checkProducts(ctx context.Context) error {
	for _, at := range p.places {
		if len(at.rounded) == 0 {
			continue
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-gcflags=-S", "-o", os.DevNull, ".")
		cmd.Dir = at.dir
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("go build: %w: %s", err, out)
		}
		if err := checkAssembly(string(out), at.rounded); err != nil {
			return err
		}
	}
	return nil
}

// function matches the line of the output of -gcflags=-S where a function begins.
var function = regexp.MustCompile(`(?m)^\S+\.(\w+) STEXT`)

// checkAssembly examines machine code as the Go compiler prints it.
func checkAssembly(text string, names []string) error {
	missing := slices.Clone(names)
	starts := function.FindAllStringSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name := text[at[2]:at[3]]
		if !slices.Contains(names, name) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(s string) bool { return s == name })
		if found := fused.FindString(text[at[0]:end]); found != "" {
			return fmt.Errorf("%s has the instruction %s on arm64: round the product by float64(…)", name, found)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no machine code for %v", missing)
	}
	return nil
}
