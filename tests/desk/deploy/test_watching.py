"""Alert rules for Prometheus and a dashboard for Grafana: valid, tested, and with exported metrics only."""

import json
import re
import shutil
import subprocess
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest

from presort.data.running import weekly
from presort.desk.web.monitoring import WorkspaceMetrics
from tests.desk.deploy.nginx_server import DEPLOY

RULES = DEPLOY / "prometheus-alerts.yml"
DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
QUERIES = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
METRIC = re.compile(r"\bpresort_\w+")

needs_promtool = pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool (package prometheus) is not installed"
)


def promtool(*words, folder):
    ended = subprocess.run(["promtool", *words], cwd=folder, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture
def exported(finished, tmp_path, monkeypatch):
    """Names of all metrics of a service with a finished weekly job, in which everything is set up."""
    path = tmp_path / "presort.toml"
    path.write_text(f'[[webhook]]\nurl = "https://example.org/hook"\nsecret = "whsec_{"a" * 32}"\n')
    own = {"CONFIG": path, "BACKUP_FOLDER": tmp_path, "SITE_FOLDER": tmp_path / "site", "SMTP_HOST": "localhost"}
    for name, value in own.items():
        monkeypatch.setenv(f"PRESORT_{name}", str(value))
    weekly.begin(finished, date(2026, 11, 2), "papers")
    registry = CollectorRegistry()
    registry.register(WorkspaceMetrics(lambda: finished))
    lines = (generate_latest(REGISTRY) + generate_latest(registry)).decode().splitlines()
    return {re.match(r"\w+", line)[0] for line in lines if not line.startswith("#")}


@needs_promtool
def test_the_rules_are_valid_and_fire_when_they_should(tmp_path):
    for path in (RULES, Path(__file__).with_name("alerts_test.yml")):
        shutil.copy(path, tmp_path)
    code, messages = promtool("check", "rules", RULES.name, folder=tmp_path)
    assert code == 0, messages
    code, messages = promtool("test", "rules", "alerts_test.yml", folder=tmp_path)
    assert code == 0, messages


def test_each_alert_has_a_test_and_says_what_to_do():
    alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
    tested = set(re.findall(r'alertname="(\w+)"', Path(__file__).with_name("alerts_test.yml").read_text()))
    assert set(alerts) == tested
    assert len(re.findall(r"^ +summary: \S", RULES.read_text(), re.M)) == len(alerts)
    assert len(re.findall(r"^ +description: \S", RULES.read_text(), re.M)) == len(alerts)


def test_rules_and_dashboard_use_only_metrics_that_the_desk_exports(exported):
    of_rules = set(METRIC.findall(RULES.read_text()))
    of_dashboard = {name for query in QUERIES for name in METRIC.findall(query)}
    assert of_rules | of_dashboard <= exported
    not_shown = {name for name in exported if METRIC.match(name) and not name.endswith(("_created", "_sum", "_count"))}
    assert not_shown - of_rules - of_dashboard == set()


@needs_promtool
def test_the_queries_of_the_dashboard_are_valid(tmp_path):
    rules = [{"record": f"query:{n}", "expr": query.replace("$job", "presort")} for n, query in enumerate(QUERIES)]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    code, messages = promtool("check", "rules", "rules.yml", folder=tmp_path)
    assert code == 0, messages


def test_panels_do_not_overlap():
    def cells(panel):
        place = panel["gridPos"]
        return {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}

    for one, other in combinations(DASHBOARD["panels"], 2):
        assert one["id"] != other["id"]
        assert not cells(one) & cells(other)
    assert all(x < 24 for panel in DASHBOARD["panels"] for x, _ in cells(panel))
