"""Build the searchable offline site: ``make docs`` writes it to site/."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
CONFIG = Path("docs", "zensical.toml")
COPIED = ("*.md", "docs/**/*.md", "docs/**/*.svg", "docs/**/*.ipynb", "docs/theme/*", "benchmarks/results/**/*.md")
INDEX = "README.md"
_FOLDER = re.compile(r'"([^"\n]+)/"')
_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=\))")


def build_site(folder: Path, *, root: Path = ROOT) -> Path:
    """The site, made in the folder as ``site``; a link that leads nowhere ends the build."""
    for path in sorted({path for pattern in COPIED for path in root.glob(pattern)}):
        target = folder / "pages" / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    config = (root / CONFIG).read_text(encoding="utf-8")
    for name in _FOLDER.findall(config):
        _give_index(folder / "pages" / name)
    for page in (folder / "pages").rglob("*.md"):
        page.write_text(_with_folder_links(page), encoding="utf-8")
    (folder / "zensical.toml").write_text(with_folders(config, folder / "pages"), encoding="utf-8")
    subprocess.run([Path(sys.executable).with_name("zensical"), "build", "--strict"], cwd=folder, check=True)
    return folder / "site"


def with_folders(config: str, pages: Path) -> str:
    """The settings, each folder of the navigation replaced by its pages, the index first."""
    return _FOLDER.sub(lambda found: str(_pages_of(pages, found[1])).replace("'", '"'), config)


def _pages_of(pages: Path, name: str) -> list[str]:
    found = sorted((pages / name).glob("*.md"), key=lambda page: (page.name != INDEX, page.name))
    return [str(page.relative_to(pages)) for page in found]


def _give_index(folder: Path) -> None:
    """A list of the folder's pages, unless it has one."""
    if not (folder / INDEX).exists():
        lines = [f"- [{_title(page)}]({page.name})\n" for page in sorted(folder.glob("*.md"))]
        (folder / INDEX).write_text(f"# {folder.name.capitalize()}\n\n{''.join(lines)}", encoding="utf-8")


def _title(page: Path) -> str:
    heading = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return heading[1] if heading else page.stem


def _with_folder_links(page: Path) -> str:
    """The page's text, links to a folder leading to its index."""

    def target(link: re.Match[str]) -> str:
        return f"{link[0].rstrip('/')}/{INDEX}" if (page.parent / link[0]).is_dir() else link[0]

    return _LINK.sub(target, page.read_text(encoding="utf-8"))


def nav_pages(config: str) -> list[str]:
    """Every page that the navigation names, in order."""

    def named(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        inner = entry.values() if isinstance(entry, dict) else entry
        return [page for one in inner for page in named(one)]

    return named(tomllib.loads(config)["project"]["nav"])


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        made = build_site(Path(folder))
        shutil.rmtree(ROOT / "site", ignore_errors=True)
        shutil.copytree(made, ROOT / "site")
    sys.stdout.write("Open site/index.html in a browser.\n")
