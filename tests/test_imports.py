"""The house has one direction: nothing imports upwards, siblings leave each other's privates alone."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "celosia"
FLOORS = (
    {"core"},
    {"kernels", "io"},
    {"verify", "engines"},
    {"risk", "methods", "utility", "attack", "tables", "census", "demography"},
    {"process", "datasets"},
    {"report"},
    {"cli", "web"},
)
FLOOR = {package: height for height, packages in enumerate(FLOORS) for package in packages}
KERNELS_MAY = {"numpy", "numba", "llvmlite", "celosia.kernels"}


def imports(path: Path):
    """(module, names) of every import in a file, type-checking ones left out."""
    tree = ast.parse(path.read_text("utf-8"))
    guarded = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    home = path.relative_to(SOURCE).parts[0]
    for module, names in imports(path):
        parts = module.split(".")
        if parts[0] != "celosia" or len(parts) < 2:
            continue
        assert FLOOR[parts[1]] <= FLOOR[home], f"{home} imports {module}, which is above it"
        if parts[1] != home:
            assert not any(part.startswith("_") for part in (*parts, *names)), f"{home} imports a private of {module}"


def test_kernels_import_numpy_and_numba_only():
    for path in (SOURCE / "kernels").glob("*.py"):
        for module, _ in imports(path):
            standard = module.split(".")[0] in __import__("sys").stdlib_module_names
            assert standard or any(module == m or module.startswith(m + ".") for m in KERNELS_MAY), (path.name, module)


def test_verify_shares_nothing_with_the_methods():
    for path in (SOURCE / "verify").rglob("*.py"):
        for module, _ in imports(path):
            assert not module.startswith("celosia.") or module.startswith(("celosia.core", "celosia.verify")), module


def test_heavy_libraries_are_imported_inside_functions():
    heavy = {"scipy", "pyarrow", "pandas", "pyreadstat", "fastexcel", "xlsxwriter", "altair", "vl_convert", "babel"}
    for path in FILES:
        tree = ast.parse(path.read_text("utf-8"))
        for node in tree.body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not heavy & {name.split(".")[0] for name in names}, path.name
