"""Everything that a program can do wrong as a pass, on request, so that the tests see what dlc-opt makes of it."""

import os
import signal
import subprocess
import sys
import time

how = sys.argv[1]
text = sys.stdin.read()
if how == "fails":
    print("this module is not to my taste", file=sys.stderr)
    sys.exit(3)
elif how == "raises":
    raise ValueError("this op has no name")
elif how == "abort":
    print("last words", file=sys.stderr)
    sys.stderr.flush()
    os.abort()
elif how == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
elif how == "hang":
    # With a child, which is stopped too; the file says who they are.
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open("pids", "w") as pids:
        print(os.getpid(), child.pid, file=pids)
    time.sleep(600)
elif how == "leaves-child":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open("pids", "w") as pids:
        print(os.getpid(), child.pid, file=pids)
    sys.stdout.write(text)
elif how == "nonsense":
    print("I would rather not")
elif how == "binary":
    sys.stdout.buffer.write(b"\xff\xfe\x00")
elif how == "truncated":
    sys.stdout.write(text[: len(text) // 2])
elif how == "invalid":
    # A value is used before it is defined: the first two sums change places.
    lines = text.splitlines(keepends=True)
    sums = [i for i, line in enumerate(lines) if "sample.addi" in line]
    lines[sums[0]], lines[sums[1]] = lines[sums[1]], lines[sums[0]]
    sys.stdout.write("".join(lines))
elif how == "nothing":
    pass
elif how == "flood":
    try:
        while True:
            sys.stdout.write("x" * 65536)
    except BrokenPipeError:
        os._exit(0)
elif how == "flood-stderr":
    for _ in range(1000):
        sys.stderr.write("x" * 65536 + "\n")
    sys.stdout.write(text)
elif how == "words":
    # The arguments, as remarks.
    for word in sys.argv[2:]:
        print(f"[{word}]", file=sys.stderr)
    sys.stdout.write(text)
else:
    sys.exit(f"what is {how}?")
