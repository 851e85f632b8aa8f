"""What right each function takes that reads or writes a workspace, and how tests call it.

A new function has to be added here: `test_access` compares the table with the code.
"""

from datetime import UTC, date, datetime

import numpy as np

from data.records import (
    Decision,
    Draft,
    Draw,
    Editorship,
    Identity,
    Mailing,
    Note,
    Notice,
    Pending,
    Report,
    ReportIssue,
    Role,
    SentenceModel,
    StoredRanking,
)
from ranker.tokens import tokenise
from ranker.versions import RECIPES
from tests.data.workspaces import FIRST, SECOND, make_ranking

ANYBODY = "whoever may look at some report"
LOOK = "who may look at the report"
CHANGE = "who may change the report"
EDITOR = "whoever edits some report"
OWN = "the person alone"
DIRECTOR = "directors"
NOTHING = "nothing of the workspace's is read"

RIGHTS = {
    "data.catalogue": {
        ANYBODY: "revision setting workspace_id issues papers paper reports",
        DIRECTOR: "set_setting add_reports rename_report retire_report",
    },
    "data.copies.known_copies": {ANYBODY: "copies", EDITOR: "separate"},
    "data.copies.possible_duplicates": {DIRECTOR: "possible_duplicates decide"},
    "data.editing.criteria": {LOOK: "criteria", CHANGE: "set_criteria"},
    "data.editing.decisions": {
        LOOK: "words issued",
        CHANGE: "decide issue_report",
        DIRECTOR: "n_relevant newest_before newest_decisions",
    },
    "data.editing.drafts": {LOOK: "draft outgoing", CHANGE: "save_draft"},
    "data.editing.hints": {ANYBODY: "newest_example", CHANGE: "add_hint", DIRECTOR: "hints add_report_with_examples"},
    "data.editing.log": {LOOK: "decisions_since history_of minutes_spent gone_out", OWN: "last_report"},
    "data.editing.notes": {LOOK: "paper_notes tags_of", CHANGE: "add_notes"},
    "data.editing.pending": {LOOK: "pending skipped rankers_of first_late_issues"},
    "data.editing.preferences": {OWN: "preference set_preference"},
    "data.editing.read_log": {LOOK: "draws", CHANGE: "mark_read add_draw"},
    "data.editing.read_papers": {LOOK: "read_positions all_read_positions"},
    "data.editing.reopening": {LOOK: "issuings", CHANGE: "reopen"},
    "data.editing.report_past": {DIRECTOR: "report_past"},
    "data.editing.skipping": {LOOK: "skippings", CHANGE: "skip take_up"},
    "data.editing.standing": {LOOK: "newest said noted", DIRECTOR: "newest_decision"},
    "data.editing.work": {DIRECTOR: "last_in_list decided_issues desk_work minutes_at_desk"},
    "data.intake.commit_import": {DIRECTOR: "commit_import"},
    "data.learning.first_publications": {LOOK: "first_publication", DIRECTOR: "cutoffs"},
    "data.learning.history": {DIRECTOR: "read_history"},
    "data.learning.missing_rankings": {DIRECTOR: "missing_rankings newest_published"},
    "data.learning.outcomes": {
        ANYBODY: "outcomes_state outcomes_states",
        DIRECTOR: "outcome_columns score_issued scored_rankings",
    },
    "data.learning.promises": {ANYBODY: "promises_state", DIRECTOR: "add_promises missing kept_promises"},
    "data.learning.rankings": {
        ANYBODY: "replays",
        LOOK: "ranking ranking_of newest_rankings",
        DIRECTOR: "add_rankings ranked reports_ranked find_replay made_last",
    },
    "data.learning.sorted_lists": {DIRECTOR: "sorted_lists official_lists lists_state"},
    "data.learning.spot_checks": {DIRECTOR: "spot_checked_lists"},
    "data.learning.tokens": {DIRECTOR: "keep_tokens"},
    "data.learning.vectors": {
        ANYBODY: "sentence_model count_vectors",
        DIRECTOR: "use_model forget_vectors keep_vectors",
    },
    "data.mail.editors": {DIRECTOR: "addresses set_address"},
    "data.mail.mailings": {
        CHANGE: "prepare waiting claim log_sending send_again give_up mailings",
        DIRECTOR: "sending unsure settle",
    },
    "data.mail.notices": {DIRECTOR: "untold claim settle settle_cut_off"},
    "data.mail.readers": {CHANGE: "readers", DIRECTOR: "add_readers remove_reader erase_reader"},
    "data.search": {ANYBODY: "find_papers"},
    "data.running.accounts": {DIRECTOR: "invite accept sign_out remove erase"},
    "data.running.audit": {DIRECTOR: "audit people_in_log"},
    "data.running.holidays": {ANYBODY: "holidays", DIRECTOR: "add_holiday take_away_holiday"},
    "data.running.people": {
        ANYBODY: "editorships affiliations",
        DIRECTOR: "add_editorship end_editorship take_back_editorship set_affiliation rename_editor",
    },
    "data.running.roles": {DIRECTOR: "member members all_roles grant take_away"},
    "data.running.service": {
        ANYBODY: "is_demo active_ranker shadows ranker_choices newest_sorted colours",
        DIRECTOR: "set_rankers set_active_ranker as_added set_colour bring_back_report imports",
    },
    "data.running.trials": {NOTHING: "on_a_copy"},
    "data.running.weekly": {
        NOTHING: "alone",
        DIRECTOR: "newest_steps steps_of begin end began_on drop_coming_weeks",
    },
    "desk.service.demo": {DIRECTOR: "build_demo"},
    "desk.service.models": {NOTHING: "models_of models_to_keep"},
    "desk.service.past_lists": {DIRECTOR: "missing_lists queue_missing rank_past"},
    "desk.service.pending": {LOOK: "outdated outdated_after sorted_by", DIRECTOR: "rank_pending"},
    "desk.service.promises": {DIRECTOR: "make_promises"},
    "desk.service.rankers": {ANYBODY: "active active_by_issue in_use", LOOK: "opened known_rankers_of"},
    "desk.service.vectors": {
        ANYBODY: "known_model offered refuse_unmade",
        DIRECTOR: "make_vectors complete_vectors add_new_vectors",
    },
    "desk.service.workflow": {
        CHANGE: "issue_report",
        ANYBODY: "known_reports",
        DIRECTOR: "rank learn rank_missing replay score",
    },
    "desk.sheet.list_key": {ANYBODY: "list_key"},
    "desk.sheet.may_miss": {LOOK: "may_miss", CHANGE: "set_may_miss"},
    "desk.sheet.outgoing": {LOOK: "making published_papers"},
    "desk.sheet.recalls": {DIRECTOR: "recalls_before recall_of"},
    "desk.sheet.unread": {LOOK: "extent"},
}

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
KRICHEL = RECIPES["krichel-2007"]
MODEL = SentenceModel("small", "0" * 64, 16, 4, "")

# What a parameter is given, by its name; "lab" is the report, and Ann asks.
USUAL = {
    "report": "lab",
    "reports": ["lab"],
    "issue": FIRST,
    "issues": [Pending("lab", FIRST, 3, 0, False, 0)],
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
    "choose": lambda *_: Draw(1, 0, 3, (2,)),
    "draft": Draft("lab", FIRST, (1,)),
    "tags": ["survey"],
    "reason": "One is missing.",
    "address": "ann@example.org",
    "ranker": "krichel-2007",
    "replay": None,
    "shown": None,
    "recall": None,
    "first": FIRST,
    "last": FIRST,
    "first_issue": FIRST,
    "last_issue": FIRST,
    "retrain_every": 4,
    "week": FIRST,
    "step": "sort",
    "state": "sent",
    "said": "",
    "identity": Identity("https://id.example.org", "nobody"),
    "affiliation": "",
    "role": Role("Zed", "viewer", "lab"),
    "colour": "#0072b2",
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
    "issued_at": NOW,
    "mailing": Mailing(1, "his", FIRST, 1, "ann@example.org", "", "pending", NOW, ""),
    "notices": [Notice("waits", FIRST, "lab", "Ann")],
    "claimed": [1],
    "places": lambda order, relevant: relevant,
    "through": SECOND,
    "old": Editorship("lab", "Zed", FIRST),
    "examples": ["wages"],
    "chosen": "1 in 20",
    "gone_out": ReportIssue("lab", FIRST, (), "file", source="file"),
    "papers": [],
    "n_sent": 2,
}
# What else a function is given.
BESIDE = {
    "data.catalogue.add_reports": {"new": [Report("new", "New")]},
    "data.editing.decisions.decide": {"decisions": [Decision("lab", FIRST, "a2", "yes", "Ann")]},
    "data.editing.decisions.newest_before": {"days": [FIRST]},
    "data.editing.hints.add_report_with_examples": {"report": Report("new", "New")},
    "data.editing.notes.add_notes": {"notes": [Note("lab", FIRST, "a1", "note", "Read.", "Ann")]},
    "data.intake.commit_import.commit_import": {"listings": []},
    "data.learning.missing_rankings.missing_rankings": {"issues": [FIRST]},
    "data.learning.missing_rankings.newest_published": {"n_issues": 1},
    "data.learning.promises.add_promises": {"new": []},
    "data.learning.sorted_lists.lists_state": {"shown_id": 1},
    "data.learning.rankings.add_rankings": {"new": [make_ranking(order=(1, 2, 3))]},
    "data.mail.readers.add_readers": {"new": [("zed@example.org", "")]},
    "data.running.accounts.invite": {"name": "Zed"},
    "data.running.accounts.accept": {"code": "x" * 22},
    "data.running.accounts.sign_out": {"since": NOW},
    "data.running.accounts.remove": {"name": "Zed"},
    "data.running.accounts.erase": {"name": "Zed"},
    "data.running.roles.member": {"since": NOW},
    "data.running.people.add_editorship": {"new": Editorship("lab", "Zed", date(2020, 1, 6))},
    "data.running.people.rename_editor": {"name": "Zed", "new": "Zoe"},
    "data.running.service.set_active_ranker": {"name": "krichel-2007"},
    "data.running.weekly.end": {"state": "done"},
    "data.mail.notices.settle": {"claimed": [1]},
    "desk.service.workflow.rank_missing": {"issues": [FIRST], "missing": []},
    "desk.sheet.recalls.recall_of": {"shown": StoredRanking(1, NOW, make_ranking(order=(1, 2, 3)))},
}
