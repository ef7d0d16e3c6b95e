package main

const viewUsage = `Usage:
  inpoly view mesh [points] --out FILE [flags]

Draws the mesh, what is wrong with it, the winding number on a plane and, if there is
a point file, the points in the colors of their states. The suffix of FILE tells the
picture:
  .html    a page for any browser with WebGL 2, which holds all that it needs: turn it
           with the mouse, fingers or arrow keys, switch parts on and off, read counts,
           go from one defect to the next
  .glb     the same things for other 3D programs (glTF 2.0)
  .png     the plane alone: winding number, cut of the mesh, points near it
Defects are those of inpoly check: open, misoriented and non-manifold edges, flipped,
duplicate and zero-area faces. "-" reads the mesh or the points from standard input.

Example:
  inpoly view part.stl --out part.html
  inpoly view part.stl points.csv --slice z=0.3 --out view.html
  inpoly view part.stl points.csv --slice x=10 --pixels 2048 --out slice.png

Flags:
  -o, --out FILE         write to FILE, whole or not at all
      --slice AXIS=VALUE the plane, such as z=0.3 (default: through the middle of the
                         mesh, across its shortest side)
      --pixels N         pixels of the slice along its longer side, at most 4096
                         (default 512, for .png 1024)
      --most N           draw at most N points; of more a fair sample, and the page says
                         so; counts are of all (default 1000000)
      --columns X,Y,Z    columns of the coordinates, by header or by number from 1
      --method NAME, --rule NAME, --tolerance T, --epsilon E, --orient
                         as in inpoly help
      --workers N        number of threads (default one a processor)
      --max-memory SIZE  limit for loading the mesh, such as 512M or 4G
  -q, --quiet            no progress, warnings and summary

Exit codes:
  0 done, 1 input, output or parse error, 2 usage
`
