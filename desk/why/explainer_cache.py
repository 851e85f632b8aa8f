"""Server-side cache of explainers, because creating an explainer is slow."""

from datetime import date, timedelta

import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.hints import hints
from presort.desk.service import rankers
from presort.desk.ui.visitor import whole_store
from presort.desk.why import explanation
from presort.desk.why.explanation import RankExplainer


def cached_explainer(ranker: str, issue: date) -> RankExplainer:
    """Return an explainer for an issue, with the ranker trained on the current data. Explainers are cached."""
    current = whole_store()
    sizes = [(one.date, one.n_papers) for one in catalogue.issues(current) if one.date <= issue]
    hints_up_to = {report: given.up_to for report, given in hints(current).items()}
    return _explainer(current.name, ranker, issue, sizes, decisions.newest_decisions(current, issue), hints_up_to)


@st.cache_resource(show_spinner=False, ttl=timedelta(hours=1), max_entries=2)  # few, because each holds all papers
def _explainer(
    workspace: str,
    ranker: str,
    issue: date,
    sizes: list[tuple[date, int]],
    decided: dict[str, int],
    hints_up_to: dict[str, int],
) -> RankExplainer:
    return explanation.make_explainer(whole_store(), rankers.installed_recipe(ranker), issue)
