"""Links to a paper on pages."""

import pytest
from markdown_it import MarkdownIt

from presort.data.records import Paper
from presort.desk.links import links_of
from presort.desk.ui.paper_links import _link


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://a.example/a_b(c)?d=1&e=%20#f", id="parentheses"),
        pytest.param("https://a.example/$x$/[y](z)", id="markdown"),
        pytest.param("https://a.example/<script>\"'", id="html"),
        pytest.param("https://例.example/שלום", id="beyond-ascii"),
    ],
)
def test_a_link_leads_to_the_address_and_shows_it(url):
    (address,) = links_of(Paper("p1", "Wages", url=url))
    inline = MarkdownIt().parseInline(_link(address))[0].children
    assert [token.type for token in inline] == ["link_open", "text", "link_close"]
    assert inline[1].content.replace("\N{WORD JOINER}", "") == url
    assert inline[0].attrs["href"].startswith("https://")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/x", "https://a b", "//x"])
def test_nothing_else_becomes_a_link(url):
    assert links_of(Paper("p1", "Wages", url=url)) == links_of(Paper(url, "Wages")) == []
