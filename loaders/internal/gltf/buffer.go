package gltf

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// buffer returns the content of buffer i. It reads each buffer only once.
func (d *document) buffer(i int, refPath string) ([]byte, error) {
	if i < 0 || i >= len(d.doc.Buffers) {
		return nil, soup.AtPath(refPath, soup.ErrIndexRange, "buffer %d does not exist: the file has %d", i, len(d.doc.Buffers))
	}
	if data, ok := d.loaded[i]; ok {
		return data, nil
	}
	at := fmt.Sprintf("/buffers/%d", i)
	buf := d.doc.Buffers[i]
	if buf.ByteLength < 0 {
		return nil, soup.AtPath(at, soup.ErrSyntax, "byteLength is %d, must not be negative", buf.ByteLength)
	}
	var data []byte
	var err error
	switch {
	case buf.URI != "":
		data, err = d.resource(buf.URI, at+"/uri")
	case d.glb && i == 0 && d.bin != nil:
		data = d.bin
	case d.glb && i == 0:
		err = soup.AtPath(at, soup.ErrTruncated, "the file has no BIN chunk")
	case d.isFallback(i):
		err = soup.AtPath(at, soup.ErrSyntax, "the buffer is a fallback without content, but %s is not compressed", refPath)
	default:
		err = soup.AtPath(at, soup.ErrSyntax, "the buffer has no uri")
	}
	if err != nil {
		return nil, err
	}
	// Content that is longer than byteLength is legal (glTF 2.0 §3.6.1.1).
	if len(data) < buf.ByteLength {
		return nil, soup.AtPath(at, soup.ErrTruncated, "the content has %d bytes, but byteLength is %d", len(data), buf.ByteLength)
	}
	data = data[:buf.ByteLength:buf.ByteLength]
	d.loaded[i] = data
	return data, nil
}

// scheme returns the scheme of an absolute URI with its colon (RFC 3986 §3.1), or "". The drive letter
// of a Windows path is also a scheme.
func scheme(uri string) string {
	for i := range len(uri) {
		c := uri[i]
		switch letter := 'a' <= c|0x20 && c|0x20 <= 'z'; {
		case letter, i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '.' || c == '-'):
		case i > 0 && c == ':':
			return uri[:i+1]
		default:
			return ""
		}
	}
	return ""
}

// hintURI is the hint in errors about resources that the package does not read.
const hintURI = "only data URIs and files in or below the folder of the mesh are read"

// resource returns the content of a resource: the data of a data URI in base64, or a file in or
// below the folder of the mesh.
func (d *document) resource(uri, place string) ([]byte, error) {
	if len(uri) >= 5 && strings.EqualFold(uri[:5], "data:") {
		return d.dataURI(uri[5:], place)
	}
	if s := scheme(uri); s != "" {
		return nil, soup.AtPath(place, soup.ErrUnsupported, "the URI is absolute, with the scheme %s", quote.Word(s)).WithHint(hintURI)
	}
	// URIs are percent-encoded, but some programs store a file name without encoding.
	name, err := url.PathUnescape(uri)
	if err != nil {
		name = uri
	}
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") {
		return nil, soup.AtPath(place, soup.ErrUnsupported, "the path is absolute").WithHint(hintURI)
	}
	name = path.Clean(name)
	if data, ok := d.files[name]; ok {
		return data, nil
	}
	data, err := d.src.External(name)
	if err != nil {
		var e *soup.Error
		if errors.As(err, &e) {
			e.Path = place + " " + name
		}
		return nil, err
	}
	d.files[name] = data
	return data, nil
}

// dataURI decodes a data URI of the form [<media type>];base64,<data>. glTF allows no other form
// for buffers (§2.7). The padding of the base64 data can be missing.
func (d *document) dataURI(rest, place string) ([]byte, error) {
	head, text, ok := strings.Cut(rest, ",")
	if !ok || !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return nil, soup.AtPath(place, soup.ErrSyntax, "the data URI has no \";base64,\"")
	}
	if strings.Contains(text, "%") {
		plain, err := url.PathUnescape(text)
		if err != nil {
			return nil, soup.AtPath(place, soup.ErrSyntax, "data URI: %w", err)
		}
		text = plain
	}
	text = strings.TrimRight(text, "=")
	size := base64.RawStdEncoding.DecodedLen(len(text))
	if err := d.src.Budget.Reserve(int64(size)); err != nil {
		return nil, err
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, soup.AtPath(place, soup.ErrSyntax, "data URI: %w", err)
	}
	return data, nil
}
