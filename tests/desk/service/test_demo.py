import pytest

from data import catalogue
from data.errors import RefusedError
from data.records import Report
from desk.service.demo import build_demo


def test_nothing_made_up_joins_what_is_real_be_it_a_report_alone(empty_store):
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    with pytest.raises(RefusedError, match="holds other papers already"):
        list(build_demo(empty_store))
    assert [report.code for report in catalogue.reports(empty_store)] == ["lab"]
