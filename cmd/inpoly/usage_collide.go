package main

const collideUsage = `Usage:
  inpoly collide scene.json [flags]

Finds the contacts of bodies that move: the nodes (corners) of the mesh of one that are
in another, how deep, and the direction that is shortest out of it. Writes CSV, one row
a node: time, a, b (the node is one of a, and in b), node, state (in, on, or uncertain),
x, y, z, depth, nx, ny, nz (the normal, out of b; the surface of b is at x,y,z + depth ·
normal), bound (of the error of depth; a node not deeper than that may not be in b)
and face (of b, the nearest). Where an open mesh leaves open which way is out, depth is
nan and the normal 0,0,0. "-" reads the scene from standard input.

Example:
  inpoly collide mill.json > contacts.csv
  inpoly collide mill.json --faces faces.csv --out contacts.csv --stats json

Scene:
  {"bodies": [
    {"name": "mill", "mesh": "mill.stl"},
    {"name": "stone", "mesh": "stone.obj", "poses": "stone.csv"},
    {"name": "ball", "mesh": "ball.ply",
     "poses": [[0, 1.5, 2, 3], [0.1, 1.5, 2, 2.9, 0.7071068, 0, 0, 0.7071068]]}
  ]}
  Paths are relative to the folder of the scene. A mesh that several bodies name is read
  and prepared once. Bodies without a name get that of their mesh; equal ones are told
  apart by _2, _3 and so on.

Poses:
  A table has the columns time, x, y, z and, for bodies that turn, qw, qx, qy, qz (a unit
  quaternion) or r11, r12, … r33 (a rotation matrix): its mesh is turned about
  the origin and then moved by x,y,z. Inside the scene rows are these 4, 8 or 13 numbers
  in that order; a CSV file has them in its header, in any order. Quaternions and
  matrices need to be right to six decimals. Times ascend. There is one step for each
  time of any table: a body stays where its last row has put it, and is not there before
  its first row. Bodies without poses stay where their mesh is. Without any tables there
  is one step at time 0.

Output:
  -o, --out FILE         write the contacts to FILE, whole or not at all (default standard
                         output); neither it nor --faces may be a file of the scene
      --faces FILE       also test which triangles touch, exactly, where boxes of bodies
                         meet and neither has a node in the other, as of two bars that
                         cross, and write the columns time, a, b, face_a, face_b. Closed
                         meshes that share a point have a node or faces in these tables
      --all-faces        write the triangles that touch of all bodies
  Nodes and faces are numbered from 0 in the order of the file: nodes without repetitions
  and those that no face uses, faces after polygons are cut into triangles.

Answer:
      --method NAME, --rule NAME, --epsilon E, --tolerance T, --orient, --seed N
                         as in inpoly help; with --tolerance nodes within T of the surface
                         are contacts too, with negative depth outside

Running:
      --workers N        number of threads (default one a processor); same contacts
      --max-memory SIZE  limit for loading a mesh, such as 512M or 4G
      --strict           exit 3 if a mesh has defects (before writing) or if contacts are
                         uncertain (after)
  -q, --quiet            no progress, warnings and summary
      --stats json       print counts and times of the phases as one JSON object on
                         standard error

Exit codes:
  0 done, 1 input or output error, or a broken scene, 2 usage, 3 refused by --strict,
  130 interrupted by Ctrl-C
`
