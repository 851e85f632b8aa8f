"""Mail to the director about failures: in the summary, after a recovery, and when a unit failed."""

import json

import pytest

from presort.data.errors import DataError, RefusedError
from presort.desk.weekly import mail_texts
from presort.desk.weekly.job import SkipStep, Step, run
from presort.desk.weekly.steps import STEPS
from tests import forked
from tests.desk.command_line import invoke
from tests.desk.weekly.conftest import DEE

UNIT = "presort-weekly.service"


class Papers:
    """First step, which fails, succeeds, or has nothing to do."""

    def __init__(self):
        self.ends = RefusedError("No network.")

    def __call__(self, _job):
        if isinstance(self.ends, Exception):
            raise self.ends
        return self.ends


@pytest.fixture
def papers():
    return Papers()


@pytest.fixture
def steps(papers):
    return [Step("papers", papers, lambda _: ""), STEPS[-1]]


def subjects(inbox):
    return [mail["Subject"] for mail in inbox.got.get(DEE, [])]


@pytest.mark.parametrize("mended", ["week.csv: 30 new papers.", SkipStep("No new files.")], ids=["done", "passed over"])
def test_the_director_gets_one_mail_about_a_recovery(weekly, inbox, papers, steps, mended):
    day = weekly.job().day
    weekly.run(steps=steps)
    weekly.run(steps=steps)
    assert subjects(inbox) == [f"Week of {day}"]
    papers.ends = mended
    for again in (False, False, True):
        weekly.run(steps=steps, again=again)
    assert subjects(inbox) == [f"Week of {day}", mail_texts.recovery_subject(day)]
    assert str(mended) in inbox.got[DEE][1].get_content()


def test_a_failure_that_the_summary_lacks_causes_no_mail_about_a_recovery(weekly, inbox, papers, steps):
    papers.ends = "came in"
    weekly.run(steps=steps)
    papers.ends = RefusedError("No network.")
    weekly.run(steps=steps, again=True)
    papers.ends = "came in"
    weekly.run(steps=steps)
    assert len(subjects(inbox)) == 1


def test_a_failure_of_last_week_does_not_count_this_week(weekly, inbox, papers, steps):
    weekly.run(steps=steps)
    papers.ends = "came in"
    weekly.run(8, steps=steps)
    weekly.run(8, steps=steps)
    assert subjects(inbox) == [f"Week of {weekly.job().day}", f"Week of {weekly.job(8).day}"]


def test_the_mail_about_a_recovery_is_retried(weekly, inbox, papers, steps):
    weekly.run(steps=steps)
    papers.ends = "came in"
    inbox.refuses[DEE] = "451 later"
    assert weekly.run(steps=steps)["summary"][0] == "failed"
    del inbox.refuses[DEE]
    weekly.run(steps=steps)
    weekly.run(steps=steps)
    assert len(subjects(inbox)) == 2


def test_without_a_mail_server_no_mail_is_due(weekly, papers, steps):
    weekly.run(steps=steps)
    papers.ends = "came in"
    assert weekly.run(steps=steps, server="No mail server.")["summary"] == ("passed over", "No mail server.")


@pytest.fixture
def configured(weekly, tmp_path, monkeypatch):
    """Write the settings of the mail server of this service."""
    monkeypatch.chdir(tmp_path)

    def write(port=weekly.server.port, director=DEE, log="text"):
        mail = (
            f'[mail]\nhost = "{weekly.server.host}"\nport = {port}\nfrom = "{weekly.server.sender}"\nstarttls = false\n'
        )
        (tmp_path / "presort.toml").write_text(f'[log]\nformat = "{log}"\n{mail}[weekly]\ndirector = "{director}"\n')
        return ["--workspace", str(weekly.store.folder), "notify-failure"]

    return write


def test_the_director_gets_a_mail_about_a_failed_unit(configured, weekly, inbox, steps):
    assert invoke([*configured(), UNIT]).exit_code == 0
    weekly.run(steps=steps, server="none")
    assert invoke([*configured(), UNIT]).exit_code == 0
    unknown, known = inbox.got[DEE]
    assert unknown["Subject"] == mail_texts.unit_failure_subject(UNIT)
    assert unknown["Auto-Submitted"] == "auto-generated"
    assert unknown.get_content().splitlines() == mail_texts.unit_failure_text(UNIT, False, "").splitlines()
    assert known.get_content().splitlines() == mail_texts.unit_failure_text(UNIT, True, "").splitlines()


def test_the_mail_is_sent_even_if_the_workspace_is_unreadable(configured, weekly, inbox, tmp_path):
    words = [*configured(), UNIT]
    words[1] = str(tmp_path / "missing")
    assert invoke(words).exit_code == 0
    assert len(inbox.got[DEE]) == 1


@pytest.mark.parametrize("name", ["a\nBcc: eve@example.org", "", "a b", "a" * 256, "-x/y"])
def test_an_invalid_unit_name_is_refused(configured, inbox, name):
    assert invoke([*configured(), "--", name]).exit_code == 1
    assert inbox.envelopes == []


def test_a_rejected_mail_is_an_error(configured, inbox):
    inbox.refuses[DEE] = "550 unknown"
    ended = invoke([*configured(), UNIT])
    assert ended.exit_code == 1
    assert UNIT in ended.stderr


@pytest.mark.whole
def test_if_the_mail_fails_the_log_has_a_line(configured, tmp_path):
    for wrong in ({"port": 9}, {"director": ""}):
        words = configured(log="json", **wrong)
        code, written = forked.run("from presort.desk.cli import app; app()", *words, UNIT, folder=tmp_path)
        (line,) = map(json.loads, written.splitlines())
        assert (code, line["level"]) == (1, "error")
        assert DEE not in written


def test_the_reason_of_a_failed_step_is_the_class_of_its_first_cause(weekly, papers, steps):
    papers.ends = DataError("of Ann Lee")
    papers.ends.__cause__ = TimeoutError("ann@example.org")
    assert [one.reason for one in run(weekly.job(), steps)] == ["TimeoutError", ""]
