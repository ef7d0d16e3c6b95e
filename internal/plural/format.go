package plural

import (
	"fmt"
	"strings"
)

// nouns are the plurals that Sprintf and Errorf recognize, with their singulars.
var nouns = map[string]string{
	"arguments": "argument", "arrays": "array", "bodies": "body", "boxes": "box", "buckets": "bucket", "bytes": "byte", "cells": "cell", "columns": "column",
	"components": "component", "coordinates": "coordinate", "copies": "copy", "corners": "corner", "degrees": "degree", "differences": "difference",
	"duplicates": "duplicate", "edges": "edge", "elements": "element", "entries": "entry", "faces": "face", "fields": "field", "files": "file", "geometries": "geometry",
	"indices": "index", "inputs": "input", "instances": "instance", "integers": "integer", "kinds": "kind", "layers": "layer", "lattices": "lattice", "levels": "level", "lines": "line",
	"lists": "list", "meshes": "mesh", "miniblocks": "miniblock", "names": "name", "nodes": "node", "numbers": "number", "objects": "object",
	"pairs": "pair", "parts": "part", "pieces": "piece", "pixels": "pixel", "points": "point", "polygons": "polygon", "primitives": "primitive",
	"processors": "processor", "properties": "property", "quads": "quad", "rays": "ray", "records": "record", "repetitions": "repetition", "rings": "ring", "rows": "row",
	"samples": "sample", "scenes": "scene", "shards": "shard", "shells": "shell", "sides": "side", "solids": "solid", "steps": "step",
	"strings": "string", "strips": "strip", "times": "time", "triangles": "triangle", "values": "value", "vertices": "vertex", "visits": "visit",
	"voxels": "voxel", "words": "word",
}

// verbs are verbs directly after a noun, with their forms for one thing.
var verbs = map[string]string{
	"are": "is", "have": "has", "were": "was", "do": "does", "need": "needs", "follow": "follows", "cannot": "cannot", "exceed": "exceeds", "look": "looks",
}

// others are words that can follow a number but do not belong to a noun phrase, as in "version 1
// with points".
var others = map[string]bool{
	"of": true, "in": true, "with": true, "at": true, "to": true, "from": true, "the": true, "and": true, "or": true, "has": true, "is": true,
	"than": true, "for": true, "before": true, "after": true, "by": true, "on": true, "was": true, "needs": true, "refers": true,
}

// Sprintf formats like fmt.Sprintf, except that a noun after the number 1 becomes singular. With the
// number 1, "%d open edges are left" gives "1 open edge is left", and "there are %d faces" gives "there
// is 1 face". The noun is one of the first three words after the verb %d. Sprintf recognizes the nouns
// and verbs of this package's tables.
func Sprintf(format string, args ...any) string {
	if s := singular(format, args); s != format {
		return fmt.Sprintf(s, args...)
	}
	return fmt.Sprintf(format, args...)
}

// Errorf formats like fmt.Errorf, with nouns as in Sprintf.
func Errorf(format string, args ...any) error {
	if s := singular(format, args); s != format {
		return fmt.Errorf(s, args...)
	}
	return fmt.Errorf(format, args...)
}

// singular returns the format with singular nouns for numbers that are 1 or −1. It leaves a format
// with explicit argument indexes or with * as it is.
func singular(format string, args []any) string {
	if strings.Contains(format, "%[") || strings.Contains(format, "*") {
		return format
	}
	var out strings.Builder
	next := 0 // the argument of the next verb
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 || at+1 == len(format) {
			break
		}
		end := at + 1 // the letter of the verb
		for end < len(format)-1 && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		before, verb := format[:at], format[end]
		code := format[at : end+1]
		format = format[end+1:]
		if verb == 'd' && next < len(args) && isOne(args[next]) {
			changed := nounInSingular(format)
			if start, ok := strings.CutSuffix(before, "there are "); ok && changed != format {
				before = start + "there is "
			}
			format = changed
		}
		out.WriteString(before + code)
		if verb != '%' {
			next++
		}
	}
	out.WriteString(format)
	return out.String()
}

func isOne(x any) bool {
	switch s := fmt.Sprint(x); s {
	case "1", "-1":
		return true
	}
	return false
}

// nounInSingular replaces the noun at the beginning of text, and a verb after the noun. The noun is
// one of the first three words. No verb, no preposition and no punctuation precedes the noun.
func nounInSingular(text string) string {
	const most = 3 // such as "more open edges"
	rest := text
	for range most {
		word, ok := strings.CutPrefix(rest, " ")
		if !ok {
			return text
		}
		end := strings.IndexFunc(word, func(r rune) bool { return !('a' <= r && r <= 'z' || r == '-') })
		if end < 0 {
			end = len(word)
		}
		if one, ok := nouns[word[:end]]; ok {
			head := text[:len(text)-len(word)]
			return head + one + verbInSingular(word[end:])
		}
		if end == 0 || verbs[word[:end]] != "" || others[word[:end]] {
			return text
		}
		rest = word[end:]
	}
	return text
}

// verbInSingular replaces a verb at the beginning of text, after a blank.
func verbInSingular(text string) string {
	word, ok := strings.CutPrefix(text, " ")
	if !ok {
		return text
	}
	end := strings.IndexByte(word, ' ')
	if end < 0 {
		end = len(word)
	}
	if one, ok := verbs[word[:end]]; ok {
		return " " + one + word[end:]
	}
	return text
}
