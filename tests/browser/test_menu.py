"""The menu in a real browser: by role, all pages visible, one button on a phone, and no page forbidden."""

import re

from playwright.sync_api import expect

from tests.browser.pages import fits, look_as, serious_problems, wait_until_idle
from tests.browser.reviewing import wait_until_drawn

EDITOR = ["This week", "Review", "Publish", "My report"]


def ending(names):
    """Return a pattern for links with this ending, because each begins with the name of an icon."""
    return [re.compile(f"{name}$") for name in names]


def menu(page):
    return page.get_by_test_id("stTopNav")


def test_each_role_has_its_menu_and_one_click_changes_it(page, server):
    look_as(page, width=1024)
    page.goto(f"{server}/")
    expect(page.get_by_role("heading", name="This week", level=1)).to_be_visible()
    expect(menu(page).get_by_role("link")).to_have_text(ending(EDITOR))
    expect(page.get_by_role("link", name="Preferences")).to_be_in_viewport()
    expect(page.get_by_test_id("stHeaderLogo")).to_be_visible()
    expect(menu(page).get_by_text("more")).to_have_count(0)
    wait_until_idle(page)
    look_as(page, "dark", width=1024)
    expect(page.locator(".stApp")).to_have_css("color-scheme", "dark")
    assert serious_problems(page) == []

    page.goto(f"{server}/compare")  # a director's page has the director's menu, even from an editor's bookmark
    expect(menu(page).get_by_role("link")).to_have_text(ending(["Overview", "Compare", "Manage"]))
    page.goto(f"{server}/")
    page.get_by_role("radio", name="Director").click()
    expect(page.get_by_role("heading", name="Overview", level=1)).to_be_visible()
    expect(menu(page).get_by_role("link")).to_have_text(ending(["Overview", "Compare", "Manage"]))
    expect(menu(page).get_by_role("button")).to_contain_text(["Method"])
    menu(page).get_by_role("button", name="Method").click()
    expect(page.get_by_role("menuitem")).to_have_text(ending(["Natural order", "Systems and topics", "Measures"]))
    page.keyboard.press("Escape")
    menu(page).get_by_role("link", name="Manage").click()
    page.get_by_role("button", name="Add report").click()
    expect(page.get_by_role("dialog").get_by_role("link", name="Try a topic")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Import papers").click()
    expect(page.get_by_role("heading", name="Import", level=1)).to_be_visible()

    page.goto(f"{server}/")  # stored for the user
    expect(page.get_by_role("heading", name="Overview", level=1)).to_be_visible()
    look_as(page, width=400, height=800)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_test_id("stSidebar").get_by_role("link")).to_have_count(6)
    assert serious_problems(page) == []
    look_as(page, width=1024)
    page.goto(f"{server}/review")  # not in a director's menu, but accessible
    expect(page.get_by_role("heading", name="Review", level=1)).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_on_a_phone_the_menu_is_one_button(page, looked_at):
    look_as(page, "light", width=400, height=800)
    page.goto(f"{looked_at}/week")
    expect(page.get_by_role("heading", name="This week", level=1)).to_be_in_viewport()
    expect(menu(page)).to_have_count(0)
    expect(page.locator('[class*="st-key-due-"]').first).to_be_in_viewport()
    assert fits(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebar").get_by_role("link", name="My report").click()
    expect(page.get_by_role("heading", name="My report", level=1)).to_be_visible()
    expect(page.get_by_test_id("stSidebarCollapseButton")).to_have_count(0)  # the menu is closed


def test_a_page_opens_at_its_top_wherever_the_page_before_was(page, looked_at):
    look_as(page, "light", width=400, height=800)
    page.goto(f"{looked_at}/review?report=lab&issue=2026-11-16")
    wait_until_drawn(page)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 6000)")
    page.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_role("button", name="Publish report").wait_for()
    wait_until_idle(page)
    expect(page.get_by_role("heading", name="Publish", level=1)).to_be_in_viewport()
