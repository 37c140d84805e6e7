"""The notebooks in docs run, and show what comes out."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location

import pytest

from tests.test_documents import AMOUNT, ROOT

spec = spec_from_file_location("notebooks", ROOT / "docs" / "hooks" / "notebooks.py")
hook = module_from_spec(spec)
spec.loader.exec_module(hook)
FILES = sorted(hook.NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    """Outputs are those in the file, but for times and cells whose output varies."""
    monkeypatch.chdir(tmp_path)
    cells = hook.cells_of(path)
    shown = 0
    for cell, outputs in zip(cells, hook.run(cells), strict=True):
        if cell["cell_type"] == "markdown" or "varies" in cell["metadata"].get("tags", []):
            continue
        wanted = [AMOUNT.sub("AMOUNT", hook.plain(output)) for output in cell["outputs"]]
        found = [AMOUNT.sub("AMOUNT", hook.plain(output)) for output in outputs]
        assert found == wanted, "".join(cell["source"])
        shown += len(found)
    assert shown > 2
    page = hook.page(path)
    assert page.startswith("# ")
    assert page.count("```python") == sum(cell["cell_type"] == "code" for cell in cells)


def test_there_are_three():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(FILES) == 3
    assert all(f"notebooks/{path.stem}.md" in navigation for path in FILES)
