"""Actions and lookups for tests of the *Import* page."""

WEEK = "paper_id,title,issue\nx1,Wages and jobs,2030-01-07\nx2,Money,2030-01-07\n"
HOSTILE = "<script>document.title = 'owned'</script> :red[taxes] [link](javascript:alert(1)) $x^2$"


def drop(page, *files):
    return page.file_uploader[0].set_value(
        [(name, content.encode() if isinstance(content, str) else content, "") for name, content in files]
    )


def press(page, key):
    page.button(key=key).click().run(timeout=30)
    assert not page.exception
    return page


def messages(page):
    return [shown.value.replace("\\", "") for shown in page.markdown]


def box(page, label):
    (found,) = [box for box in page.selectbox if box.label == label]
    return found


def keys(page):
    return [button.key for button in page.button]


def figures(page):
    """Return the value of each metric by its label."""
    return {metric.label: metric.value for metric in page.metric}
