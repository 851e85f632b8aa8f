"""Load the components' scripts and styles. Streamlit accepts only one script and one style sheet per component."""

import re
from importlib.resources import files

BROWSER = files("presort.desk.components") / "browser"
IMPORT = re.compile(r'^import \{[\w,\s]+\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default\b)", re.MULTILINE)


def script(name: str) -> str:
    """Bundle a module in `browser/` and the modules that it imports into a single module.

    This is needed because Streamlit serves only one script for a component, and the browser can't load its imports. In
    the bundle, imported modules come first and all modules share one scope. No two modules may therefore declare the
    same name.

    Parameters
    ----------
    name : str
        File name of the module, without ".js".
    """
    texts: dict[str, str] = {}
    _collect(name, texts, set())
    return "\n".join(texts.values())


def style(name: str) -> str:
    """Return a style sheet in `browser/`, given its file name without ".css"."""
    return (BROWSER / f"{name}.css").read_text(encoding="utf-8")


def _collect(name: str, texts: dict[str, str], visited: set[str]) -> None:
    visited.add(name)  # must precede the visit to its imports, because modules may import each other
    text = (BROWSER / f"{name}.js").read_text(encoding="utf-8")
    for imported in IMPORT.findall(text):
        if imported not in visited:
            _collect(imported, texts, visited)
    texts[name] = EXPORT.sub("", IMPORT.sub("", text))
