"""Binds sockets as systemd does for its socket units, and passes them on to processes, which it starts one by one.

Arguments: the program to start and its arguments. Prints the ports of the sockets. For each line of the standard input it
starts a process, and prints its id; the output of the processes goes to the standard error.
"""

import os
import socket
import sys

NAMES = ["listing", "uploads"]
sockets = []
for _ in NAMES:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(1024)
    # Above the descriptors that the processes get.
    sockets.append(os.dup2(listening.fileno(), 100 + len(sockets)))
    print(listening.getsockname()[1], flush=True)

for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        for index, descriptor in enumerate(sockets):
            os.dup2(descriptor, 3 + index)
        os.closerange(5, 1024)
        os.dup2(2, 1)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES=":".join(NAMES))
        os.execv(sys.argv[1], sys.argv[1:])
    print(child, flush=True)
