package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/points/table"
)

// node is a key that occurs in the sample. Nested keys form a tree. The root has no key.
type node struct {
	name     string           // keys from the root, joined by dots
	children map[string]*node // nil unless a value is an object
	order    []*node          // children in the order of their first occurrence
	field    int              // index of the field for the values that are not objects, or −1
	parent   int              // number among the nodes that have children

	kinds     [jsontext.Object + 1]bool // kinds of the values
	fractions bool                      // a number is not an integer, or does not fit into int64
	long      bool                      // an integer would be rounded by float64
}

// These constants bound the memory of the keys of the sample. A key takes up to 1 kB with its field.
const (
	maxKeys  = 1 << 15
	maxNames = 4 << 20 // bytes of the names; a name contains the keys of all enclosing objects
)

// keyCount counts the keys of the sample and the bytes of their names.
type keyCount struct{ keys, names int }

// add counts a name. It fails if there are too many.
func (k *keyCount) add(name string) error {
	k.keys++
	k.names += len(name)
	switch {
	case k.keys > maxKeys:
		return fmt.Errorf("the first rows have more than %d different keys", maxKeys)
	case k.names > maxNames:
		return fmt.Errorf("the keys of the first rows have more than %d bytes, together with the keys of the objects around them", maxNames)
	}
	return nil
}

// addRow adds the members of the object line[i:] to n.
func (n *node) addRow(line []byte, i, depth int, count *keyCount) (end int, err error) {
	end, _, err = scanObject(line, i, depth, func(m *member) error {
		child := n.child(m.Text())
		if child == nil {
			name := string(m.Text())
			child = &node{name: name, field: -1}
			if n.name != "" {
				child.name = n.name + "." + name
			}
			if err := count.add(child.name); err != nil {
				return err
			}
			if n.children == nil {
				n.children = map[string]*node{}
			}
			n.children[name] = child
			n.order = append(n.order, child)
		}
		child.kinds[m.kind] = true
		switch value := line[m.start:m.end]; m.kind {
		case jsontext.Object:
			_, err := child.addRow(line, m.start, depth+1, count)
			return err
		case jsontext.Number:
			switch k, exact := parseInteger(value); {
			case !exact:
				child.fractions = true
			case k > 1<<53 || k < -1<<53:
				child.long = child.long || int64(float64(k)) != k || float64(k) >= math.MaxInt64
			}
		}
		return nil
	})
	return end, err
}

// parseInteger parses a JSON integer. ok is false for any other number, and if the integer does not
// fit into int64.
func parseInteger(b []byte) (k int64, ok bool) {
	k, n, ok := decimal.ParseInt(b)
	return k, ok && n == len(b)
}

// child returns the child with the given key, or nil.
func (n *node) child(key []byte) *node { return n.children[string(key)] }

// addFields appends a field for each node below n that has values.
func (n *node) addFields(fields []table.Field) []table.Field {
	for _, c := range n.order {
		if c.kinds[jsontext.Bool] || c.kinds[jsontext.Number] || c.kinds[jsontext.String] || c.kinds[jsontext.List] || len(c.order) == 0 {
			c.field = len(fields)
			f := table.Field{Name: c.name, Type: c.valueType()}
			if c.kinds[jsontext.List] {
				f.Type, f.Opaque = table.Text, "a list"
			}
			fields = append(fields, f)
		}
		fields = c.addFields(fields)
	}
	return fields
}

// numberParents numbers the nodes below n that have children, beginning at the given number. It
// returns the next number.
func (n *node) numberParents(next int) int {
	for _, c := range n.order {
		if len(c.order) > 0 {
			c.parent = next
			next = c.numberParents(next + 1)
		}
	}
	return next
}

// valueType returns the type of the values that are neither lists nor objects. Values of several
// kinds are texts.
func (n *node) valueType() table.Type {
	k := &n.kinds
	switch {
	case k[jsontext.Number] && !k[jsontext.String] && !k[jsontext.Bool] && n.long && !n.fractions:
		return table.Int64
	case k[jsontext.Number] && !k[jsontext.String] && !k[jsontext.Bool]:
		return table.Float64
	case k[jsontext.Bool] && !k[jsontext.String] && !k[jsontext.Number]:
		return table.Bool
	}
	return table.Text
}

// makeUnique appends numbers to repeated names, as in {"a.b": 1, "a": {"b": 2}}.
func makeUnique(fields []table.Field) {
	taken, next := map[string]bool{}, map[string]int{}
	for _, f := range fields {
		taken[f.Name] = true
	}
	seen := map[string]bool{}
	for i := range fields {
		name := fields[i].Name
		for seen[fields[i].Name] || fields[i].Name != name && taken[fields[i].Name] {
			next[name] = max(2, next[name]+1)
			fields[i].Name = fmt.Sprintf("%s_%d", name, next[name])
		}
		seen[fields[i].Name] = true
	}
}

// errNoLine means that no line with an object ends in the sample.
var errNoLine = errors.New("the first object does not end: JSON Lines have one object in each line")

// readSample returns the root of the keys in the first rows of the sample. whole is true if the
// sample is the whole input. The line of an error is the line number, from 1.
func readSample(sample []byte, whole bool) (root *node, line int64, err error) {
	root = &node{field: -1}
	var count keyCount
	sample = bytes.TrimPrefix(sample, bom)
	for rows := 0; len(sample) > 0 && rows < sampleRows; {
		line++
		end := bytes.IndexByte(sample, '\n')
		if end < 0 && !whole {
			if rows == 0 {
				return nil, line, errNoLine
			}
			break
		}
		text := sample
		if end >= 0 {
			text, sample = sample[:end], sample[end+1:]
		} else {
			sample = nil
		}
		i := skipBlanks(text, 0)
		if i == len(text) {
			continue
		}
		if err := checkRow(text, i); err != nil {
			return nil, line, err
		}
		next, err := root.addRow(text, i, 1, &count)
		if err == nil {
			err = checkEnd(text, next)
		}
		if err != nil {
			return nil, line, err
		}
		rows++
	}
	return root, line, nil
}

// checkRow fails if the value at line[i:] is not an object.
func checkRow(line []byte, i int) error {
	if line[i] != '{' {
		return unexpected(line, i, "an object")
	}
	return nil
}

// checkEnd fails if the line has more than blanks after the object.
func checkEnd(line []byte, i int) error {
	if i = skipBlanks(line, i); i < len(line) {
		return unexpected(line, i, "the end of the line after the object")
	}
	return nil
}
