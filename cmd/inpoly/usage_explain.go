package main

const explainUsage = `Usage:
  inpoly explain mesh x,y,z [x,y,z ...] [flags]

Tells why a point is inside, on the surface or outside: the rule and the winding
number, the method that answers, the faces that the point is on, the nearest face,
and one ray: every face that it crosses (+1 where it leaves the body, -1 where it
enters), their sum, and what the open edges of the mesh add to that. Faces are
numbered from 0; bodies have their names, and nameless ones are body_1, body_2 and so
on. Coordinates have decimal points. "-" reads the mesh from standard input.

Example:
  inpoly explain part.stl 1.5,2,-0.25
  inpoly explain part.stl -1,0,0 0,0,0 --json

Flags:
      --json             one JSON object; numbers that are not finite are null
      --method NAME, --rule NAME, --epsilon E, --tolerance T, --orient, --seed N
                         as in inpoly help; --seed takes another ray
      --workers N        number of threads that build (default one a processor)
      --max-memory SIZE  limit for loading the mesh, such as 512M or 4G
      --strict           exit 3 if the mesh has defects (before answering) or if a
                         point is uncertain (after)
  -q, --quiet            no progress and warnings

Exit codes:
  0 done, 1 input or output error, 2 usage, 3 refused by --strict
`
