"""Runs the laboratory's tasks on Ray: ray.py ADDRESS PROGRAM

ADDRESS is `HOST:PORT` of a cluster, or `local` for this machine. PROGRAM is `lab`; Ray copies it to its nodes.

Input, one JSON line per task: {"id": N, "arguments": [...]}, the arguments of `lab`. Output, also lines of JSON:
{"cores": N} when the number of cores changes, {"id": N, "lines": [...], "seconds": S} for a finished task,
{"command": "...", "problem": "..."} for a failed one. Closing the input cancels all running tasks.
"""

import ctypes
import hashlib
import json
import os
import queue
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import ray

POLL_SECONDS = 0.2
PR_SET_PDEATHSIG = 1
MAX_DEATHS = 10  # deaths of a task's worker before the task fails
SIGNALLED = 128  # a program ended by a signal exits with this plus the signal's number


def end_with_parent() -> None:
    """Makes the program end with its worker, even if SIGKILL ends the worker (prctl(2))."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def unpacked(program: bytes) -> Path:
    """Writes the program to a file on this machine, unless it exists. Returns the path."""
    name = f"otrera-lab-{os.getuid()}-{hashlib.sha256(program).hexdigest()[:16]}"
    path = Path(tempfile.gettempdir()) / name
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(program)
        os.chmod(file.name, stat.S_IRWXU)
        os.replace(file.name, path)
    return path


def failed(task: dict, problem: str) -> dict:
    return {"command": shlex.join(["lab", *task["arguments"]]), "problem": problem}


# Ray repeats a task whose worker was killed.
@ray.remote(num_cpus=1, max_retries=MAX_DEATHS - 1)
def play(program: bytes, task: dict) -> dict:
    command = [str(unpacked(program)), *task["arguments"]]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          preexec_fn=end_with_parent, check=False)
    if done.returncode < 0 or done.returncode >= SIGNALLED:
        # The program was killed: kills the worker, too, so that Ray repeats the task.
        os._exit(1)
    if done.returncode > 0:
        return failed(task, done.stderr.strip()[-1000:])
    return {"id": task["id"], "lines": done.stdout.splitlines(), "seconds": time.monotonic() - begun}


def result(reference: ray.ObjectRef, task: dict) -> dict:
    """Returns the output message for a task that has finished or failed."""
    try:
        return ray.get(reference)
    except ray.exceptions.WorkerCrashedError:
        return failed(task, f"died {MAX_DEATHS} times on Ray")
    except ray.exceptions.RayError as error:
        return failed(task, str(error).strip()[-1000:])


def say(message: dict) -> None:
    print(json.dumps(message), flush=True)


def read_tasks(tasks: queue.SimpleQueue) -> None:
    for line in sys.stdin:
        tasks.put(json.loads(line))
    tasks.put(None)


def do_tasks(program: bytes) -> None:
    stored = ray.put(program)
    tasks: queue.SimpleQueue = queue.SimpleQueue()
    threading.Thread(target=read_tasks, args=[tasks], daemon=True).start()
    under_way: dict = {}
    cores = None
    while True:
        now = int(ray.cluster_resources().get("CPU", 1))
        if now != cores:
            cores = now
            say({"cores": cores})
        while not tasks.empty():
            task = tasks.get()
            if task is None:
                return
            under_way[play.remote(stored, task)] = task
        if not under_way:
            threading.Event().wait(POLL_SECONDS / 10)
            continue
        ended, _ = ray.wait(list(under_way), timeout=POLL_SECONDS)
        for reference in ended:
            say(result(reference, under_way.pop(reference)))


def main(address: str, program: str) -> None:
    quiet = {"include_dashboard": False} if address == "local" else {}
    ray.init(address=address, log_to_driver=False, logging_level="ERROR", **quiet)
    try:
        do_tasks(Path(program).read_bytes())
    except BrokenPipeError:
        # lab has ended.
        os._exit(1)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
