package ply

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// readText reads an ASCII file in chunks of about chunkBytes bytes. If chunkBytes is 0, it reads
// the words in one pass.
func readText(data []byte, chunkBytes int) (*mesh.Soup, error) {
	s := soup.NewSource(context.Background(), soup.Options{Size: int64(len(data)), ChunkSize: chunkBytes})
	if err := s.Open(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	b := soup.NewBuilder(s)
	h, err := readHeader(s.Data)
	if err != nil {
		return nil, err
	}
	read := readASCII
	if chunkBytes == 0 {
		read = readWords
	}
	parts, err := read(s, b, h)
	if err != nil {
		return nil, err
	}
	if err := soup.Join(b, parts); err != nil {
		return nil, err
	}
	return b.Finish()
}

// TestChunks compares two readers of randomly damaged files: readText in chunks of lines, and
// readText in one pass.
func TestChunks(t *testing.T) {
	const head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" +
		"element face 2\nproperty list uchar int vertex_indices\nelement edge 1\nproperty int a\nend_header\n"
	const body = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3\n7\n"
	inserts := rapid.SampledFrom([]string{"", "\n", " ", "0", "-1", "3 0 1 2\n", "nan", "1 2 3\n", "\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := body
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			cut := rapid.IntRange(0, min(12, len(text)-at)).Draw(t, "cut")
			text = text[:at] + inserts.Draw(t, "insert") + text[at+cut:]
		}
		data := []byte(head + text)
		words, wordsErr := readText(data, 0)
		for _, size := range []int{1, 4, 13, 1000} {
			lines, err := readText(data, size)
			if fmt.Sprint(err) != fmt.Sprint(wordsErr) {
				t.Fatalf("lines: %v, words: %v; input %q", err, wordsErr, data)
			}
			if fmt.Sprint(lines) != fmt.Sprint(words) {
				t.Fatalf("lines:\n%v\nwords:\n%v\ninput %q", lines, words, data)
			}
		}
	})
}
