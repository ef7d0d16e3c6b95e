"""Runs the checker for the tests.

driver.py FOLDER accept FILE ... prints the report and the seconds of reading the mesh and of the points,
for each file. driver.py FOLDER lines FILE LINES prints a verdict for each line of LINES, as an answer
about the mesh of FILE. driver.py FOLDER files BLOB prints a verdict for each proof file in BLOB, which
has the number of bytes on a line before each file.
"""
import io
import sys
import time

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import check

if sys.argv[2] == "lines":
    mesh = check.Mesh(check.Lines(open(sys.argv[3], "rb")))
    lines = check.Lines(open(sys.argv[4], "rb"))
    while lines.file.peek(1):
        try:
            print("accepted", *check.check_point(mesh, lines.next()))
        except check.Refused as e:
            print("refused:", e)
    sys.exit()

if sys.argv[2] == "files":
    blob = open(sys.argv[3], "rb")
    while line := blob.readline():
        try:
            check.check(io.BytesIO(blob.read(int(line))))
            print("accepted")
        except check.Refused as e:
            print("refused:", e)
    sys.exit()

read = check.Mesh.__init__
loaded = [0.0]


def timed(self, lines):
    start = time.process_time()
    read(self, lines)
    loaded[0] = time.process_time() - start


check.Mesh.__init__ = timed
for path in sys.argv[3:]:
    start = time.process_time()
    try:
        verdict = check.check(open(path, "rb"))[0].split("\n")[-1]
    except check.Refused as e:
        verdict = "refused: %s" % e
    print("%s\t%.6f\t%.6f" % (verdict, loaded[0], time.process_time() - start - loaded[0]), flush=True)
