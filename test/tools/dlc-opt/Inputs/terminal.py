"""Runs a command with a terminal as its standard error, and prints what it shows there."""

import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
shown = b""
while True:
    try:
        piece = os.read(ours, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
sys.stdout.write(shown.decode().replace("\r", "\n").replace("\x1b", "<ESC>"))
sys.exit(child.wait())
