"""Right required by each function that reads or writes a workspace, and arguments to call it in tests.

Add every new function here. `test_access` compares the table with the code.
"""

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np

from presort.data.editing.new_reports import NewReport
from presort.data.records import (
    AlertEntry,
    Decision,
    Draft,
    Draw,
    Editorship,
    Identity,
    Issue,
    Mailing,
    Note,
    Notice,
    PendingIssue,
    Report,
    ReportIssue,
    Reranking,
    Role,
    SentenceModel,
    StoredRanking,
)
from presort.desk.service.ranking_plan import RankingPlan, RankingRequest, Watermarks
from presort.desk.session.progress import ReviewContext
from presort.desk.settings import Delivery
from presort.ranker.tokens import tokenise
from presort.ranker.versions import RECIPES
from tests.data.workspaces import FIRST, SECOND, make_ranking

ANYBODY = "whoever may look at some report"
LOOK = "who may look at the report"
CHANGE = "who may change the report"
EDITOR = "whoever edits some report"
OWN = "the person alone"
DIRECTOR = "directors"
NOTHING = "nothing of the workspace's is read"

RIGHTS = {
    "presort.data.catalogue": {
        ANYBODY: "revision setting workspace_id issues papers paper reports",
        DIRECTOR: "set_setting add_reports rename_report retire_report",
    },
    "presort.data.duplicates.listings": {
        ANYBODY: "duplicates",
        EDITOR: "separate",
        DIRECTOR: "possible_duplicates decide",
    },
    "presort.data.editing.criteria": {LOOK: "criteria", CHANGE: "set_criteria"},
    "presort.data.editing.decisions": {
        LOOK: "labels labels_up_to log_cursor current_decisions newest_notes minutes_spent",
        CHANGE: "decide",
        DIRECTOR: "n_relevant newest_decisions_before newest_decisions newest_decision",
    },
    "presort.data.editing.drafts": {LOOK: "draft to_publish", CHANGE: "save_draft"},
    "presort.data.editing.hints": {
        ANYBODY: "newest_example",
        CHANGE: "add_hint",
        DIRECTOR: "hints add_report_with_examples",
    },
    "presort.data.editing.log": {
        LOOK: "decisions_since history_of published_issues",
        OWN: "last_report",
        DIRECTOR: "last_published",
    },
    "presort.data.editing.new_reports": {DIRECTOR: "add_report"},
    "presort.data.editing.notes": {LOOK: "paper_notes tags_of", CHANGE: "add_notes"},
    "presort.data.editing.pending": {LOOK: "pending skipped pending_and_skipped rankers_of first_late_issues"},
    "presort.data.editing.preferences": {OWN: "preference set_preference"},
    "presort.data.editing.read_papers": {LOOK: "read_positions all_read_positions draws", CHANGE: "mark_read add_draw"},
    "presort.data.editing.rerankings": {
        LOOK: "newest_reranking reranking_of",
        CHANGE: "add_reranking undo_reranking",
    },
    "presort.data.editing.publication_events": {DIRECTOR: "publication_events"},
    "presort.data.editing.publications": {
        LOOK: "published publication_log",
        CHANGE: "publish_report_issue reopen undo",
    },
    "presort.data.editing.report_past": {DIRECTOR: "report_past"},
    "presort.data.editing.skipping": {LOOK: "skippings", CHANGE: "skip undo_skip"},
    "presort.data.editing.work": {LOOK: "desk_work minutes_at_desk", DIRECTOR: "last_in_list decided_issues"},
    "presort.data.intake.commit_import": {DIRECTOR: "commit_import"},
    "presort.data.learning.first_publications": {LOOK: "first_publication", DIRECTOR: "cutoffs"},
    "presort.data.learning.history": {DIRECTOR: "read_history"},
    "presort.data.learning.missing_rankings": {DIRECTOR: "missing_rankings newest_published_issues"},
    "presort.data.learning.models": {NOTHING: "model_store"},
    "presort.data.learning.outcomes": {
        ANYBODY: "outcomes_state outcomes_states",
        DIRECTOR: "outcome_columns score_published_issues scored_rankings",
    },
    "presort.data.learning.stop_audits": {
        ANYBODY: "stop_audits_state",
        DIRECTOR: "add_stop_audits rankings_without_audit read_stop_audits spot_checked_lists",
    },
    "presort.data.learning.rankings": {
        ANYBODY: "replays",
        LOOK: "ranking ranking_of newest_rankings",
        DIRECTOR: "add_rankings finished_rankings ranked_reports find_replay last_ranked_issue scores_of_others",
    },
    "presort.data.learning.sorted_lists": {DIRECTOR: "sorted_lists official_lists lists_state"},
    "presort.data.learning.tokens": {DIRECTOR: "keep_tokens"},
    "presort.data.learning.vectors": {
        ANYBODY: "sentence_model count_vectors",
        DIRECTOR: "use_model forget_vectors keep_vectors",
    },
    "presort.data.mail.editors": {DIRECTOR: "editor_addresses set_address"},
    "presort.data.mail.last_runs": {ANYBODY: "last_run", DIRECTOR: "record_success record_failure"},
    "presort.data.mail.mailings": {
        CHANGE: "prepare pending_addresses claim log_sending send_again give_up mailings",
        DIRECTOR: "sending unsure_mailings settle count_by_state",
    },
    "presort.data.mail.notices": {DIRECTOR: "unsent_notices claim settle mark_interrupted"},
    "presort.data.mail.unsent": {DIRECTOR: "unsent_mail publication_times publication_state"},
    "presort.data.mail.readers": {CHANGE: "readers", DIRECTOR: "add_readers remove_reader erase_reader"},
    "presort.data.mail.unsubscribe": {ANYBODY: "subscription unsubscribe"},
    "presort.data.search": {ANYBODY: "find_papers"},
    "presort.data.running.accounts": {DIRECTOR: "invite accept sign_out remove erase"},
    "presort.data.running.alerts": {DIRECTOR: "alert_log log_alert log_new_alerts"},
    "presort.data.running.audit": {DIRECTOR: "audit people_in_log"},
    "presort.data.running.given_roles": {DIRECTOR: "note_sign_in"},
    "presort.data.running.holidays": {ANYBODY: "holidays", DIRECTOR: "add_holiday take_away_holiday"},
    "presort.data.running.people": {
        ANYBODY: "editorships affiliations",
        DIRECTOR: "add_editorship end_editorship set_editors take_back_editorship set_affiliation rename_editor",
    },
    "presort.data.running.personal_data": {DIRECTOR: "person_data reader_data"},
    "presort.data.running.roles": {DIRECTOR: "member members all_roles grant revoke"},
    "presort.data.running.scheduled_backups": {ANYBODY: "find_backups"},
    "presort.data.running.service": {
        ANYBODY: "is_demo active_ranker shadows ranker_choices newest_ranked_issue colours",
        DIRECTOR: "set_rankers set_active_ranker report_codes_by_age set_colour restore_report imports",
    },
    "presort.data.running.trials": {NOTHING: "temporary_copy"},
    "presort.data.running.weekly": {
        NOTHING: "weekly_lock",
        DIRECTOR: "newest_steps steps_of begin end began_on drop_coming_weeks",
    },
    "presort.desk.service.delivery": {
        DIRECTOR: "waiting_mail due_mail is_due pages_state",
        NOTHING: "has_outdated_pages",
    },
    "presort.desk.service.demo": {DIRECTOR: "build_demo"},
    "presort.desk.service.past_lists": {DIRECTOR: "missing_lists rank_past"},
    "presort.desk.service.pending": {
        LOOK: "outdated_issues outdated_issues_after ranking_freshness issues_to_rank",
        DIRECTOR: "rank_pending reports_to_rank",
    },
    "presort.desk.service.stop_audits": {DIRECTOR: "make_stop_audits"},
    "presort.desk.service.ranking_plan": {DIRECTOR: "plan_rankings"},
    "presort.desk.service.ranking_run": {DIRECTOR: "run_plan training_history"},
    "presort.desk.service.rankers": {
        ANYBODY: "active_ranker recipes_in_use describe_choice",
        LOOK: "review_ranking known_rankers_of",
    },
    "presort.desk.service.vectors": {
        ANYBODY: "known_model available_rankers check_available",
        DIRECTOR: "make_vectors complete_vectors add_new_vectors",
    },
    "presort.desk.service.workflow": {
        CHANGE: "publish_report_issue",
        ANYBODY: "known_reports why_nothing_to_rank",
        DIRECTOR: "rank learn rank_missing replay score",
    },
    "presort.desk.session.stop_advice": {LOOK: "target_recall", CHANGE: "set_target_recall"},
    "presort.desk.session.list_order": {LOOK: "used_labels reranking_for_browser"},
    "presort.desk.session.publication": {LOOK: "read_pending_publication published_papers"},
    "presort.desk.session.progress": {
        ANYBODY: "list_key",
        LOOK: "review_progress current_order",
        DIRECTOR: "relevance_models_before relevance_model_of",
    },
}

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
KRICHEL = RECIPES["krichel-2007"]
REQUEST = RankingRequest(recipes=[KRICHEL], issues=[Issue(FIRST, 3)], first=FIRST, last=FIRST, reports=["lab"])
MODEL = SentenceModel("small", "0" * 64, 16, 4, "")

# Arguments by parameter name. "lab" is the report, and Ann is the user.
USUAL = {
    "report": "lab",
    "reports": ["lab"],
    "issue": FIRST,
    "issues": [PendingIssue("lab", FIRST, 3, 0, False, 0)],
    "paper_id": "a1",
    "person": "Ann",
    "name": "setting",
    "value": "1",
    "words": "wages",
    "limit": 3,
    "code": "lab",
    "text": "wages",
    "kind": "mute",
    "order": [1, 2, 3],
    "since": FIRST,
    "before": SECOND,
    "today": SECOND,
    "number": 1,
    "ranking": None,
    "ranking_id": None,
    "place": 2,
    "draw": Draw(1, 0, 3, (2,)),
    "draft": Draft("lab", FIRST, (1,)),
    "tags": ["survey"],
    "reason": "One is missing.",
    "address": "ann@example.org",
    "ranker": "krichel-2007",
    "replay": None,
    "shown": None,
    "relevance_model": None,
    "first": FIRST,
    "last": FIRST,
    "first_issue": FIRST,
    "last_issue": FIRST,
    "retrain_every": 4,
    "week": FIRST,
    "step": "sort",
    "state": "sent",
    "message": "",
    "identity": Identity("https://id.example.org", "nobody"),
    "affiliation": "",
    "role": Role("Zed", "viewer", "lab"),
    "colour": "#0072b2",
    "folder": Path("backups"),
    "now": NOW,
    "active": "krichel-2007",
    "shadows": (),
    "dates": [],
    "rankers": ["krichel-2007"],
    "recipes": [KRICHEL],
    "recipe": KRICHEL,
    "n_jobs": 1,
    "n_papers": 3,
    "newest": 1,
    "model": MODEL,
    "tokenise": tokenise,
    "version": 1,
    "encode": lambda papers: np.zeros((len(papers), 4), dtype=np.float32),
    "published_at": NOW,
    "mailing": Mailing(1, "his", FIRST, 1, "ann@example.org", "", "pending", NOW, ""),
    "notices": [Notice("pending", FIRST, "lab", "Ann")],
    "claimed": [1],
    "places": lambda order, relevant: relevant,
    "through": SECOND,
    "old": Editorship("lab", "Zed", FIRST),
    "examples": ["wages"],
    "chosen": "1 in 20",
    "published_issue": ReportIssue("lab", FIRST, (), "file", source="file"),
    "papers": [],
    "n_sent": 2,
    "work": "mail",
    "error": "",
    "delivery": Delivery(),
    "until": NOW,
    "has_mail": True,
    "token": "A" * 43,
}
OTHER_ORDER = np.array([1, 3, 2])
RERANKED = ReviewContext(
    *("lab", FIRST, (), None, OTHER_ORDER, None), reranking=Reranking(1, 1, None, OTHER_ORDER, 1, 1, "Ann", NOW)
)
# Further arguments of single functions.
BESIDE = {
    "presort.data.running.given_roles.note_sign_in": {"given": [], "until": NOW},
    "presort.data.catalogue.add_reports": {"new": [Report("new", "New")]},
    "presort.data.editing.decisions.labels_up_to": {"number": 1},
    "presort.data.editing.decisions.decide": {"decisions": [Decision("lab", FIRST, "a2", "yes", "Ann")]},
    "presort.data.editing.decisions.newest_decisions_before": {"days": [FIRST]},
    "presort.data.editing.hints.add_report_with_examples": {"report": Report("new", "New")},
    "presort.data.editing.new_reports.add_report": {"new": NewReport("new", "New")},
    "presort.data.editing.notes.add_notes": {"notes": [Note("lab", FIRST, "a1", "note", "Read.", "Ann")]},
    "presort.data.editing.rerankings.newest_reranking": {"ranking": 1},
    "presort.data.editing.rerankings.add_reranking": {"ranking": 1, "n_decisions": 1, "order": np.array([1, 3, 2])},
    "presort.data.editing.rerankings.undo_reranking": {
        "undone": Reranking(1, 1, None, np.array([1, 3, 2]), 1, 1, "Ann", NOW),
        "first": np.array([1, 2, 3]),
        "client_id": "undone-once",
    },
    "presort.data.editing.publication_events.publication_events": {"since": NOW},
    "presort.data.intake.commit_import.commit_import": {"listings": []},
    "presort.data.learning.missing_rankings.missing_rankings": {"issues": [FIRST]},
    "presort.data.learning.missing_rankings.newest_published_issues": {"n_issues": 1},
    "presort.data.learning.stop_audits.add_stop_audits": {"new": []},
    "presort.data.learning.sorted_lists.lists_state": {"shown_id": 1},
    "presort.data.learning.rankings.add_rankings": {"new": [make_ranking(order=(1, 2, 3))]},
    "presort.data.mail.unsent.unsent_mail": {"since": NOW},
    "presort.data.mail.readers.add_readers": {"new": [("zed@example.org", "")]},
    "presort.data.running.alerts.log_alert": {
        "entry": AlertEntry("lab", "silent", FIRST, FIRST, "2 issues", True, "", "Ann", NOW)
    },
    "presort.data.running.alerts.log_new_alerts": {"entries": []},
    "presort.data.running.accounts.invite": {"name": "Zed"},
    "presort.data.running.accounts.accept": {"code": "x" * 22},
    "presort.data.running.accounts.sign_out": {"since": NOW},
    "presort.data.running.accounts.remove": {"name": "Zed"},
    "presort.data.running.accounts.erase": {"name": "Zed", "forget_jobs": str},
    "presort.data.running.roles.member": {"since": NOW},
    "presort.data.running.people.add_editorship": {"new": Editorship("lab", "Zed", date(2020, 1, 6))},
    "presort.data.running.people.set_editors": {"names": ["Ann"]},
    "presort.data.running.people.rename_editor": {"name": "Zed", "new": "Zoe"},
    "presort.data.running.service.set_active_ranker": {"name": "krichel-2007"},
    "presort.data.running.weekly.end": {"state": "done"},
    "presort.data.mail.notices.settle": {"claimed": [1]},
    "presort.desk.service.pending.issues_to_rank": {"by_rankers": {("lab", FIRST): {}}},
    "presort.desk.service.ranking_plan.plan_rankings": {"request": REQUEST},
    "presort.desk.service.ranking_run.run_plan": {
        "plan": RankingPlan(REQUEST, [FIRST], 0, 1, Watermarks({}, {}, 0, {}), {KRICHEL.name: set()}),
        "broken": [],
    },
    "presort.desk.service.ranking_run.training_history": {"first_day": FIRST, "last_day": FIRST},
    "presort.desk.service.workflow.rank_missing": {"issues": [FIRST], "missing": []},
    "presort.desk.session.list_order.used_labels": {"context": RERANKED},
    "presort.desk.session.list_order.reranking_for_browser": {"context": RERANKED},
    "presort.desk.session.progress.current_order": {"shown": StoredRanking(1, NOW, make_ranking(order=(1, 2, 3)))},
    "presort.desk.session.progress.relevance_model_of": {"shown": StoredRanking(1, NOW, make_ranking(order=(1, 2, 3)))},
}
