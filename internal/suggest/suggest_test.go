package suggest

import "testing"

func TestClosest(t *testing.T) {
	sides := []string{"inside", "outside", "on", "uncertain"}
	commands := []string{"check", "explain", "voxels", "view", "collide", "merge", "completion", "man", "version", "help"}
	for _, c := range []struct {
		word       string
		candidates []string
		want       string
	}{
		{"in", sides, "inside"}, {"out", sides, "outside"}, {"INSIDE", sides, "inside"}, {"insdie", sides, "inside"}, {"uncertan", sides, "uncertain"},
		{"side", sides, ""}, {"half", sides, ""}, {"o", sides, ""}, {"", sides, ""},
		{"odd", []string{"nonzero", "positive", "negative", "evenodd"}, "evenodd"}, {"ray", []string{"auto", "raycross", "cells"}, "raycross"},
		{"chek", commands, "check"}, {"vew", commands, "view"}, {"hlep", commands, "help"}, {"colide", commands, "collide"}, {"part", commands, ""},
		{"mna", commands, "man"}, {"co", commands, ""}, {"formt", []string{"out", "format"}, "format"}, {"x", []string{"y"}, ""}, {"max", []string{"man", "mat"}, "man"},
	} {
		if got, ok := Closest(c.word, c.candidates); got != c.want || ok != (c.want != "") {
			t.Errorf("Closest(%q) = %q, %v, want %q", c.word, got, ok, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"größe", "grosse", 3},
	} {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Distance(p[0], p[1]); got != c.want {
				t.Errorf("Distance(%q, %q) = %d, want %d", p[0], p[1], got, c.want)
			}
		}
	}
}
