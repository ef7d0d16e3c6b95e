"""Runs the checker for the tests.

driver.py FOLDER accept FILE ... prints the report and the seconds of reading the mesh and of the points,
for each file. driver.py FOLDER lines FILE LINES prints a verdict for each line of LINES, as an answer
about the mesh of FILE. driver.py FOLDER files BLOB prints a verdict for each proof file in BLOB, which
has the number of bytes on a line before each file. driver.py FOLDER seconds FILE SOURCE lets the time of
--seconds end at each look at the clock, and prints the functions that noticed it. driver.py FOLDER trials
LIST prints the exit code and the output as JSON for each line of LIST, which has the path of a proof file,
the path of its source or "-", and the value of --seconds. driver.py FOLDER zeros N FILE ... checks each
file with a source of N zero bytes. It prints the exit code, how many bytes were read, and the most memory of
the check in bytes.
"""
import io
import itertools
import json
import sys
import time
import tracemalloc

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

if sys.argv[2] == "trials":
    for line in open(sys.argv[3]):
        path, source, seconds = line.split()
        with open(path, "rb") as file, open(path if source == "-" else source, "rb") as stl:
            try:
                out, code = check.check(file, None if source == "-" else stl, float(seconds))
            except check.Refused as e:
                out, code = "refused: %s" % e, 1
        print(json.dumps({"code": code, "out": out + "\n"}))
    sys.exit()

if sys.argv[2] == "zeros":
    for path in sys.argv[4:]:
        size, left = int(sys.argv[3]), [int(sys.argv[3])]

        def read(n):
            n = min(n, left[0])
            left[0] -= n
            return bytes(n)

        tracemalloc.start()
        with open(path, "rb") as file:
            try:
                code = check.check(file, type("zeros", (), {"read": staticmethod(read)}))[1]
            except check.Refused:
                code = 1
        print(code, size - left[0], tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    sys.exit()

if sys.argv[2] == "seconds":
    places = set()
    for limit in itertools.count(1):
        looks = [0]

        def clock():
            looks[0] += 1
            if looks[0] > limit:
                places.add(sys._getframe(2).f_code.co_name)
                return 1.0
            return 0.0

        check.time = type("time", (), {"monotonic": staticmethod(clock)})
        try:
            with open(sys.argv[3], "rb") as file, open(sys.argv[4], "rb") as source:
                check.check(file, source, 0.5)
            break
        except check.Refused as e:
            if "the time of --seconds is over" not in str(e):
                raise
    print("places:", *sorted(places))
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
