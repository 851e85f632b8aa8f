import pytest

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.records import Report
from presort.desk.service.demo import build_demo


def test_the_demo_is_not_added_to_a_workspace_with_data(empty_store):
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    with pytest.raises(RefusedError, match="already contains other papers"):
        list(build_demo(empty_store))
    assert [report.code for report in catalogue.reports(empty_store)] == ["lab"]
