// Package decimal parses decimal numbers at the beginning of a byte slice, exact to the last
// bit and without allocation, and formats floats. The mesh loaders and the point formats use
// it.
//
// A number of at most 19 significant digits is m·10^e for an integer m. There are three ways
// to the nearest float64, each exact:
//
//   - If m ≤ 2^53 and |e| ≤ 22, m and 10^|e| are float64, and one correctly rounded product
//     or quotient is the result (Clinger, "How to read floating point numbers accurately",
//     1990).
//   - If |e| ≤ 27, then 5^|e| < 2^64. m·5^e is an exact 128-bit product, or a 64-bit quotient
//     with a remainder, which is rounded once.
//   - Otherwise strconv.ParseFloat parses the number.
//
// Digits are parsed eight at a time, as the bytes of one word.
//
//	line := []byte("1.25 -3e-4")
//	x, n, ok := decimal.Parse(line)
//	if !ok {
//		return errors.New("not a number")
//	}
//	fmt.Println(x, string(line[n:])) // 1.25  -3e-4
package decimal
