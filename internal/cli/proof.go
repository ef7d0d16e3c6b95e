package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/proof"
)

func checkerCommand(t *term.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "proof-checker", Args: noArgs,
		Long: `Usage:
  inpoly proof-checker

Prints the program that checks proof files. It is a Python script that needs
only Python 3.9 or newer. It has less than 450 lines, so that you can read it
before you trust it. It does all geometry in exact integers.

Example:
  inpoly part.stl points.csv --proof part.proof --out sides.csv
  inpoly proof-checker > check.py
  python3 check.py part.proof --source part.stl

With --source, the checker compares the SHA-256 of the mesh file. It also reads
binary STL itself, and compares every triangle. For other formats, it trusts
that inpoly has read the file correctly. If --orient has turned faces over, it
trusts these changes. It prints whatever it trusts. --seconds S refuses a file
that takes longer.

Exit codes of the checker:
  0 accepted; 1 refused, or not readable; 2 usage; 3 accepted, but some points
  have no proof, for example because their side is uncertain; 4 accepted, but
  only if what the checker calls trusted is true. If both 3 and 4 apply, the
  exit code is 3. Always trusted: Python, the checker, and that the rows and
  coordinates of the points are those of your points
`,
		RunE: func(*cobra.Command, []string) error {
			_, err := t.Out.Write(proof.Checker)
			return err
		},
	}
}

// checkProof returns an error for invalid values of --proof and --proof-points. Otherwise it sets
// r.proofs.
func (r *run) checkProof() (err error) {
	switch {
	case r.proof == "":
		return nil
	case term.IsStdout(r.proof):
		return term.Usagef("--proof %s: a proof is written to a file", r.proof)
	case r.SameOutput(r.proof, r.OutPath):
		return term.Usagef("--proof and the results have the same file: %s", r.proof)
	case formats.HasMeshName(r.proof):
		return term.Usagef("--proof %s: a proof is a text, but this is the name of a mesh", r.proof)
	}
	if err := term.RefuseCompressed("--proof", r.proof); err != nil {
		return err
	}
	if err := r.CheckProof(r.Meshes); err != nil {
		return err
	}
	r.proofs, err = answer.NewProofs(cmp.Or(r.proofPoints, "all"))
	return err
}
