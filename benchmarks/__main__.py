"""Run the benchmarks: `python -m benchmarks --only check`."""

from __future__ import annotations

import traceback
from importlib import import_module
from pathlib import Path

import click
from rich.console import Console

from benchmarks.report import Result, as_json, print_table
from benchmarks.rows import Options, Unavailable

__all__ = ["main"]

HERE = Path(__file__).parent
PREFIX = "bench_"
WIDTH_OF_A_FILE = 160


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Run benchmarks/bench_NAME.py alone; may be given several times.")
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(min=1), help="Samples that a median is taken of.")
@click.option(
    "--traces",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A checkout of the public shape traces, to be replayed too.",
)
@click.option(
    "--json",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    default=HERE / "results.json",
    help="Where to write the results [default: benchmarks/results.json].",
)
def main(only: tuple[str, ...], rounds: int, traces: Path | None, target: Path) -> None:
    """Measure guardlang against its peers, print one table of ratios, and write it as JSON.

    Exits with 1 if a benchmark ended in an error; a ratio past its goal is shown and is no error.
    """
    options = Options(rounds=rounds, traces=traces)
    results = [run(name, options) for name in chosen(only)]
    target.write_text(as_json(results), encoding="utf-8")
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDTH_OF_A_FILE
    print_table(results, console)
    if any(result.failed for result in results):
        raise SystemExit(1)


def chosen(only: tuple[str, ...]) -> list[str]:
    """Return the names of the benchmarks to run, in the order of their files' names.

    Raises:
        click.UsageError: a name in `only` has no file.
    """
    names = sorted(path.stem.removeprefix(PREFIX) for path in HERE.glob(f"{PREFIX}*.py"))
    unknown = [name for name in only if name not in names]
    if unknown:
        raise click.UsageError(f"no benchmark is called {unknown[0]!r}; there are: {', '.join(names) or 'none'}")
    return [name for name in names if name in only] if only else names


def run(name: str, options: Options) -> Result:
    """Run one benchmark; an error ends that one alone and keeps the rows it had measured."""
    rows = []
    try:
        for row in import_module(f"benchmarks.{PREFIX}{name}").rows(options):
            rows.append(row)  # noqa: PERF402 - rows before an error are kept
    except Unavailable as reason:
        return Result(name, rows=tuple(rows), skipped=str(reason))
    except Exception as error:  # noqa: BLE001 - reported, and the exit code tells
        click.echo(traceback.format_exc(), err=True)
        return Result(name, rows=tuple(rows), failed=f"{type(error).__name__}: {error}")
    return Result(name, rows=tuple(rows))


if __name__ == "__main__":
    main()
