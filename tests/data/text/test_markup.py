import time

import pytest

from presort.data.text.markup import without_markup
from presort.data.text.prose import prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Whales (<i>Pseudorca</i>) &amp; CO<sub>2</sub>", "Whales (Pseudorca) & CO2", id="inline"),
        pytest.param("<p>One.</p><p>Two<br/>three</p>", "One. Two three", id="blocks-end-words"),
        pytest.param(
            "<jats:title>Abstract</jats:title><jats:p>In <jats:italic>S. aureus</jats:italic></jats:p>",
            "Abstract In S. aureus",
            id="jats",
        ),
        pytest.param("&amp;lt;i&amp;gt;Homo&amp;lt;/i&amp;gt; R&amp;amp;D", "Homo R&D", id="escaped-twice"),
        pytest.param("M&#252;ller &#xE9; &eacute;&nbsp;x", "Müller é é x", id="entities"),
        pytest.param('<span class="x">Wages</span> <a href="http://a.example">here</a>', "Wages here", id="attributes"),
        pytest.param('<Emphasis Type="Italic">Homo</Emphasis> <Para>x</Para>', "Homo x", id="publisher's-own"),
        pytest.param("of <i>Homo sap", "of Homo sap", id="cut-off"),
        pytest.param("<!-- x --><style>p {color: red}</style>Wages<script>no()</script>", "Wages", id="no-text"),
        pytest.param("<![CDATA[Wages <b>and</b> jobs]]>", "Wages and jobs", id="cdata"),
        pytest.param("Title A & B <sup>*</sup>", "Title A & B *", id="superscript"),
    ],
)
def test_markup_is_removed(text, expected):
    assert prose(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "p < 0.05 and q > 0.1",
        "a<b>c",
        "x<p and p>y",
        "List<T> and <http://a.example>",
        "AT&T, R&D; &copy and a&b;",
        "if i<n or m>n",
        "We find <it> in $a<b>c$",
        "5 <b 6> 7",
        "</title><text id='x'>",
        "<!ENTITY lol 'lol'> &lol;",
    ],
)
def test_text_that_only_looks_like_markup_stays(text):
    assert prose(text) == text


def test_escaped_signs_are_no_tags():
    assert prose("p &lt; .05, a&lt;b&gt;c") == "p < .05, a<b>c"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("An $N \\log N$ solver &amp; $x_1 &lt; 2$", "An $N \\log N$ solver & $x_1 < 2$", id="tex"),
        pytest.param(
            'Of <mml:math xmlns:mml="x" altimg="si1.svg"><mml:msub><mml:mi>x</mml:mi><mml:mn>1</mml:mn></mml:msub>'
            "<mml:mo>&lt;</mml:mo><mml:mi>&beta;</mml:mi></mml:math> growth",
            "Of $x_{1}\\lt β$ growth",
            id="mathml",
        ),
        pytest.param(
            "<math><mi>x</mi><annotation encoding='application/x-tex'>\\alpha^2</annotation></math>",
            "$\\alpha^2$",
            id="tex-in-mathml",
        ),
        pytest.param(
            "<inline-formula><alternatives><tex-math>\\documentclass{minimal}\\begin{document}$$x^2$$\\end{document}"
            "</tex-math><mml:math><mml:mi>x</mml:mi></mml:math></alternatives></inline-formula>",
            "$$x^2$$",
            id="both",
        ),
        pytest.param("<math><mi>x</math> rest", "x rest", id="damaged"),
    ],
)
def test_formulas_stay(text, expected):
    assert prose(text) == expected


@pytest.mark.parametrize(
    "text", ["<math>", "<a ", "<!--", "<i>", "</i>", "<", "&", "<alternatives>", "<script>", "<i><b></i></b>", "&#1;"]
)
def test_damaged_markup_is_read_quickly(text):
    began = time.process_time()
    without_markup(text * 100_000)
    assert time.process_time() - began < 3
