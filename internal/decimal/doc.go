// Package decimal reads decimal numbers from the front of a byte slice, exact
// to the last bit and without allocation. It is what the mesh loaders and the
// point readers share.
//
// A number of at most 19 significant digits is the integer m·10^e. Three ways
// lead from there to the nearest float64, each exact:
//
//   - m ≤ 2^53 and |e| ≤ 22: m and 10^|e| are floats, one correctly rounded
//     product or quotient gives the answer (Clinger, "How to read floating
//     point numbers accurately", 1990);
//   - |e| ≤ 27: 5^|e| < 2^64, so that m·5^e has an exact 128-bit product, or a
//     64-bit quotient with a remainder, which is rounded once;
//   - anything else is left to strconv.ParseFloat.
//
// Digits are read eight at a time, as bytes of one word.
//
//	line := []byte("1.25 -3e-4")
//	x, n, ok := decimal.Parse(line)
//	if !ok {
//		return errors.New("not a number")
//	}
//	fmt.Println(x, string(line[n:])) // 1.25  -3e-4
package decimal
