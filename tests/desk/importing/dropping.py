"""What tests do on the page Import, and what they see there."""


def drop(page, *files):
    return page.file_uploader[0].set_value(
        [(name, content.encode() if isinstance(content, str) else content, "") for name, content in files]
    )


def press(page, key):
    page.button(key=key).click().run(timeout=30)
    assert not page.exception
    return page


def said(page):
    return [shown.value.replace("\\", "") for shown in page.markdown]


def box(page, label):
    (found,) = [box for box in page.selectbox if box.label == label]
    return found


def keys(page):
    return [button.key for button in page.button]
