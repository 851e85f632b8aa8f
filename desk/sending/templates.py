"""Jinja templates for mail, pages and feeds.

A service can override a template with a file of the same name in its workspace's `templates` folder.
"""

import textwrap
from collections.abc import Callable
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

from jinja2 import BytecodeCache, FunctionLoader, StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from presort.data.errors import UnreadableFileError
from presort.desk.links import link_of, links_of
from presort.desk.sending import texts
from presort.desk.sending.letters import Letter

OURS = Path(__file__).with_name("report_templates")
FOLDER = "templates"  # name of the templates folder in a workspace
WIDTH = 76  # characters per line of plain text
RULE = "─" * WIDTH

# Errors that an expression in a template can raise, besides Jinja's own.
WRONG = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


class CompiledTemplates(BytecodeCache):
    """Cache of compiled templates by file, because compiling a template takes longer than rendering it.

    Files that have changed are compiled again.
    """

    def __init__(self) -> None:
        self._compiled: dict[str, tuple[str, CodeType | None]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's bytecode into the bucket, if the template hasn't changed."""
        checksum, code = self._compiled.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the bucket's bytecode in the cache."""
        self._compiled[bucket.key] = (bucket.checksum, bucket.code)


# Two caches, because the compiled code depends on the escaping.
COMPILED = {is_html: CompiledTemplates() for is_html in (True, False)}


class Templates:
    """Templates for one workspace: the built-in templates, and the workspace's own templates, which override them.

    Templates are untrusted and run in a sandbox. They can't access objects of the program or files outside the two
    template folders. Values in HTML are escaped.
    """

    def __init__(self, workspace: Path) -> None:
        self.theirs = workspace / FOLDER
        self._newest = OURS  # the most recently loaded file
        # Escaping depends on the output, not on the file, because a text template can be included in a page.
        self._for_html, self._for_text = (self._environment(is_html=is_html) for is_html in (True, False))

    def mail_text(self, letter: Letter, *, is_draft: bool = False, unsubscribe: str = "") -> str:
        """Render a report issue as plain text for mail.

        `unsubscribe` is the web address in the footer, if there is one.
        """
        return self.render("mail.txt.j2", **_values(letter, unsubscribe), is_draft=is_draft).strip("\n")

    def mail_html(self, letter: Letter, *, is_draft: bool = False, unsubscribe: str = "") -> str:
        """Render a report issue as HTML for mail. The result is a complete document without external resources."""
        return self.render("mail.html.j2", **_values(letter, unsubscribe), is_draft=is_draft)

    def page(self, letter: Letter) -> str:
        """Render a report issue as a public page."""
        return self.render("page.html.j2", **_values(letter))

    def papers(self, letter: Letter) -> str:
        """Render a report issue's note and papers as an HTML fragment for feeds."""
        return self.render("papers.html.j2", **_values(letter))

    def render(self, template: str, /, **given: object) -> str:
        """Render a template.

        Raises
        ------
        UnreadableFileError
            If one of the workspace's templates is invalid. The message names the file and the line.
        """
        try:
            environment = self._for_text if template.endswith(".txt.j2") else self._for_html
            return environment.get_template(template).render(**given)
        except TemplateSyntaxError as error:
            raise self._explain_error(error, error.filename or error.name, error.lineno) from error
        except SyntaxError as error:  # the template is valid, but the code Jinja generates is nested too deeply
            raise self._explain_error(TemplateError("is nested too deeply"), str(self._newest), None) from error
        except WRONG as error:
            raise self._explain_error(error, *self._place(error.__traceback__)) from error

    def fingerprint(self) -> list[str]:
        """Return the content of the workspace's own templates. It is used to detect outdated pages."""
        return [_text_of(path) for path in sorted(self.theirs.glob("*.j2")) if path.is_file()]

    def _environment(self, *, is_html: bool) -> ImmutableSandboxedEnvironment:
        environment = ImmutableSandboxedEnvironment(
            loader=FunctionLoader(self._load),
            autoescape=is_html,
            bytecode_cache=COMPILED[is_html],
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"wrapped": wrap_text, "link": link_of, "links": links_of}
        environment.globals |= {"words": texts.FOR_TEMPLATES, "RULE": RULE}
        return environment

    def _explain_error(self, error: Exception, file: str | None, line: int | None) -> Exception:
        """Convert an error in a workspace's template to an error with a message for users.

        Errors in built-in templates are returned unchanged.
        """
        path = Path(file or OURS)
        if path.parent != self.theirs:
            return error
        return UnreadableFileError(path, str(error) or type(error).__name__, line=line)

    def _place(self, traceback: TracebackType | None) -> tuple[str | None, int | None]:
        """Return the file and line of the innermost traceback entry in the workspace's templates, or (None, None)."""
        found: tuple[str | None, int | None] = (None, None)
        while traceback is not None:
            file = traceback.tb_frame.f_code.co_filename
            if Path(file).parent == self.theirs:
                found = (file, traceback.tb_lineno)
            traceback = traceback.tb_next
        return found

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        for folder in (self.theirs, OURS):
            path = folder / name
            # Reject paths and symlinks that lead out of the folder.
            if path.is_file() and path.resolve().parent == folder.resolve():
                self._newest = path
                return _text_of(path), str(path), lambda: True
        return None


def wrap_text(text: str, lead: str = "") -> str:
    """Wrap a paragraph, put `lead` in front of it, and indent further lines by the length of `lead`.

    Ids and addresses are not broken.

    Examples
    --------
    >>> print(wrap_text("wages " * 14, " 1. "))
     1. wages wages wages wages wages wages wages wages wages wages wages wages
        wages wages
    """
    lines = textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _values(letter: Letter, unsubscribe: str = "") -> dict[str, Any]:
    return {
        "name": letter.name,
        "code": letter.code,
        "issue": letter.issue,
        "headed": letter.headed,
        "note": letter.note,
        "papers": letter.papers,
        "unsubscribe": unsubscribe,  # also defined for pages, because a page's template may include an email's template
    }


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(path, "is not UTF-8 text. Save it as UTF-8") from error
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror}") from error
