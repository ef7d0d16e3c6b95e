package loaders

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// These are parts of files of Gmsh: a tetrahedron with sparse nodes, and its four sides.
const (
	msh2Head  = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
	msh2Nodes = "$Nodes\n4\n10 0 0 0\n20 1 0 0\n35 0 1 0\n7 0 0 1\n$EndNodes\n"
	msh2Tet   = "$Elements\n1\n1 4 2 5 1 10 20 35 7\n$EndElements\n"
	msh2Sides = "$Elements\n4\n1 2 2 1 1 10 35 20\n2 2 2 1 1 10 20 7\n3 2 2 2 2 10 7 35\n4 2 2 0 3 20 35 7\n$EndElements\n"
	mshNames  = "$PhysicalNames\n3\n2 1 \"two sides\"\n2 2 \"side\"\n3 5 \"part\"\n$EndPhysicalNames\n"
	msh4Head  = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
	msh4Ents  = "$Entities\n1 0 0 1\n1 0 0 0 0\n1 0 0 0 1 1 1 2 5 6 0\n$EndEntities\n"
	msh4Nodes = "$Nodes\n2 4 7 35\n0 1 0 1\n10\n0 0 0\n3 1 0 3\n20\n35\n7\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
	msh4Tet   = "$Elements\n1 1 1 1\n3 1 4 1\n1 10 20 35 7\n$EndElements\n"
)

// msh4Parametric has the nodes of a triangle on a surface, with two parameters.
const msh4Parametric = "$Nodes\n1 3 1 3\n2 1 1 3\n1\n2\n3\n0 0 0 .1 .2\n1 0 0 .3 .4\n0 1 0 .5 .6\n$EndNodes\n"

func TestMSH(t *testing.T) {
	const oneCell = "took the outer surface of 1 volume cell"
	const tri = "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n"
	for _, a := range []acceptance{
		{"2.2", "a.msh", msh2Head + msh2Nodes + msh2Tet, 4, 4, "physical 5", oneCell},
		{"2.2 without suffix", "a", msh2Head + msh2Nodes + msh2Tet, 4, 4, "physical 5", oneCell},
		{"2.2 sides", "a.msh", msh2Head + mshNames + msh2Nodes + msh2Sides, 4, 4, "|two sides|side", ""},
		{"2.2 with CRLF", "a.msh", strings.ReplaceAll(msh2Head+mshNames+msh2Nodes+msh2Tet, "\n", "\r\n"), 4, 4, "part", oneCell},
		{"4.1", "a.msh", msh4Head + mshNames + msh4Ents + msh4Nodes + msh4Tet, 4, 4, "part",
			"number of entities in several physical groups, of which the first counts: 1|" + oneCell},
		{"4.1 without entities", "a.msh", msh4Head + msh4Nodes + msh4Tet, 4, 4, "", oneCell},
		{"4.1 parametric", "a.msh", msh4Head + msh4Parametric + tri, 3, 1, "", ""},
		{"other sections", "a.msh", msh4Head + "$Comments\n$ 1 $Nodes\n$EndComments\n" + msh4Nodes + "$Periodic\n1\n$EndPeriodic\n" + msh4Tet +
			"$GhostElements\n0\n$EndGhostElements\n$NodeData\n1\n\"T\"\n0\n$EndNodeData\n", 4, 4, "", oneCell},
		{"comments first", "a.msh", "$Comments\nFile of XYZ\n$EndComments\n$Comments\n$EndComments\n" + msh2Head + msh2Nodes + msh2Tet, 4, 4, "physical 5", oneCell},
		{"comments first, without suffix", "a", "$Comments\n$EndComments\n" + msh2Head + msh2Nodes + msh2Tet, 4, 4, "physical 5", oneCell},
		{"2.0, names without dimensions", "a.msh", strings.Replace(msh2Head, "2.2", "2.0", 1) + "$PhysicalNames\n2\n1 \"two sides\"\n2 \"side\" x\n$EndPhysicalNames\n" +
			msh2Nodes + msh2Sides, 4, 4, "|two sides|side", ""},
		{"words after names", "a.msh", msh2Head + strings.ReplaceAll(mshNames, "\"\n", "\" lower_dimensional_block\n") + msh2Nodes + msh2Sides, 4, 4, "|two sides|side", ""},
		{"names last", "a.msh", msh2Head + msh2Nodes + msh2Tet + mshNames, 4, 4, "part", oneCell},
		{"surface and volume", "a.msh", msh2Head + msh2Nodes + strings.Replace(msh2Tet, "1\n1", "3\n8 2 2 9 9 10 20 35\n9 1 2 0 1 10 20\n1", 1), 4, 4, "physical 5",
			"ignored 1 curve element|ignored 1 surface element: the outer surface of the volume elements was read|" + oneCell},
		{"stored again for a second group", "a.msh", msh2Head + msh2Nodes + strings.Replace(msh2Tet, "1\n1 4 2 5 1", "2\n2 4 2 6 1 10 20 35 7\n1 4 2 5 1", 1), 4, 4, "physical 6",
			"number of ignored elements that are stored again for another physical group: 1|" + oneCell},
		{"inverted tetrahedron", "a.msh", msh2Head + msh2Nodes + strings.Replace(msh2Tet, "10 20", "20 10", 1), 4, 4, "physical 5",
			oneCell + "|reversed 1 cell, because the order of their corners gives them a negative volume"},
	} {
		a.run(t)
	}
}

func TestMSHRefuses(t *testing.T) {
	tooMany := strings.Replace(msh4Nodes, "3 1 0 3\n", "3 1 0 4\n", 1)
	for _, r := range []refusal{
		{"version 1", "a.msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n", ErrUnsupported, "line 1: not supported: the file has version 1 of MSH"},
		{"version 4.0", "a.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", ErrUnsupported, "line 2"},
		{"Fluent", "a.msh", "(0 \"Fluent\")\n", ErrSyntax, "must begin with $MeshFormat"},
		{"size of numbers", "a.msh", "$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", ErrUnsupported, "must have 8"},
		{"file type", "a.msh", "$MeshFormat\n4.1 2 8\n$EndMeshFormat\n", ErrSyntax, "must be 0 or 1"},
		{"byte order", "a.msh", "$MeshFormat\n4.1 1 8\nabcd\n$EndMeshFormat\n", ErrSyntax, "byte 20"},
		{"cut header", "a.msh", "$MeshFormat\n4.1", ErrTruncated, "inside the section $MeshFormat"},
		{"comments without end", "a.msh", "$Comments\n" + msh2Head, ErrTruncated, "has no end"},
		{"comments alone", "a.msh", "$Comments\n$EndComments\n$Nodes\n", ErrSyntax, "line 3: syntax error: a file of Gmsh must begin with $MeshFormat"},
		{"name without quotes", "a.msh", msh2Head + "$PhysicalNames\n1\n2 1 side\n$EndPhysicalNames\n", ErrSyntax, "must be in quotes"},
		{"name with one quote", "a.msh", msh2Head + "$PhysicalNames\n1\n2 1 \"side\n$EndPhysicalNames\n", ErrSyntax, "must be in quotes"},
		{"no nodes", "a.msh", msh4Head, ErrTruncated, "no section $Nodes"},
		{"no elements", "a.msh", msh4Head + msh4Nodes, ErrTruncated, "no section $Elements"},
		{"elements first", "a.msh", msh2Head + msh2Tet + msh2Nodes, ErrUnsupported, "line 4"},
		{"nodes twice", "a.msh", msh2Head + msh2Nodes + msh2Nodes, ErrSyntax, "occurs twice"},
		{"node twice", "a.msh", msh2Head + strings.Replace(msh2Nodes, "35", "10", 1) + msh2Tet, ErrSyntax, "node 10 occurs twice"},
		{"unknown node", "a.msh", msh2Head + msh2Nodes + strings.Replace(msh2Tet, "20", "21", 1), ErrIndexRange, "line 13: index out of range: element 1 refers to node 21"},
		{"unknown element", "a.msh", msh2Head + msh2Nodes + strings.Replace(msh2Tet, "1 4 2", "1 999 2", 1), ErrUnsupported, "type 999"},
		{"too many nodes", "a.msh", msh4Head + tooMany + msh4Tet, ErrSyntax, "line"},
		{"wrong sum", "a.msh", msh4Head + strings.Replace(msh4Nodes, "2 4", "2 5", 1) + msh4Tet, ErrSyntax, "declares 5"},
		{"huge count", "a.msh", msh4Head + strings.Replace(msh4Nodes, "3 1 0 3", "3 1 0 99999999999", 1), ErrTruncated, "do not fit"},
		{"not finite", "a.msh", msh2Head + strings.Replace(msh2Nodes, "1 0 0", "1e999 0 0", 1) + msh2Tet, ErrNotFinite, "node 20"},
		{"section without end", "a.msh", msh2Head + msh2Nodes + msh2Tet + "$Periodic\n0\n", ErrTruncated, "has no end"},
		{"words between sections", "a.msh", msh2Head + "x", ErrSyntax, "instead of a section"},
		{"only lines", "a.msh", msh2Head + msh2Nodes + "$Elements\n1\n1 1 2 0 1 10 20\n$EndElements\n", ErrNoTriangles, ""},
	} {
		r.run(t)
	}
}

// binaryMSH4 returns a binary file with a triangle.
func binaryMSH4(order binary.ByteOrder) string {
	return "$MeshFormat\n4.1 1 8\n" + pack(order, int32(1)) + "\n$EndMeshFormat\n" +
		"$Nodes\n" + pack(order, []uint64{1, 3, 1, 3}, []int32{2, 1, 0}, []uint64{3, 1, 2, 3}, []float64{0, 0, 0, 1, 0, 0, 0, 1, 0}) + "\n$EndNodes\n" +
		"$Elements\n" + pack(order, []uint64{1, 1, 1, 1}, []int32{2, 1, 2}, []uint64{1, 1, 1, 2, 3}) + "\n$EndElements\n"
}

// binaryMSH2 returns a binary file with a triangle.
func binaryMSH2(order binary.ByteOrder) string {
	text := "$MeshFormat\n2.2 1 8\n" + pack(order, int32(1)) + "\n$EndMeshFormat\n$Nodes\n3\n"
	for k, c := range [][]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}} {
		text += pack(order, int32(k+1), c)
	}
	return text + "\n$EndNodes\n$Elements\n1\n" + pack(order, []int32{2, 1, 2, 1, 4, 6, 1, 2, 3}) + "\n$EndElements\n"
}

// TestMSHBinary reads binary files in both byte orders, and each of their beginnings.
func TestMSHBinary(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, data := range []string{binaryMSH4(order), binaryMSH2(order)} {
			s, _, err := readString("a.msh", data)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.SplitAfter(describe(s), "\n")[0], "0,0,0 1,0,0 0,1,0 \n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			for n := 1; n < len(data)-1; n++ {
				if s, _, err := readString("a.msh", data[:n]); err == nil {
					t.Fatalf("%d of %d bytes: got %s", n, len(data), describe(s))
				}
			}
		}
	}
}

func FuzzMSH(f *testing.F) {
	for _, data := range []string{
		msh2Head + mshNames + msh2Nodes + msh2Sides, msh2Head + msh2Nodes + msh2Tet,
		msh4Head + mshNames + msh4Ents + msh4Nodes + msh4Tet, msh4Head + msh4Parametric,
		binaryMSH4(binary.LittleEndian), binaryMSH2(binary.LittleEndian), binaryMSH2(binary.BigEndian),
		msh4Head + "$PartitionedEntities\n2\n0\n0 0 0 1\n1 3 1 1 1 0 0 0 1 1 1 0 0\n$EndPartitionedEntities\n" + msh4Nodes + msh4Tet,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, data, MSH)
		if !bytes.HasPrefix(data, []byte("$MeshFormat")) {
			fuzzRead(t, append([]byte(msh4Head), data...), MSH)
		}
	})
}
