package main

const voxelsUsage = `Usage:
  inpoly voxels mesh (--spacing H | --dims NX,NY,NZ) --out FILE [flags]

Samples the mesh on a grid of boxes, of any size, and writes the array as it is
found, slice by slice. Each voxel holds whether its center is inside (1, on the
surface too; 0 outside; 255 where that is uncertain), or what --winding or
--fraction ask for. x runs fastest and z slowest. "-" reads the mesh from standard
input.

Example:
  inpoly voxels part.stl --spacing 0.5 --out part.npy
  inpoly voxels part.stl --spacing 0.1,0.1,0.4 --fraction 4 --error --out part.vti
  inpoly voxels part.stl --dims 2000,2000,2000 --stats json --out part.raw.gz

Grid:
      --spacing H        length of a voxel, or HX,HY,HZ; the grid begins at the lower
                         corner of its box and covers it, the last voxels may stick out
      --dims NX,NY,NZ    number of voxels instead; they fill the box
      --box X0,Y0,Z0,X1,Y1,Z1
                         the box (default: that of the mesh)
      --margin M         grow the box of the mesh by M on all sides (default 0)

Values:
      --winding          the winding number of the center
      --fraction N       the share of the voxel that is inside: of the centers of N×N×N
                         equal parts, N from 1 to 100
      --error            a second number for each voxel: a certified bound of the error
                         of its winding number or fraction. A fraction is wrong at
                         most by the parts that the surface may cross, so most are
                         exact; the summary has the error of the volume
      --float64          store these as float64 (default float32)

Output:
  -o, --out FILE         written whole or not at all; - is standard output, as .npy or in
                         the format of --format
      --format NAME      npy, vti, nrrd or raw (default: by the suffix)
                         .npy    shape (nz, ny, nx), or (nz, ny, nx, 2) with --error
                         .vti    VTK ImageData, cell data, for ParaView
                         .nrrd   header attached
                         .raw    the values alone, little-endian: --stats json tells type,
                                 dims, origin and spacing
                         .npy.gz and .raw.gz are packed

Answer:
      --method NAME, --rule NAME, --epsilon E, --tolerance T, --orient, --seed N
                         as in inpoly help

Running:
      --workers N        number of threads (default one a processor); same bytes, but for
                         winding numbers of open meshes by fmm, within their bounds
      --max-memory SIZE  limit for loading the mesh, such as 512M or 4G
      --strict           exit 3 if the mesh has defects (before writing) or if voxels
                         are uncertain (after)
  -q, --quiet            no progress, warnings and summary
      --stats json       print what was written, counts, volumes and times as one JSON
                         object on standard error

Exit codes:
  0 done, 1 input, output or grid error, 2 usage, 3 refused by --strict, 130
  interrupted by Ctrl-C
`
