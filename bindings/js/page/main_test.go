package main

import (
	"bytes"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The same input gives the same page. The policy of the page permits its script, and no address.
func TestPage(t *testing.T) {
	wasm := filepath.Join(t.TempDir(), "inpoly.wasm")
	if err := os.WriteFile(wasm, []byte("\x00asm"), 0o666); err != nil {
		t.Fatal(err)
	}
	first, err := page(t.Context(), "../../..", wasm, "inpoly v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	second, err := page(t.Context(), "../../..", wasm, "inpoly v1.2.3")
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("the second page differs from the first page, %v", err)
	}
	text := string(first)
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	_, script, found := strings.Cut(text[strings.LastIndex(text, "<script>"):], "<script>")
	script, _, closed := strings.Cut(script, "</script>")
	if policy == nil || !found || !closed {
		t.Fatal("the page has no policy or no script")
	}
	words := strings.Fields(strings.ReplaceAll(html.UnescapeString(policy[1]), ";", " ; "))
	if !slices.Contains(words, hashSource(script)) {
		t.Errorf("the policy %q does not permit the script", words)
	}
	for _, word := range words {
		if strings.Contains(word, "//") || strings.Contains(word, "*") || word == "http:" || word == "https:" || word == "'unsafe-eval'" {
			t.Errorf("the policy permits %s", word)
		}
	}
	for _, want := range []string{"inpoly v1.2.3", "<option>parquet</option>", `<option value="evenodd">`, "golang.org/x/image"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
