"""Add a new report, along with its description, first example, editor and email address, in one transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from presort.data import catalogue
from presort.data.editing.criteria import set_criteria
from presort.data.editing.hints import add_hint
from presort.data.errors import RefusedError
from presort.data.mail.editors import set_address
from presort.data.records import CODE_RULE, REPORT_CODE, Editorship, Report
from presort.data.running.people import add_editorship, editorships
from presort.data.store import Store
from presort.data.text.cleaning import clean


@dataclass(frozen=True)
class NewReport:
    """Details of a report to add.

    Attributes
    ----------
    code : str
    name : str
        Name of the report. Defaults to the code.
    about : str
        Description of the report's subject. It is shown above the editors' list, and is the ranker's first example.
    editor, address : str
        Editor's name and email address. The editor's term begins today.
    first_issue : date or None
        Date from which issues are pending. If None, the newest issue is the first pending issue.
    """

    code: str
    name: str = ""
    about: str = ""
    editor: str = ""
    address: str = ""
    first_issue: date | None = None


def add_report(store: Store, new: NewReport, *, person: str, returning: Collection[str] = ()) -> Report:
    """Add a report, along with its description, first example and editor, in one transaction.

    Parameters
    ----------
    new : NewReport
    person : str
        User to record in the log as the author of the change.
    returning : collection of str
        Codes of retired reports that may be restored along with their past data.

    Raises
    ------
    RefusedError
        If the code or any other value is invalid, or if the code belongs to a current report or to a retired report
        that is not in `returning`.

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
    terms = [one for one in editorships(store) if (one.report, one.editor, one.away) == (report, editor, "")]
    # A restored report still has its editors, even those who are away today, so they are not added again.
    if not any(one.holds_on(today) for one in terms):
        add_editorship(store, Editorship(report, editor, today), person=person)
    if address:
        set_address(store, editor, address)
