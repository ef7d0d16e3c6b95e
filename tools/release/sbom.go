package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeSBOM writes the software bill of materials of a build as CycloneDX 1.6 in JSON.
func writeSBOM(dist string, src *source, b *build) error {
	command, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(command)
	root := cdx.Component{
		BOMRef: packageURL(modulePath, src.version), Type: cdx.ComponentTypeApplication, Name: "inpoly", Version: src.version,
		PackageURL: packageURL(modulePath, src.version), Licenses: licenseExpression([]string{"MIT"}),
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Properties: &[]cdx.Property{
			{Name: "inpoly:commit", Value: src.commit},
			{Name: "inpoly:platform", Value: b.String()},
		},
		ExternalReferences: &[]cdx.ExternalReference{{Type: cdx.ERTypeVCS, URL: "https://" + modulePath}},
	}
	var components []cdx.Component
	var refs []string
	for _, c := range b.licenses {
		version := c.version
		if c.module == standardLibrary {
			version = strings.TrimPrefix(version, "go") // as in pkg:golang/std@1.26.0
		}
		url := packageURL(c.module, version)
		refs = append(refs, url)
		part := cdx.Component{
			BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: c.module, Version: version, PackageURL: url,
			Scope: cdx.ScopeRequired, Licenses: licenseExpression(c.ids),
		}
		if c.sum != "" {
			hash, err := sumHash(c.sum)
			if err != nil {
				return fmt.Errorf("%s %s: %w", c.module, c.version, err)
			}
			part.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hash}}
			part.Properties = &[]cdx.Property{{Name: "go.sum", Value: c.sum}}
		}
		components = append(components, part)
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = uuid.NewHash(sha256.New(), uuid.NameSpaceURL, sum[:], 8).URN()
	bom.Metadata = &cdx.Metadata{Timestamp: src.time.Format("2006-01-02T15:04:05Z07:00"), Component: &root}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: root.BOMRef, Dependencies: &refs}}
	var buf bytes.Buffer
	encoder := cdx.NewBOMEncoder(&buf, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return err
	}
	name := fmt.Sprintf("inpoly_%s_%s_%s.cdx.json", src.number(), b.os, b.arch)
	return os.WriteFile(filepath.Join(dist, name), buf.Bytes(), 0o644)
}

func packageURL(module, version string) string { return "pkg:golang/" + module + "@" + version }

func licenseExpression(ids []string) *cdx.Licenses {
	if len(ids) == 1 {
		return &cdx.Licenses{{License: &cdx.License{ID: ids[0]}}}
	}
	return &cdx.Licenses{{Expression: strings.Join(ids, " AND ")}}
}

// sumHash returns a sum of go.sum ("h1:" and SHA-256 in base64) in hexadecimal digits. The sum is a
// hash of the list of the module's files and their hashes, not of its zip file.
func sumHash(sum string) (string, error) {
	text, ok := strings.CutPrefix(sum, "h1:")
	raw, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(raw) != sha256.Size {
		return "", fmt.Errorf("unexpected sum %q", sum)
	}
	return hex.EncodeToString(raw), nil
}
