"""One part of the fleet's benchmark in a process of its own: `python work_fleet.py TASK FOLDER NUMBER`.

Answers with JSON on standard output. What a task needs is imported inside it.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from work import facts
from work import plain as plain_pass

if TYPE_CHECKING:
    from ppgov.shard import Shard

ROUNDS = 5
TURNS = 3


def nquads(folder: Path, _: int) -> dict[str, Any]:
    """Read, structure, every rule, and the quads as N-Quads text written to one file; processes started and ended."""
    import_module("ppgov.cli")  # collects garbage as rarely as a command does
    start = perf_counter()
    size = 0
    with open(folder.with_suffix(".nq"), "wb") as stream:
        for piece in pieces(folder, located=False):
            size += stream.write(piece.quads.encode())
    return {"seconds": perf_counter() - start, "bytes": size}


def plain(folder: Path, step: int) -> dict[str, Any]:
    """The usual libraries over every so many packs; which quads they write is prepared, and not counted."""
    packs = sorted(path for path in folder.rglob("*") if path.is_file())[::step]
    given = folder.with_suffix(".json")
    seconds = 0.0
    for pack in packs:
        facts(pack, given)()
        run = plain_pass(pack, given)
        start = perf_counter()
        run()
        seconds += perf_counter() - start
    return {"seconds": seconds, "packs": len(packs)}


def queries(folder: Path, limit: int) -> dict[str, Any]:
    """Each named query in pyoxigraph and in rdflib, in turns."""
    import pyoxigraph
    import rdflib

    text = "".join(piece.quads for piece in pieces(folder, located=True))
    store = pyoxigraph.Store()
    store.bulk_load(text, pyoxigraph.RdfFormat.N_QUADS)
    dataset = rdflib.Dataset(default_union=True)
    dataset.parse(data=text, format="nquads")
    took: dict[str, tuple[list[float], list[float | None]]] = {name: ([], []) for name in named()}
    for _ in range(TURNS):  # a busy moment hits different queries in each turn
        for name, query in named().items():
            took[name][0].append(timed(partial(consumed, store, query), limit, ROUNDS) or limit)
            took[name][1].append(timed(partial(consumed, dataset, query), limit, 1))
    return {"queries": {name: (median(ours), _middle(theirs)) for name, (ours, theirs) in took.items()}}


def _middle(seconds: list[float | None]) -> float | None:
    """The middle of some turns; None when the query did not end in one of them."""
    ended = [value for value in seconds if value is not None]
    return median(ended) if len(ended) == len(seconds) else None


def scan(folder: Path, limit: int) -> dict[str, Any]:
    """Each named query in pyoxigraph, and a query that looks at every quad."""
    import pyoxigraph

    store = pyoxigraph.Store()
    store.bulk_load("".join(piece.quads for piece in pieces(folder, located=True)), pyoxigraph.RdfFormat.N_QUADS)
    every = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
    return {
        "queries": {
            name: (timed(partial(consumed, store, query), limit, 3) or limit, None) for name, query in named().items()
        },
        "scan": timed(partial(consumed, store, every), limit, 3),
        "quads": len(store),
    }


def consumed(store: Any, query: str) -> object:
    """Every row of an answer, for both engines compute them as they are asked for."""
    union = {} if hasattr(store, "serialize") else {"use_default_graph_as_union": True}
    answer = store.query(query, **union)
    return list(answer) if hasattr(answer, "__iter__") else bool(answer)


def timed(act: Callable[[], object], limit: int, rounds: int) -> float | None:
    """The middle of the seconds that it takes, in a fork that is ended at the limit: then None."""
    fork = multiprocessing.get_context("fork")
    receive, send = fork.Pipe(duplex=False)
    process = fork.Process(target=_send_seconds, args=(act, rounds, send))
    process.start()
    send.close()
    seconds: float | None = receive.recv() if receive.poll(limit * rounds) else None
    process.kill()
    process.join()
    return seconds


def _send_seconds(act: Callable[[], object], rounds: int, send: Connection) -> None:
    took = []
    for _ in range(rounds):
        start = perf_counter()
        act()
        took.append(perf_counter() - start)
    send.send(median(took))


def named() -> dict[str, str]:
    """Text of each named query, with the parameters that it needs bound to what the fleet holds."""
    from ppgov.query import named as queries
    from ppgov.query.bind import bind
    from ppgov.query.table import PREFIXES

    texts = {}
    for query in queries.catalogue():
        given = {item.name: NEEDED[item.name] for item in query.parameters if item.required}
        texts[query.name] = bind(query.text, queries.values(query, given, PREFIXES))
    return texts


NEEDED = {"field": "pg:operatorRole", "duty": "legal-eu-gdpr:A13"}


def pieces(folder: Path, *, located: bool) -> Iterator[Shard]:
    """The fleet by two processes. `located` adds the places, which a store holds and the plain pipeline does not."""
    from ppgov.fleet import Options, gather
    from ppgov.shard import shards

    return shards(gather([str(folder)]).targets, Options(), located=located, jobs=2)


TASKS = {task.__name__: task for task in (nquads, plain, queries, scan)}

if __name__ == "__main__":
    chosen, where, number = sys.argv[1:]
    print(json.dumps(TASKS[chosen](Path(where), int(number))))
