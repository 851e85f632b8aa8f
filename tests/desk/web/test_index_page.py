"""The styles of pages are in the HTML that the browser loads, before anything is drawn."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from presort.desk.web.index_page import CONTENT, StyledIndexPage, style


def client(*middleware):
    app = Starlette(routes=create_streamlit_static_assets_routes(""), middleware=[*middleware])
    return TestClient(app)


@pytest.fixture(scope="module")
def styled():
    return client(Middleware(StyledIndexPage), Middleware(GZipMiddleware))


@pytest.mark.parametrize("path", ["/", "/review", "/unknown"])
def test_every_address_of_a_page_has_the_styles_before_its_content(styled, path):
    page = client().get(path).content
    assert CONTENT in page
    response = styled.get(path)
    head, _, body = response.content.partition(b"<style>\n" + style().encode() + b"</style>")
    assert head.split() + body.split() == page.split()
    assert body.strip().startswith(CONTENT)
    assert b"</head>" in head  # a later rule overrides Streamlit's in the head


def test_a_browser_that_has_the_page_of_an_older_version_gets_the_new_one(styled):
    old = client().get("/").headers
    known = {"If-None-Match": old["etag"], "If-Modified-Since": old["last-modified"]}
    assert client().get("/", headers=known).status_code == 304
    new = styled.get("/", headers=known)
    assert new.status_code == 200
    assert not {"etag", "last-modified"} & set(new.headers)


def test_other_files_are_unchanged(styled):
    plain = client().get("/favicon.png")
    assert styled.get("/favicon.png").content == plain.content
    assert styled.get("/favicon.png").headers["etag"] == plain.headers["etag"]
