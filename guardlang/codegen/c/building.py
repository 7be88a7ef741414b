"""C text to a loaded module: finding a compiler, compiling, and the cache of what has been compiled."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.machinery
import importlib.util
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import attrs

from guardlang.errors import BuildError, CompilerNotFound

__all__ = ["Compiler", "cache_folder", "find_compiler", "load"]

_MODULE = "guardlang_check"
# Changed whenever the meaning of a cached file changes.
_FORMAT = b"guardlang-c-1\n"
_SHOWN = 4000


@attrs.frozen
class Compiler:
    """A C compiler.

    Args:
        command: how it is called.
        version: what it says about itself; part of the name of what it compiled.
    """

    command: tuple[str, ...]
    version: str


def find_compiler() -> Compiler:
    """Return the compiler to use: `$CC`, else `cc`, `gcc` or `clang`, else the one that the package `ziglang` brings.

    Raises:
        CompilerNotFound: there is none.

    Example:
        >>> bool(find_compiler().version)
        True
    """
    return _find(os.environ.get("CC", ""), os.environ.get("PATH", ""))


@cache
def _find(chosen: str, path: str) -> Compiler:
    if chosen.strip():
        command = shlex.split(chosen)
        found = shutil.which(command[0], path=path)
        if found is None:
            raise CompilerNotFound(
                f"there is no compiler {command[0]!r:.80}, which $CC names", hint="unset CC, or name one that is installed"
            )
        return _asked((found, *command[1:]))
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name, path=path)
        if found is not None:
            return _asked((found,))
    if importlib.util.find_spec("ziglang") is not None:
        return _asked((sys.executable, "-m", "ziglang", "cc"))
    raise CompilerNotFound(
        "no C compiler was found", hint="install gcc or clang, or `pip install ziglang`; backend='python' needs none"
    )


def _asked(command: tuple[str, ...]) -> Compiler:
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerNotFound(f"the compiler {command[0]!r:.80} does not run: {type(error).__name__}") from None
    return Compiler(command, answer.stdout.strip() or answer.stderr.strip())


def cache_folder() -> Path:
    """Return the folder for compiled checks: `$GUARDLANG_CACHE`, or one in the user's cache directory."""
    chosen = os.environ.get("GUARDLANG_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("guardlang")) / "c"


def load(text: str) -> ModuleType:
    """Return the module of a C text, from the cache if it was compiled before.

    A folder that cannot be written to does no harm: then what is compiled serves this process alone.

    Args:
        text: the C file.

    Raises:
        CompilerNotFound: there is no compiler.
        BuildError: the compiler refused the text, or what it made cannot be loaded.
    """
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise BuildError("this Python has no global lock, which the C code relies on", hint="use backend='python'")
    compiler = find_compiler()
    name = _name(text, compiler)
    known = _loaded.get(name)
    if known is not None:
        return _import(known)
    for folder in (cache_folder(), None):
        try:
            path = _cached(folder, name, text, compiler)
        except OSError:
            if folder is None:
                raise
            continue
        try:
            module = _import(path)
        except ImportError as error:
            path.unlink(missing_ok=True)
            raise BuildError(f"the compiled check cannot be loaded: {error}") from None
        _loaded[name] = path
        return module
    raise AssertionError("the private folder is the last")


# By the name of a text, where it was loaded from in this process.
_loaded: dict[str, Path] = {}


def flags() -> tuple[str, ...]:
    """Return what the compiler is told besides the files; `$GUARDLANG_CFLAGS` is added."""
    extra = shlex.split(os.environ.get("GUARDLANG_CFLAGS", ""))
    system = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
    return ("-O2", "-std=gnu11", "-fPIC", "-shared", "-fwrapv", "-fvisibility=hidden", "-w", *system, *extra)


def _name(text: str, compiler: Compiler) -> str:
    digest = hashlib.sha256(_FORMAT)
    abi = (sysconfig.get_config_var("SOABI") or "", sys.version, sysconfig.get_platform())
    for part in (text, *abi, *compiler.command, compiler.version, *flags()):
        digest.update(hashlib.sha256(part.encode()).digest())
    return digest.hexdigest()[:40]


def _cached(folder: Path | None, name: str, text: str, compiler: Compiler) -> Path:
    if folder is None:
        folder = _own_folder()
    else:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            raise PermissionError(f"{folder} can be written to by others")
    path = folder / f"{name}.so"
    if not _is_whole(path):
        _compile(text, path, compiler)
    return path


@cache
def _own_folder() -> Path:
    import atexit

    folder = tempfile.mkdtemp(prefix="guardlang-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _is_whole(path: Path) -> bool:
    """Tell whether a file is what was once written: the digest of the rest stands at its end."""
    try:
        content = path.read_bytes()
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return False
    except OSError:
        return False
    body, seal = content[: -len(_seal(b""))], content[-len(_seal(b"")) :]
    return _seal(body) == seal


def _seal(body: bytes) -> bytes:
    return _FORMAT + hashlib.sha256(body).digest()


def _compile(text: str, path: Path, compiler: Compiler) -> None:
    mark = f"{os.getpid()}-{secrets.token_hex(4)}"
    source, made = path.with_name(f"{path.stem}-{mark}.c"), path.with_name(f"{path.stem}-{mark}.tmp")
    try:
        source.write_text(text, "utf-8")
        command = [*compiler.command, *flags(), f"-I{sysconfig.get_path('include')}", str(source), "-o", str(made), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            message = done.stderr.replace(str(source), "check.c").strip()
            raise BuildError(f"the C compiler refused the check:\n{message[:_SHOWN]}", hint=_advice(message))
        body = made.read_bytes()
        with made.open("ab") as file:
            file.write(_seal(body))
        made.chmod(0o700)
        made.replace(path)
    finally:
        for left in (source, made):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)


def _advice(message: str) -> str:
    if "Python.h" in message:
        return "install the headers of this Python (python3-dev), or use backend='python'"
    return "backend='python' needs no compiler"


def _import(path: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(_MODULE, str(path))
    spec = importlib.util.spec_from_file_location(_MODULE, str(path), loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
