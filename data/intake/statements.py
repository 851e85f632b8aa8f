"""SQL statements of an import, for SQLite and PostgreSQL: staging, comparison with existing data, and publication."""

STAGING = (
    """CREATE TEMPORARY TABLE staged_paper (
        number INTEGER PRIMARY KEY, paper_id {text} UNIQUE, title {text}, abstract {text}, authors {text}, codes {text},
        series {text}, date {text}, doi {text}, url {text}, type {text}, file {text}, row INTEGER)""",
    """CREATE TEMPORARY TABLE staged_listing (
        row INTEGER PRIMARY KEY, issue DATE, paper_id {text}, file {text}, line INTEGER,
        is_only_if_new BOOLEAN)""",
    "CREATE TEMPORARY TABLE staged_selection (row INTEGER, report {text})",
    "CREATE TEMPORARY TABLE listed (row INTEGER PRIMARY KEY, issue DATE, paper_id INTEGER)",
    """CREATE TEMPORARY TABLE new_paper (
        number INTEGER PRIMARY KEY, is_selected BOOLEAN, duplicate_of {text}, how {text}, score DOUBLE PRECISION)""",
    """CREATE TEMPORARY TABLE resembling (
        paper_id {text}, other {text}, how {text}, score DOUBLE PRECISION, is_doubtful BOOLEAN,
        PRIMARY KEY (paper_id, is_doubtful))""",
)

# If a paper occurs several times, the last description is used, but an empty field doesn't overwrite an earlier value.
# The origin (file and row) is that of the first occurrence.
STAGE_PAPER = """
INSERT INTO staged_paper (number, paper_id, title, abstract, authors, codes, series, date, doi, url, type, file,
    row)
VALUES (:number, :paper_id, :title, :abstract, :authors, :codes, :series, :date, :doi, :url, :type, :file, :row)
ON CONFLICT (paper_id) DO UPDATE SET title = excluded.title,
    abstract = coalesce(nullif(excluded.abstract, ''), staged_paper.abstract),
    authors = coalesce(nullif(excluded.authors, ''), staged_paper.authors),
    codes = coalesce(nullif(excluded.codes, ''), staged_paper.codes),
    series = coalesce(nullif(excluded.series, ''), staged_paper.series),
    date = coalesce(nullif(excluded.date, ''), staged_paper.date),
    doi = coalesce(nullif(excluded.doi, ''), staged_paper.doi),
    url = coalesce(nullif(excluded.url, ''), staged_paper.url),
    type = coalesce(nullif(excluded.type, ''), staged_paper.type)
"""

# Descriptions of the existing and staged papers with these ids. Staged papers come last, so that they take precedence.
DESCRIBED = """
SELECT paper_id, title, abstract, authors, series FROM paper WHERE paper_id IN :ids
UNION ALL SELECT paper_id, title, abstract, authors, series FROM staged_paper WHERE paper_id IN :ids
"""

FOUND_NEW = """
INSERT INTO new_paper (number, is_selected)
SELECT s.number, s.paper_id IN (SELECT l.paper_id FROM staged_listing l JOIN staged_selection x ON x.row = l.row)
FROM staged_paper s LEFT JOIN paper p ON p.paper_id = s.paper_id WHERE p.id IS NULL
"""

NEW_ISSUES = """
INSERT INTO issue (date) SELECT DISTINCT issue FROM listed
WHERE issue NOT IN (SELECT date FROM issue) ORDER BY issue
"""

# An empty field never overwrites a value from an earlier file. The rows can be compared because no column is null.
CHANGED_PAPERS = """
CREATE TEMPORARY TABLE changed_paper AS
SELECT new.*, (p.title, p.abstract, p.authors, p.codes, p.series, p.date)
    <> (new.title, new.abstract, new.authors, new.codes, new.series, new.date) AS is_reworded
FROM (
    SELECT p.id, s.title, coalesce(nullif(s.abstract, ''), p.abstract) AS abstract,
        coalesce(nullif(s.authors, ''), p.authors) AS authors, coalesce(nullif(s.codes, ''), p.codes) AS codes,
        coalesce(nullif(s.series, ''), p.series) AS series, coalesce(nullif(s.date, ''), p.date) AS date,
        coalesce(nullif(s.doi, ''), p.doi) AS doi, coalesce(nullif(s.url, ''), p.url) AS url,
        coalesce(nullif(s.type, ''), p.type) AS type, s.number
    FROM staged_paper s JOIN paper p ON p.paper_id = s.paper_id) AS new
JOIN paper p ON p.id = new.id
WHERE (p.title, p.abstract, p.authors, p.codes, p.series, p.date, p.doi, p.url, p.type)
    <> (new.title, new.abstract, new.authors, new.codes, new.series, new.date, new.doi, new.url, new.type)
"""

UPDATED_PAPERS = """
UPDATE paper SET title = new.title, abstract = new.abstract, authors = new.authors, codes = new.codes,
    series = new.series, date = new.date, doi = new.doi, url = new.url, type = new.type
FROM changed_paper AS new WHERE paper.id = new.id
"""

NEW_PAPERS = """
INSERT INTO paper (paper_id, title, abstract, authors, codes, series, date, doi, url, type)
SELECT s.paper_id, s.title, s.abstract, s.authors, s.codes, s.series, s.date, s.doi, s.url, s.type
FROM new_paper n JOIN staged_paper s ON s.number = n.number
WHERE n.number BETWEEN :first AND :last ORDER BY n.number
"""

NEWLY_INDEXED = """
SELECT p.id, p.paper_id, p.title, p.authors, p.doi FROM new_paper n JOIN staged_paper s ON s.number = n.number
    JOIN paper p ON p.paper_id = s.paper_id
WHERE n.number BETWEEN :first AND :last
"""
RENAMED = """
SELECT p.id, p.paper_id, p.title, p.authors, p.doi, c.title, c.authors, c.doi
FROM changed_paper c JOIN paper p ON p.id = c.id
WHERE (p.title, p.authors, p.doi) <> (c.title, c.authors, c.doi)
"""

# The following queries read the papers for the result of the import, in file order.
NEW_AND_LISTED = """
SELECT s.paper_id, s.title, s.file, s.row FROM new_paper n JOIN staged_paper s ON s.number = n.number
WHERE n.duplicate_of IS NULL ORDER BY s.number
"""
UPDATED = """
SELECT s.paper_id, s.title, s.file, s.row FROM changed_paper c JOIN staged_paper s ON s.number = c.number
ORDER BY s.number
"""
MATCHED = """
SELECT s.paper_id, s.title, s.file, s.row, k.paper_id, c.how
FROM new_duplicate c JOIN paper p ON p.id = c.paper_id JOIN paper k ON k.id = c.duplicate_of
    JOIN staged_paper s ON s.paper_id = p.paper_id
GROUP BY s.number, k.paper_id, c.how ORDER BY s.number
"""

RESEMBLING_ONES = """
SELECT s.paper_id, s.title, s.file, s.row, r.other, r.how
FROM resembling r JOIN staged_paper s ON s.paper_id = r.paper_id JOIN new_paper n ON n.number = s.number
WHERE n.duplicate_of IS NULL AND r.is_doubtful = :is_doubtful ORDER BY s.number
"""

# Repeated listings of a paper in the same issue, without its first listing.
TWICE = """
SELECT s.paper_id, s.title, l.file, l.line
FROM (SELECT *, row_number() OVER (PARTITION BY issue, paper_id ORDER BY row) AS nth FROM staged_listing) AS l
    JOIN staged_paper s ON s.paper_id = l.paper_id
WHERE l.nth > 1 ORDER BY l.row
"""

# An import adds papers and then lists or removes all of them, so unlisted papers always have the highest ids.
LAST_LISTED = """
SELECT max(last) FROM (
    SELECT coalesce(max(paper_id), 0) AS last FROM listing
    UNION SELECT coalesce(max(paper_id), 0) FROM paper_duplicate) AS ends
"""
UNLISTED = "SELECT id, paper_id, title, authors, doi FROM paper WHERE id > :last"
TOKENS_OF_UNLISTED = "DELETE FROM paper_tokens WHERE paper_id > :last"
VECTORS_OF_UNLISTED = "DELETE FROM paper_vector WHERE paper_id > :last"
UNLISTED_PAPERS = "DELETE FROM paper WHERE id > :last"

# Tokens and vectors are recomputed from the changed paper when needed. They don't depend on the DOI, URL or type.
STALE_TOKENS = "DELETE FROM paper_tokens WHERE paper_id IN (SELECT id FROM changed_paper WHERE is_reworded)"
STALE_VECTORS = "DELETE FROM paper_vector WHERE paper_id IN (SELECT id FROM changed_paper WHERE is_reworded)"

RESOLVED = """
INSERT INTO listed SELECT s.row, s.issue, p.id
FROM staged_listing s JOIN paper p ON p.paper_id = s.paper_id ORDER BY s.row
"""

# Some archives export all of their papers every week. A paper that is listed in an earlier issue is not new, unless a
# report selected it from this issue. If the file itself specifies each paper's issue, all papers are listed.
SEEN_BEFORE = """
CREATE TEMPORARY TABLE seen_before AS
SELECT l.row FROM listed l JOIN staged_listing s ON s.row = l.row AND s.is_only_if_new JOIN (
    SELECT old.paper_id, min(i.date) AS first FROM listing old JOIN issue i ON i.id = old.issue_id
    WHERE old.paper_id IN (SELECT paper_id FROM listed) GROUP BY old.paper_id) AS known
    ON known.paper_id = l.paper_id AND known.first < l.issue
WHERE l.row NOT IN (SELECT row FROM staged_selection) AND NOT EXISTS (
    SELECT 1 FROM listing old JOIN issue i ON i.id = old.issue_id
    WHERE i.date = l.issue AND old.paper_id = l.paper_id)
"""
LEFT_OUT = "DELETE FROM listed WHERE row IN (SELECT row FROM seen_before)"
SEEN = """
SELECT s.paper_id, s.title, l.file, l.line FROM staged_listing l JOIN staged_paper s ON s.paper_id = l.paper_id
WHERE l.row IN (
    SELECT min(x.row) FROM seen_before b JOIN staged_listing x ON x.row = b.row GROUP BY x.issue, x.paper_id)
ORDER BY l.row
"""

# A duplicate is marked in every issue for which it is imported, until a user decides that it is a different paper. If
# the original is itself marked as a duplicate, its own original is stored. It is looked up only here, because a user
# may have marked or unmarked the original after the comparison.
NEW_DUPLICATES = """
CREATE TEMPORARY TABLE new_duplicate AS
SELECT DISTINCT c.paper_id, i.id AS issue_id, c.duplicate_of, c.how, c.score
FROM listed l JOIN issue i ON i.date = l.issue JOIN (
    SELECT paper_id, duplicate_of, how, score FROM paper_duplicate WHERE undone_at IS NULL
    UNION SELECT p.id, coalesce((
        SELECT max(o.duplicate_of) FROM paper_duplicate o WHERE o.paper_id = k.id AND o.undone_at IS NULL), k.id),
        n.how, n.score
    FROM new_paper n JOIN staged_paper s ON s.number = n.number
        JOIN paper p ON p.paper_id = s.paper_id JOIN paper k ON k.paper_id = n.duplicate_of
) AS c ON c.paper_id = l.paper_id
WHERE NOT EXISTS (SELECT 1 FROM paper_duplicate old WHERE old.paper_id = c.paper_id AND old.issue_id = i.id)
"""
KEPT_DUPLICATES = """
INSERT INTO paper_duplicate (paper_id, issue_id, duplicate_of, how, score, made_at)
SELECT paper_id, issue_id, duplicate_of, how, score, :now FROM new_duplicate ORDER BY paper_id, issue_id
"""

# Pairs of papers on which a user must decide. Only pairs with a new paper are included, so that users decide on each
# pair only once.
POSSIBLE_DUPLICATES = """
INSERT INTO possible_duplicate (paper_id, other_id, how, score, made_at)
SELECT p.id, coalesce((
    SELECT max(o.duplicate_of) FROM paper_duplicate o WHERE o.paper_id = k.id AND o.undone_at IS NULL), k.id),
    r.how, r.score, :now
FROM resembling r JOIN staged_paper s ON s.paper_id = r.paper_id JOIN new_paper n ON n.number = s.number
    JOIN paper p ON p.paper_id = r.paper_id JOIN paper k ON k.paper_id = r.other
WHERE r.is_doubtful AND n.duplicate_of IS NULL ORDER BY n.number
"""

# Duplicates that a report selected in this import. They are listed although they are duplicates.
SELECTED_DUPLICATES = """
SELECT c.paper_id FROM staged_selection s JOIN listed l ON l.row = s.row
    JOIN paper_duplicate c ON c.paper_id = l.paper_id AND c.undone_at IS NULL
GROUP BY c.paper_id ORDER BY min(l.row)
"""

# Papers added to an existing issue are appended to its list, because positions never change.
NEW_LISTINGS = """
INSERT INTO listing (issue_id, position, paper_id)
SELECT n.issue_id, n.place + (SELECT coalesce(max(position), 0) FROM listing WHERE issue_id = n.issue_id), n.paper_id
FROM (SELECT i.id AS issue_id, l.paper_id, row_number() OVER (PARTITION BY i.id ORDER BY min(l.row)) AS place
      FROM listed l JOIN issue i ON i.date = l.issue WHERE NOT EXISTS (
          SELECT 1 FROM listing old WHERE old.issue_id = i.id AND old.paper_id = l.paper_id)
      AND NOT EXISTS (SELECT 1 FROM paper_duplicate c WHERE c.paper_id = l.paper_id AND c.undone_at IS NULL)
      GROUP BY i.id, l.paper_id) AS n
ORDER BY n.issue_id, n.place
"""

UNKNOWN_REPORTS = """
SELECT DISTINCT report FROM staged_selection WHERE report NOT IN (SELECT code FROM report) ORDER BY report
"""

# Reports created by an import are like manually added reports: only issues after the newest existing issue can be late.
NEW_REPORTS = """
INSERT INTO report (code, name, late_after) SELECT DISTINCT report, report, (SELECT max(date) FROM issue)
FROM staged_selection WHERE report NOT IN (SELECT code FROM report) ORDER BY report
"""

# An import never overrides an editor: it doesn't change report issues on which an editor has begun work in Presort. A
# note on a paper is not considered work if the report issue itself was imported.
LEFT_TO_EDITORS = """
CREATE TEMPORARY TABLE left_to_editor AS
SELECT report_id, issue_id FROM decision WHERE source <> 'file'
UNION SELECT report_id, issue_id FROM report_issue WHERE source <> 'file'
UNION SELECT report_id, issue_id FROM reopened_issue
UNION SELECT report_id, issue_id FROM draft
UNION SELECT report_id, issue_id FROM read_mark
UNION SELECT report_id, issue_id FROM draw
UNION SELECT report_id, issue_id FROM reranking
UNION SELECT report_id, issue_id FROM skipped_issue
UNION SELECT n.report_id, n.issue_id FROM paper_note n WHERE NOT EXISTS (
    SELECT 1 FROM report_issue t WHERE t.report_id = n.report_id AND t.issue_id = n.issue_id)
"""

SELECTIONS_LEFT = """
SELECT count(DISTINCT r.id || ' ' || i.id || ' ' || l.paper_id) FROM staged_selection s JOIN listed l ON l.row = s.row
    JOIN report r ON r.code = s.report JOIN issue i ON i.date = l.issue
    JOIN left_to_editor e ON e.report_id = r.id AND e.issue_id = i.id
WHERE 'yes' <> coalesce((
    SELECT d.label FROM decision d
    WHERE d.report_id = r.id AND d.issue_id = i.id AND d.paper_id = l.paper_id AND d.about = 'relevant'
    ORDER BY d.id DESC LIMIT 1), '')
"""

NEW_SELECTIONS = """
INSERT INTO decision (report_id, issue_id, paper_id, person_id, made_at, about, label, source)
SELECT r.id, i.id, l.paper_id, :importer, :now, 'relevant', 'yes', 'file'
FROM staged_selection s JOIN listed l ON l.row = s.row
    JOIN report r ON r.code = s.report JOIN issue i ON i.date = l.issue
WHERE (r.id, i.id) NOT IN (SELECT report_id, issue_id FROM left_to_editor)
    AND NOT EXISTS (
        SELECT 1 FROM decision d WHERE d.report_id = r.id AND d.issue_id = i.id AND d.paper_id = l.paper_id)
GROUP BY r.id, i.id, l.paper_id ORDER BY min(l.row), r.id
"""

LISTED_ISSUES = "SELECT DISTINCT i.id FROM listed l JOIN issue i ON i.date = l.issue ORDER BY i.id"

# Outcomes computed without the new selections are deleted and recomputed. They are derived data, and the decision log
# doesn't change.
STALE_OUTCOMES = """
DELETE FROM outcome WHERE ranking_id IN (
    SELECT k.id FROM ranking k JOIN decision d ON d.report_id = k.report_id AND d.issue_id = k.issue_id
    WHERE d.id > :newest)
"""

# If a report has past selections from an issue, it has published the issue. The order of the published list is not
# stored, because it is unknown.
PUBLISHED = """
INSERT INTO report_issue (report_id, issue_id, person_id, published_at, published, n_papers, source)
SELECT DISTINCT d.report_id, d.issue_id, :importer, :now, :nothing,
    (SELECT count(*) FROM listing l WHERE l.issue_id = d.issue_id), 'file'
FROM decision d
WHERE d.id > :newest
    AND NOT EXISTS (SELECT 1 FROM report_issue t WHERE t.report_id = d.report_id AND t.issue_id = d.issue_id)
"""
