"""Keeps the words that count beside the log of decisions: by report issue, as list positions."""

from collections import defaultdict

from sqlalchemy import Connection, bindparam, text

from presort.data.index.paper_index import in_parts
from presort.data.tables.judged import LOGGED, judged_issues

BEHIND = text("""
SELECT DISTINCT report_id, issue_id FROM decision
WHERE id > (SELECT coalesce(max(newest), 0) FROM judged_issue) ORDER BY report_id, issue_id
""")
OF_ISSUES = text(LOGGED.format(where="WHERE d.report_id = :report AND d.issue_id IN :issues\n"))
OF_ISSUES = OF_ISSUES.bindparams(bindparam("issues", expanding=True))
KEEP = text("""
INSERT INTO judged_issue (report_id, issue_id, relevant, maybe, irrelevant, newest)
VALUES (:report_id, :issue_id, :relevant, :maybe, :irrelevant, :newest)
ON CONFLICT (report_id, issue_id) DO UPDATE SET relevant = excluded.relevant, maybe = excluded.maybe,
    irrelevant = excluded.irrelevant, newest = excluded.newest
""")


def catch_up(connection: Connection) -> None:
    """Count what the log says that was not counted yet; whoever adds decisions does so in the same transaction.

    It begins after the newest decision that was counted: so what an older Presort adds, which may have the workspace
    open still, is counted with the next decision.
    """
    behind = defaultdict[int, list[int]](list)
    for report, issue in connection.execute(BEHIND):
        behind[report].append(issue)
    for report, issues in behind.items():
        for some in in_parts(issues):
            logged = connection.execute(OF_ISSUES, {"report": report, "issues": some})
            connection.execute(KEEP, [one._asdict() for one in judged_issues(logged)])
