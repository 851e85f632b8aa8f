"""Tags and text of a summary page."""

from html.parser import HTMLParser


class Parsed(HTMLParser):
    """Tags of a page with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(page)
        self.text = " ".join(" ".join(self.texts).replace("\N{NO-BREAK SPACE}", " ").split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)
