// Package suggest finds the word that a user meant to type.
//
//	word, ok := suggest.Closest("formt", []string{"format", "out"}) // "format", true
package suggest

import "strings"

// Closest returns the candidate that the word most probably stands for. ok is false if no candidate
// is similar. These candidates are similar, from best to worst:
//   - the same letters in other case,
//   - a candidate that begins or ends with the word, if no other candidate does,
//   - a candidate at a distance of one typing mistake, or of two for a word of at least five letters.
//     Typing mistakes are an inserted, omitted or replaced letter, and two exchanged neighbors.
//
// If two candidates are equally close, Closest returns the first one.
func Closest(word string, candidates []string) (closest string, ok bool) {
	if list := AllClosest(word, candidates); len(list) > 0 {
		return list[0], true
	}
	return "", false
}

// AllClosest is like Closest, and returns all candidates that are equally close, in their order.
func AllClosest(word string, candidates []string) (closest []string) {
	word = strings.ToLower(word)
	if word == "" {
		return nil
	}
	for _, c := range candidates {
		if strings.ToLower(c) == word {
			return []string{c}
		}
	}
	for _, matches := range []func(s, part string) bool{strings.HasPrefix, strings.HasSuffix} {
		if c, ok := only(word, candidates, matches); ok {
			return []string{c}
		}
	}
	least := 1
	if len([]rune(word)) >= 5 {
		least = 2
	}
	for _, c := range candidates {
		d := Distance(word, strings.ToLower(c))
		if d > least || d >= min(len([]rune(word)), len([]rune(c))) {
			continue
		}
		if d < least {
			closest, least = closest[:0], d
		}
		closest = append(closest, c)
	}
	return closest
}

// only returns the candidate that matches the word, if exactly one candidate does. A word of one
// letter matches nothing.
func only(word string, candidates []string, matches func(s, part string) bool) (candidate string, ok bool) {
	if len(word) < 2 {
		return "", false
	}
	for _, c := range candidates {
		if matches(strings.ToLower(c), word) {
			if ok {
				return "", false
			}
			candidate, ok = c, true
		}
	}
	return candidate, ok
}

// Distance returns the smallest number of typing mistakes that change a into b: inserted, omitted
// and replaced letters, and exchanged neighbors. No letter is changed twice (the optimal string
// alignment distance). Distance takes O(len(a)·len(b)) time.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	// rows[i%3][j] is the distance between s[:i] and t[:j].
	var rows [3][]int
	for k := range rows {
		rows[k] = make([]int, len(t)+1)
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		row, above := rows[i%3], rows[(i+2)%3]
		row[0] = i
		for j := 1; j <= len(t); j++ {
			replaced := above[j-1]
			if s[i-1] != t[j-1] {
				replaced++
			}
			row[j] = min(replaced, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], rows[(i+1)%3][j-2]+1)
			}
		}
	}
	return rows[len(s)%3][len(t)]
}
