"""Work during which its process is killed, once."""

import os
import signal
import threading
import time
from pathlib import Path

from abrank.engines.job import Done, Job, Partition, score_partition

PLACE = "killed-process"


def score_or_wait(job: Job, partition: Partition) -> Done:
    """Score a partition; the first process that is given the second one waits for its end."""
    place = job.folder / PLACE
    if partition.number == 1 and not place.exists():
        written = place.with_suffix(".new")
        written.write_text(str(os.getpid()))
        written.replace(place)
        time.sleep(120)
    return score_partition(job, partition)


def kill_when_told(folder: Path) -> threading.Thread:
    """Kill the process whose id the job writes down: a worker that the test's cluster started."""

    def watch() -> None:
        while not (folder / PLACE).exists():
            time.sleep(0.05)
        os.kill(int((folder / PLACE).read_text()), signal.SIGKILL)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread
