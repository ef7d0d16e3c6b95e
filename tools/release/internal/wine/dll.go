package wine

import (
	"bytes"
	"encoding/binary"
)

// forwarder returns a 64-bit DLL for amd64 that has no code. It exports one function, which the
// Windows loader takes from another DLL: target is "dll.function".
//
// The layout follows Microsoft's "PE Format": headers, then one section with the export directory.
func forwarder(name, function, target string) []byte {
	const (
		headers   = 0x200  // file offset of the section, and size of the headers
		section   = 0x1000 // address of the section, relative to the image
		directory = 40     // bytes of an export directory table
		image     = 0x180000000
	)
	// The section: the directory, the address table, the name table, the ordinal table, the strings.
	addresses := uint32(section + directory)
	names := addresses + 4
	ordinals := names + 4
	strings := ordinals + 2
	functionAt := strings + uint32(len(name)) + 1
	targetAt := functionAt + uint32(len(function)) + 1
	var s bytes.Buffer
	put := func(w *bytes.Buffer, values ...any) {
		for _, v := range values {
			_ = binary.Write(w, binary.LittleEndian, v) // a bytes.Buffer takes every fixed-size value
		}
	}
	put(&s, uint32(0), uint32(0), uint32(0)) // flags, time, version
	put(&s, strings, uint32(1))              // the DLL's name, the first ordinal
	put(&s, uint32(1), uint32(1))            // one address, one name
	put(&s, addresses, names, ordinals)
	put(&s, targetAt) // an address inside the export directory is the name of a target
	put(&s, functionAt, uint16(0))
	s.WriteString(name + "\x00" + function + "\x00" + target + "\x00")
	size := uint32(s.Len())
	s.Write(make([]byte, 0x200-s.Len()%0x200))

	var w bytes.Buffer
	w.WriteString("MZ")
	w.Write(make([]byte, 0x3c-2))
	put(&w, uint32(0x40)) // offset of the PE signature
	w.WriteString("PE\x00\x00")
	put(&w, uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0)) // amd64, one section, no symbols
	put(&w, uint16(112+16*8), uint16(0x2022))                           // size of the optional header; executable, large addresses, DLL

	put(&w, uint16(0x20b), uint16(0), uint32(0), uint32(s.Len()), uint32(0))                           // PE32+, sizes of code and data
	put(&w, uint32(0), uint32(0))                                                                      // no entry point, no code
	put(&w, uint64(image), uint32(0x1000), uint32(0x200))                                              // base, alignment in memory and in the file
	put(&w, uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0))               // versions of Windows
	put(&w, uint32(2*section), uint32(headers), uint32(0), uint16(3), uint16(0x140))                   // size of the image; console; NX, dynamic base
	put(&w, uint64(0x100000), uint64(0x1000), uint64(0x100000), uint64(0x1000), uint32(0), uint32(16)) // stack, heap, 16 data directories
	put(&w, uint32(section), size)
	w.Write(make([]byte, 15*8))

	w.WriteString(".edata\x00\x00")
	put(&w, size, uint32(section), uint32(s.Len()), uint32(headers))
	w.Write(make([]byte, 12))
	put(&w, uint32(0x40000040)) // initialized data, readable
	w.Write(make([]byte, headers-w.Len()))
	w.Write(s.Bytes())
	return w.Bytes()
}
