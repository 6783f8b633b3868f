"""Programs over the core alone, without Python: every vector operation, and every target with teams that stumble."""

from __future__ import annotations

from pathlib import Path

import pytest

from adtm import _core
from compiled import FLAGS, PROGRAMS, compile_program, fields_header, needed, objects, printed


@pytest.mark.parametrize("target", _core.instruction_sets())
def test_every_vector_operation_means_what_it_means_in_plain_integers(target: str, tmp_path: Path) -> None:
    compiler = needed("g++", "c++", "g++")
    flags = ["-std=c++20", "-O1", f"-DTARGET={target}", *FLAGS[target]]
    program = compile_program(compiler, *flags, PROGRAMS / "vectors_agree.cpp", output=tmp_path / "vectors")
    assert "checks hold" in printed(program)


@pytest.mark.timeout(120)
def test_every_target_and_every_team_trains_and_votes_as_one_generic_thread_does(tmp_path: Path) -> None:
    compiler = needed("g++", "c++", "g++")
    flags = ["-std=c++20", "-O1", "-pthread", f"-I{fields_header(tmp_path)}"]
    parts = [PROGRAMS / "targets_agree.cpp", *sorted(objects().glob("*.o"))]
    program = compile_program(compiler, *flags, *parts, output=tmp_path / "targets")
    assert printed(program, "15").startswith(" ".join(_core.instruction_sets()))


@pytest.mark.timeout(60)
def test_threads_find_work_join_in_time_and_are_sent_away_when_late(tmp_path: Path) -> None:
    compiler = needed("g++", "c++", "g++")
    flags = ["-std=c++20", "-O1", "-pthread", f"-I{fields_header(tmp_path)}"]
    parts = [PROGRAMS / "crew_works.cpp", *(objects() / f"{name}.cpp.o" for name in ("crew", "meeting", "shares"))]
    program = compile_program(compiler, *flags, *parts, output=tmp_path / "crew")
    assert printed(program) == "the crew works\n"
