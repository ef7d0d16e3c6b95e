package main

const rootUsage = `Usage:
  inpoly mesh points [flags]         which points are inside the mesh
  inpoly mesh mesh … points [flags]  inside any of several meshes, and which
  inpoly check mesh [flags]          what is wrong with the mesh
  inpoly explain mesh x,y,z          why a point is inside
  inpoly voxels mesh --out FILE      which voxels of a grid are inside
  inpoly view mesh [points]          a picture of the mesh, its defects and the points
  inpoly collide scene.json          where bodies that move are in contact
  inpoly merge manifest.json         what inpoly-beam has written, as one file
  inpoly completion SHELL            completion for bash, zsh, fish or powershell
  inpoly man                         all of this as a manual page
  inpoly version                     which version this is; also --version
  inpoly help [COMMAND]              this text, or that of a command

Reads a triangle mesh (STL, OBJ, PLY, OFF, glTF, GLB, 3MF) and points (CSV, TSV,
columns separated by blanks, .npy, PLY, LAS or Parquet), each but Parquet also as .gz
or .zst. Writes the points with one more column, "inside": 1 inside or on
the surface, 0 outside, and the word uncertain (nan in .npy) for points that are not
finite or cannot be decided. All input columns, comments and line ends stay as they
are. "-" is standard input; data goes to standard output, everything else to standard
error.

Example:
  inpoly part.stl points.csv > inside.csv
  zcat scan.xyz.gz | inpoly part.obj - --state --distance --out sides.txt
  inpoly ore.obj waste.obj drill.las --body first --keep inside --out blocks.parquet

Output:
  -o, --out FILE         write to FILE, whole or not at all (default standard output);
                         .csv, .npy, .ply, .las, .parquet and .jsonl tell its format
      --format NAME      csv, npy, ply, las, parquet or jsonl (default: that of the
                         points, all whose columns pass through unchanged)
      --keep SIDES       write only rows that are inside (the surface included),
                         outside, on or uncertain; several with commas between them
      --resume           keep what an interrupted run has written, in FILE.part with
                         FILE.journal, and go on from there: the first run and those
                         that continue it are the same command. Not for Parquet, for
                         --verify, and for --winding and --certify of open meshes by
                         auto and fmm
      --state            instead of inside, a column "state": in, out, on, uncertain
                         (.npy: 1, 0, 0.5, nan)
      --winding          add a column "winding": the winding number
      --certify          add a column "bound": of the error of the winding number
      --distance         add a column "distance": to the surface, negative inside
      --nearest          add a column "nearest": the number of the nearest triangle in
                         the file, from 0, polygons being cut into triangles, and
                         "nearest_body" where there are several solids
      --body WHICH       add a column "body": which solid contains the point, the first
                         in the order given or the innermost (the smallest); for all a
                         column "bodies" with their names and | between them, for count
                         with their number (-1 if uncertain). Each file is a solid;
                         where there is only one, each of its bodies is. Arrays hold
                         numbers from 0, -1 for none, that of solids if uncertain

Answer:
      --method NAME      auto, raycross, cells, direct or fmm; same sides. auto takes
                         what is estimated to be done first, and says why (default
                         auto)
      --epsilon E        wanted error of the winding numbers of an open mesh (default:
                         with fmm whatever decides sides soonest, with auto at most
                         1e-6, else as small as it gets); others are exact
      --rule NAME        inside is where the winding number W has: nonzero |W| > 1/2,
                         positive W > 1/2, negative W < -1/2; evenodd: a ray crosses
                         an odd number of faces or, where an edge has an odd number
                         of faces, the integer nearest to W is odd (default nonzero)
      --tolerance T      call points within the distance T of the surface "on"
                         (default 0: exactly on a triangle)
      --orient           repair the orientation of the faces first
      --seed N           another seed for the random rays; same sides

Input:
      --columns X,Y,Z    columns of the coordinates, by header or by number from 1
      --xyz X,Y,Z        (default: see Points)
      --text COLUMNS     take these columns of a text as text in other formats, whatever
                         their first cells are: numbers with many digits, codes. Those
                         with leading zeros are text anyway
      --shard I/N        only the I-th of N equal parts of the points; the text
                         outputs of all parts, joined in order, are the whole
                         (a part of a text reads what is before it, too; what
                         fmm finds for W may differ within its error, as the
                         number of points decides how it is found: sides do not)
      --bytes LO-HI      only the rows that begin in these bytes of the file, HI not
                         included; ranges that meet give each row once

Points:
  Delimiters are tab, semicolon, bar, comma or blanks; numbers may have decimal
  commas, but not between commas. The first line is a header if it names the
  coordinates (x y z; x_pos y_pos z_pos; lon lat alt; easting northing elevation;
  units in brackets) or has three or more different words and nothing else. Without
  a header the first three columns of numbers are the coordinates. Lines that begin
  with #, % or // are comments. Nothing, NA, N/A, null, none, nan and - are missing
  values: such points are uncertain. Excel's line sep=; and the two first lines of
  molecular .xyz files are passed over. In PLY, LAS and Parquet the columns are found
  by the same names. Compressed LAZ is not read.

Running:
      --workers N        number of threads, at most 1024 (default one a processor);
                         same answers, but for winding numbers of open meshes, which
                         may differ within their bounds
      --max-memory SIZE  limit for loading the mesh, such as 512M or 4G (default: in
                         proportion to the file)
      --verify N         compare N of the points, drawn at random, with the sum over all
                         triangles, and fail if a side differs or a winding number
                         is outside its bound (default 0)
      --strict           exit 3 if the mesh has defects (before answering) or if points
                         are uncertain, comments look like rows or rows differ in
                         width (after writing)
  -q, --quiet            no progress, warnings and summary
      --stats json       print counts and times as one JSON object on standard error,
                         which -q keeps free of anything else; query_s, read_s and
                         write_s are times of all threads divided by the workers

Exit codes:
  0 done, 1 input, output or parse error or --verify failed, 2 usage, 3 refused by
  --strict, 130 interrupted by Ctrl-C
`

const checkUsage = `Usage:
  inpoly check mesh [flags]

Prints what the mesh is and what is wrong with it: open, non-manifold and
inconsistently oriented edges, duplicate and zero-area faces, components, volumes.
Nothing is repaired. "-" reads the mesh from standard input.

Example:
  inpoly check part.stl
  inpoly check part.stl --format json --strict > part.json

Flags:
      --format NAME      text or json (default text)
      --rule NAME        the inside rule that warnings speak of (default nonzero)
      --workers N        number of threads (default one a processor)
      --max-memory SIZE  limit for loading the mesh, such as 512M or 4G
      --strict           exit 3 if the mesh has defects
  -q, --quiet            no progress

Exit codes:
  0 done, 1 input, output or parse error, 2 usage, 3 defects under --strict
`

const versionUsage = `Usage:
  inpoly version

Prints the version of inpoly and of Go, and the platform.
`
