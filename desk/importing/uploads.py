"""Preview and import of uploaded files."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from io import BytesIO
from pathlib import Path, PurePosixPath

from presort.data.errors import DataError, UnreadableFileError
from presort.data.importers.archives import is_archive
from presort.data.importers.choices import Choices
from presort.data.importers.formats import HEAD, TAIL, recognise
from presort.data.importers.problems import Findings, Repair
from presort.data.records import ImportReport
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.data.workspace.scratch import scratch_folder, temporary_folder_error
from presort.desk.importing import advice
from presort.desk.importing.importer import ignore_report, import_path

NAME_LETTERS = 60  # maximum length of a sanitised file name in characters
NO_NEWS = ("listings", "selections_left")  # counts in a summary that don't represent changes to the workspace


@dataclass(frozen=True)
class Upload:
    """Uploaded file.

    Attributes
    ----------
    id : str
        Unique id. A file that is uploaded again gets a new id.
    name : str
        Sanitised file name.
    content : BytesIO
        Content of the file.
    columns : mapping from str to str
        If the file is a table, the column for each field.
    problem : str
        Reason why papers can't be read from these columns. Empty if they can be read.
    """

    id: str
    name: str
    content: BytesIO = field(default_factory=BytesIO, compare=False, repr=False)
    columns: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def is_table(self) -> bool:
        """True if the file is a table whose columns can be chosen. Raises UnreadableFileError for an unknown format."""
        path, content = Path(self.name), self.content.getbuffer()
        if is_archive(path):
            return False
        return recognise(path, bytes(content[:HEAD]), bytes(content[-TAIL:])).open_table is not None


@dataclass(frozen=True)
class ImportRequest:
    """Files to import, with options. A preview is valid only for an equal request."""

    uploads: tuple[Upload, ...]
    issue: date | None
    selected_by: tuple[str, ...]
    keeps_going: bool
    is_matched: bool


@dataclass(frozen=True)
class Outcome:
    """Result of importing one file, or of previewing the import.

    Attributes
    ----------
    name : str
        Name of the file.
    report : ImportReport or None
        Changes to the workspace. None if the file was not imported.
    skipped : tuple of UnreadableFileError
        Invalid records, in the order of the file.
    problem : str
        Error message if the file was not imported, and otherwise empty. If invalid records prevented the import, this
        is the error for the first of them.
    repairs : tuple of Repair
        Repaired records, in the order of the file.
    """

    name: str
    report: ImportReport | None
    skipped: tuple[UnreadableFileError, ...] = ()
    problem: str = ""
    repairs: tuple[Repair, ...] = ()

    @property
    def has_news(self) -> bool:
        """True if the import changes the workspace."""
        counts = asdict(self.report.summary) if self.report else {}
        return any(n for name, n in counts.items() if name not in NO_NEWS)


@dataclass(frozen=True)
class ImportPreview:
    """Preview of an import, and later its result.

    Attributes
    ----------
    request : ImportRequest
        Files and options.
    found : list of Outcome
        Outcomes of the preview, one per file.
    done : list of Outcome
        Outcomes of the files whose import has finished. Files whose preview failed are not imported.
    is_begun : bool
        True if the import was started.
    problem : str
        Error that stopped the import. Empty if there was none.
    """

    request: ImportRequest
    found: list[Outcome]
    done: list[Outcome] = field(default_factory=list)
    is_begun: bool = False
    problem: str = ""

    @property
    def is_whole(self) -> bool:
        """True if all files were imported."""
        return len(self.done) == len(self.found) and all(outcome.report for outcome in self.done)


def upload_of(id: str, name: str, content: BytesIO) -> Upload:
    """Create an upload from a file sent by the browser. The file name is sanitised because it is untrusted.

    Examples
    --------
    >>> upload_of("1", "../../etc/.week.csv", BytesIO()).name
    'week.csv'
    """
    last = clean(PurePosixPath(name.replace("\\", "/")).name)[-NAME_LETTERS:].strip(". ")
    return Upload(id, last or "file", content)


@contextmanager
def copy_to_disk(upload: Upload) -> Iterator[Path]:
    """Yield the path of a temporary copy of a file, in a separate folder."""
    with scratch_folder() as folder:
        path = folder / upload.name
        try:
            path.write_bytes(upload.content.getbuffer())
        except OSError as error:
            raise temporary_folder_error(error) from error
        yield path


def import_upload(
    store: Store,
    request: ImportRequest,
    upload: Upload,
    path: Path,
    *,
    person: str,
    is_trial: bool,
    on_imported: Callable[[Outcome], None] = ignore_report,
    on_progress: Callable[[int], None] = ignore_report,
) -> Outcome:
    """Import one file of a request, or preview the import. Errors are returned in the outcome instead of being raised.

    `on_imported` is called with the outcome as soon as the papers are imported, before features are computed.
    `on_progress` is called with the number of papers read so far.
    """
    choices = Choices(request.issue, request.selected_by, upload.columns)
    try:
        try:
            report, findings = import_path(
                store,
                path,
                choices,
                person=person,
                is_trial=is_trial,
                keeps_going=request.keeps_going or is_trial,
                is_matched=request.is_matched,
                on_imported=lambda report, findings: on_imported(_outcome(upload, report, findings)),
                on_progress=on_progress,
            )
        except UnreadableFileError as error:
            raise advice.add_page_advice(error, path, keeps_going=request.keeps_going) from error
    except DataError as error:
        return Outcome(upload.name, None, problem=str(error))
    if findings.skipped and not request.keeps_going:
        problem = advice.add_page_advice(findings.skipped[0], path, keeps_going=False)
        return _outcome(upload, None, findings, str(problem))
    return _outcome(upload, report, findings)


def _outcome(upload: Upload, report: ImportReport | None, findings: Findings, problem: str = "") -> Outcome:
    return Outcome(upload.name, report, tuple(findings.skipped), problem, tuple(findings.repairs))
