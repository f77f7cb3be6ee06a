"""Fails while a process whose number stands in the file still runs; waits some seconds for its end."""

import sys
import time


def runs(pid):
    try:
        # A dead one that nobody has asked for is dead all the same.
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


pids = open(sys.argv[1]).read().split()
assert len(pids) == 2, pids
for _ in range(50):
    if not any(runs(pid) for pid in pids):
        sys.exit(0)
    time.sleep(0.1)
sys.exit(f"still running: {pids}")
