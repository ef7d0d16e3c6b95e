package chart

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	pathData = regexp.MustCompile(` d="[MLQCZ0-9.,e+-]*"`)
	element  = regexp.MustCompile(`[MLQCZ][^MLQCZ]*`)
)

// glyph matches a path that begins at a point and continues with relative commands.
var glyph = regexp.MustCompile(`<path d="m(-?[0-9.]+) ?(-?[0-9.]+)([a-z][^"]{24,})"( style="[^"]*")? />`)

// share defines equal paths of an SVG file, which are mostly glyphs, only once. The paths must come
// from compact.
func share(svg string) string {
	count := map[string]int{}
	for _, m := range glyph.FindAllStringSubmatch(svg, -1) {
		count[m[3]]++
	}
	number := map[string]int{}
	var defs strings.Builder
	body := glyph.ReplaceAllStringFunc(svg, func(s string) string {
		m := glyph.FindStringSubmatch(s)
		if count[m[3]] < 2 {
			return s
		}
		n, ok := number[m[3]]
		if !ok {
			n = len(number)
			number[m[3]] = n
			fmt.Fprintf(&defs, "<path id=\"p%d\" d=\"m0 0%s\" />\n", n, m[3])
		}
		return fmt.Sprintf(`<use xlink:href="#p%d" x="%s" y="%s"%s />`, n, m[1], m[2], m[4])
	})
	if defs.Len() == 0 {
		return svg
	}
	end := strings.Index(body, "<g ")
	return body[:end] + "<defs>\n" + defs.String() + "</defs>\n" + body[end:]
}

// compact returns an SVG file with shorter path data: coordinates are relative and rounded to 1/100
// of a point. Outlines of text then need about a third of the bytes. Paths with arcs stay as they
// are.
func compact(svg string) string {
	return pathData.ReplaceAllStringFunc(svg, func(s string) string {
		var out strings.Builder
		var here, start [2]int // in 1/100 of a point
		for _, e := range element.FindAllString(s, -1) {
			if e[0] == 'Z' {
				out.WriteByte('z')
				here = start
				continue
			}
			var list []int
			for _, word := range strings.Split(strings.Trim(e[1:], `"`), ",") {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil {
					return s
				}
				list = append(list, int(math.Round(100*v)))
			}
			out.WriteByte(e[0] + 'a' - 'A')
			for i, v := range list {
				out.WriteString(hundredths(v-here[i%2], i > 0))
			}
			here = [2]int{list[len(list)-2], list[len(list)-1]}
			if e[0] == 'M' {
				start = here
			}
		}
		return ` d="` + out.String() + `"`
	})
}

// hundredths formats v/100 as briefly as SVG permits. A number after another one begins with a space,
// unless it begins with a minus sign.
func hundredths(v int, after bool) string {
	s := strconv.FormatFloat(float64(v)/100, 'f', -1, 64)
	s = strings.Replace(s, "0.", ".", 1)
	if v >= 100 || v <= -100 {
		s = strconv.FormatFloat(float64(v)/100, 'f', -1, 64)
	}
	if after && v >= 0 {
		s = " " + s
	}
	return s
}
