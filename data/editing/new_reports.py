"""Add a new report with its description, first example, editor and email address in one transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from presort.data import catalogue
from presort.data.editing.criteria import set_criteria
from presort.data.editing.hints import add_hint
from presort.data.errors import RefusedError
from presort.data.mail.editors import set_address
from presort.data.records import CODE_RULE, REPORT_CODE, Editorship, Report
from presort.data.running.people import add_editorship, editors_on, editorships
from presort.data.store import Store
from presort.data.text.cleaning import clean


@dataclass(frozen=True)
class NewReport:
    """Report to add.

    Attributes
    ----------
    code : str
    name : str
        Name of the report. Defaults to the code.
    about : str
        Description of the subject. Editors see it above their list, and the ranker uses it as its first example.
    editor, address : str
        Name and email address of the editor, whose term begins today.
    first_issue : date or None
        Issues from this day on are pending. If None, the newest issue is the first pending one.
    """

    code: str
    name: str = ""
    about: str = ""
    editor: str = ""
    address: str = ""
    first_issue: date | None = None


def add_report(store: Store, new: NewReport, *, person: str, returning: Collection[str] = ()) -> Report:
    """Add a report with its description, first example and editor in one transaction.

    Parameters
    ----------
    new : NewReport
    person : str
        Author of the change in the log.
    returning : collection of str
        Codes of the retired reports that may be restored with their past data.

    Raises
    ------
    RefusedError
        If the code is invalid or in use, or belongs to a retired report that is not in `returning`. Also if another
        value is invalid.

    Examples
    --------
    >>> from presort.data.catalogue import reports
    >>> from presort.data.store import open_store
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(pathlib.Path(folder))
    ...     _ = add_report(store, NewReport("lab", "Labour", "Wages, jobs and trade unions."), person="Dora")
    ...     print(reports(store))
    ...     store.close()
    [Report(code='lab', name='Labour', is_retired=False)]
    """
    report = validate_report(new.code, new.name)
    editor, about = clean(new.editor), new.about.strip()
    if new.address and not editor:
        raise RefusedError("The email address has no editor. Enter the editor's name, or leave the address empty.")
    with store.transaction() as one:
        catalogue.add_reports(one, [report], returning=returning, first_issue=new.first_issue)
        if about:
            set_criteria(one, report.code, about, person=person)
            add_hint(one, report.code, "seed", about, person=person)
        if editor:
            _add_editor(one, report.code, editor, new.address, person)
    return report


def validate_report(code: str, name: str) -> Report:
    """Clean and validate the code and the name of a new report. The name defaults to the code.

    Raises
    ------
    RefusedError
        If the code is invalid.
    """
    report = Report(clean(code), clean(name) or clean(code))
    if not REPORT_CODE.fullmatch(report.code):
        raise RefusedError(f"{report.code!r} is not a valid report code. Use {CODE_RULE}.")
    return report


def _add_editor(store: Store, report: str, editor: str, address: str, person: str) -> None:
    today = date.today()
    if editor not in editors_on(
        editorships(store), report, today
    ):  # the editors of a restored report are still its editors, so they are not added again
        add_editorship(store, Editorship(report, editor, today), person=person)
    if address:
        set_address(store, editor, address)
