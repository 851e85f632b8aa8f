"""Templates of mails, pages and feeds: built-in ones, and those of a service."""

from datetime import date
from pathlib import Path

import pytest
from jinja2 import TemplateError
from lxml import html

from presort.data.errors import UnreadableFileError
from presort.data.records import Paper
from presort.desk.sending import templates
from presort.desk.sending.letters import Letter
from presort.desk.sending.templates import Templates
from tests.desk.sending.test_preview import HOSTILE

DAY = date(2026, 11, 16)
WORSE = [
    *HOSTILE,
    '"><img src=x onerror=alert(1)>',
    "</title></style><script>alert(1)</script>",
    "{{ 7 * 7 }} {% for x in range(9) %}",
    "العمل والأجور",
    "A < B & C > D",
]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "templates"
    folder.mkdir()
    return folder


@pytest.fixture
def templated(tmp_path):
    return Templates(tmp_path)


def letter_of(texts, note=""):
    papers = [Paper(f"doi:10.1/{text}", text, text, (text, text), (text,), text) for text in texts]
    return Letter("lab", texts[0], DAY, papers, f"chosen by {texts[-1]}", note)


def test_hostile_texts_are_text_in_html(templated):
    letter = letter_of(WORSE, note="\n".join(WORSE))
    for page in (templated.mail_html(letter, is_draft=True), templated.page(letter), templated.papers(letter)):
        tree = html.document_fromstring(page)
        assert {element.tag for element in tree.iter()} <= {
            *("html", "head", "meta", "title", "style", "body", "header", "main", "div"),
            *("h1", "h2", "p", "br", "bdi", "span", "ol", "li", "hr", "a"),
        }
        names = {name for element in tree.iter() for name in element.attrib}
        assert names <= {"lang", "charset", "name", "content", "http-equiv", "class", "dir", "href"}
        assert [heading.text_content().split(". ", 1)[1] for heading in tree.iter("h2")] == WORSE
        links = {link.get("href") for link in tree.iter("a")} - {"index.html"}
        assert all(link.startswith("https://doi.org/10.1/") for link in links)
        (note,) = tree.find_class("note")
        assert note.text_content() == "".join(WORSE)


@pytest.mark.parametrize(
    ("paper", "expected"),
    [
        pytest.param(
            Paper("p1", "Wages", doi="10.1257/aer.1", url="https://a.example/1?b=1&c=2"),
            ["https://doi.org/10.1257/aer.1", "https://a.example/1?b=1&c=2"],
            id="doi-and-address",
        ),
        pytest.param(
            Paper("RePEc:nbr:nberwo:1", "Wages", doi="10.3386/w1"), ["https://doi.org/10.3386/w1"], id="doi-first"
        ),
        pytest.param(Paper("p1", "Wages", url="javascript:alert(1)"), [], id="unsafe"),
    ],
)
def test_mails_pages_and_feeds_link_to_a_paper(templated, paper, expected):
    letter = Letter("lab", "Labour", DAY, [paper], "chosen by Ada", "")
    for page in (templated.mail_html(letter), templated.page(letter), templated.papers(letter)):
        links = [link.get("href") for link in html.document_fromstring(page).iter("a")]
        assert [link for link in links if link != "index.html"] == expected
    lines = [line.strip() for line in templated.mail_text(letter).splitlines()]
    assert [line for line in lines if "://" in line or "javascript" in line] == expected


def test_a_mail_loads_no_external_resources(templated):
    page = templated.mail_html(letter_of(["Wages"]))
    assert not html.document_fromstring(page).xpath("//@src | //link | //script | //img")
    assert "url(" not in page
    assert "@import" not in page


def test_an_empty_report_issue_says_so_and_a_note_has_its_line_breaks(templated):
    letter = Letter("lab", "Labour", DAY, [], "chosen by Ada", "Dear readers,\n\nread <on>.")
    for text in (templated.mail_text(letter), templated.mail_html(letter), templated.page(letter)):
        assert "Nothing in this issue fits this report." in text
    assert templated.mail_text(letter).splitlines()[4:7] == ["Dear readers,", "", "read <on>."]
    assert "Dear readers,<br><br>read &lt;on&gt;." in templated.mail_html(letter)


def test_templates_of_a_service_replace_the_built_in_ones(folder, templated):
    (folder / "mail.txt.j2").write_text("{{ name }} & {{ papers | length }}\n", encoding="utf-8")
    (folder / "papers.html.j2").write_text("<b>{{ note }}</b>{% for p in papers %}{{ p | link }}{% endfor %}")
    letter = Letter("lab", "Wages & <jobs>", DAY, [Paper("arXiv:1906.10651", "T")], "by Ada", "<i>")
    assert templated.mail_text(letter) == "Wages & <jobs> & 1"
    assert "<b>&lt;i&gt;</b>https://arxiv.org/abs/1906.10651" in templated.page(letter)  # a part of ours
    (folder / "mail.txt.j2").write_text("Later")
    assert Templates(folder.parent).mail_text(letter) == "Later"


def test_an_included_text_is_escaped_too(folder, templated):
    (folder / "page.html.j2").write_text("{% set is_draft = False %}<pre>{% include 'mail.txt.j2' %}</pre>")
    letter = letter_of(WORSE, note="<script>alert(2)</script>")
    assert "<script>" in templated.mail_text(letter)
    assert [element.tag for element in html.fromstring(templated.page(letter)).iter()] == ["pre"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("a\n{# never closed", "line 2: Missing end of comment tag", id="comment-not-closed"),
        pytest.param("a\n\n{{ nobody }}", "line 3: 'nobody' is undefined", id="undefined"),
        pytest.param(
            "{{ papers[0].colour }}", "line 1: 'presort.data.records.papers.Paper object' has no", id="no-attribute"
        ),
        pytest.param("a\n{% if %}", "line 2: Expected an expression", id="syntax"),
        pytest.param("a\n{% for x in papers %}", "line 2: Unexpected end of template", id="not-closed"),
        pytest.param("a\n{{ 1 / 0 }}", "line 2: division by zero", id="arithmetic"),
        pytest.param("{{ 'a' + 1 }}", "line 1: can only concatenate str", id="kinds"),
        pytest.param("{{ 1 | nothing }}", "line 1: No filter named 'nothing'", id="no-filter"),
        pytest.param(
            "{{ ''.__class__ }}", "line 1: access to attribute '__class__' of 'str' object is unsafe", id="class"
        ),
        pytest.param(
            "\n{{ papers[0].__class__.__mro__[1].__subclasses__() }}",
            "line 2: access to attribute '__class__' of 'Paper' object is unsafe",
            id="sandbox-escape-through-classes",
        ),
        pytest.param("{{ papers[0]['__class__'] }}", "is unsafe", id="class-as-item"),
        pytest.param("{{ papers | map(attribute='__class__') | first }}", "is unsafe", id="class-by-filter"),
        pytest.param("{{ (1 | link).x }}", "line 1: 'int' object has no attribute 'url'", id="wrong-filter-argument"),
        pytest.param("{{ words.update({'DRAFT': 1}) }}", "is unsafe", id="change-of-a-global"),
        pytest.param("{{ papers.clear() }}", "is unsafe", id="change-of-an-argument"),
        pytest.param("{{ '{0.__class__}'.format(name) }}", "is unsafe", id="class-by-format"),
        pytest.param("{% for x in range(1000000) %}{% endfor %}", "Range too big", id="long-loop"),
        pytest.param("{% include '../presort.db' %}", r"line 1: ../presort.db", id="file-above"),
        pytest.param("{% include '/etc/passwd' %}", "line 1: /etc/passwd", id="absolute-file"),
        pytest.param("{% include 'out.txt.j2' %}", r"line 1: out.txt.j2", id="link-out"),
        pytest.param("{% include 'mail.txt.j2' %}", "line 1: maximum recursion depth", id="itself"),
    ],
)
def test_an_error_in_a_template_is_one_line(folder, templated, source, message):
    (folder.parent / "presort.db").write_text("secret")
    (folder / "out.txt.j2").symlink_to(folder.parent / "presort.db")
    (folder / "mail.txt.j2").write_text(source, encoding="utf-8")
    with pytest.raises(UnreadableFileError) as refusal:
        templated.mail_text(letter_of(["Wages"]))
    assert str(refusal.value).startswith("mail.txt.j2, line ")
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_too_deeply_nested_loops_are_one_line(folder, templated):
    (folder / "mail.txt.j2").write_text("{% for a in papers %}" * 25 + "{% endfor %}" * 25)
    with pytest.raises(UnreadableFileError, match=r"^mail\.txt\.j2: is nested too deeply$"):
        templated.mail_text(letter_of(["Wages"]))


def test_an_error_in_an_included_template_names_that_template(folder, templated):
    (folder / "papers.html.j2").write_text("<p>\n{{ nobody }}")
    with pytest.raises(UnreadableFileError, match=r"papers\.html\.j2, line 2"):
        templated.mail_html(letter_of(["Wages"]))
    (folder / "papers.html.j2").write_bytes(b"\xe9")
    with pytest.raises(UnreadableFileError, match=r"papers\.html\.j2: is not UTF-8"):
        Templates(folder.parent).mail_html(letter_of(["Wages"]))


def test_an_error_in_a_built_in_template_is_a_bug(folder, templated, monkeypatch):
    with pytest.raises(TemplateError):
        templated.render("archive.html.j2")
    monkeypatch.setitem(templated._for_html.filters, "links", lambda _paper: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        templated.mail_html(letter_of(["Wages"]))


def test_every_built_in_template_is_in_the_package():
    assert {path.name for path in templates.OURS.iterdir()} == {
        *("mail.txt.j2", "mail.html.j2", "page.html.j2", "archive.html.j2"),
        *("index.html.j2", "papers.html.j2", "head.html.j2", "style.css.j2"),
    }


def test_an_unreadable_template_is_one_line(folder, templated, monkeypatch):
    def fail(*_, **__):
        raise PermissionError(13, "Permission denied")

    (folder / "mail.txt.j2").write_text("Mine")
    monkeypatch.setattr(Path, "read_text", fail)
    with pytest.raises(UnreadableFileError, match=r"mail\.txt\.j2: can't be read: Permission denied"):
        templated.mail_text(letter_of(["Wages"]))
