"""A desk in processes of its own, a program that drafts, and people with browsers."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.stage import Screen, Stage
from tests.fixtures.desk import make_desk

expect.set_options(timeout=20_000)  # milliseconds: a busy machine is no fault of the page's


@pytest.fixture(scope="session")
def stage(
    new_database: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    """One desk for all browser tests: each looks at the actions that it drafts itself."""
    desk = make_desk(tmp_path_factory.mktemp("browser") / "desk", new_database("sqlite"))
    found = Stage.open(desk)
    yield found
    found.close()


@pytest.fixture
def open_screen(stage: Stage, browser: Browser) -> Iterator[Callable[..., Screen]]:
    """`open_screen(who, **context options)`: a signed-in browser of its own, on the feed.

    Each must end without a console error, an exception or a violation of the page's policy.
    `on`: another desk than the one of all.
    """
    screens: list[Screen] = []

    def make(
        who: str = "ana",
        *,
        prepare: Callable[[Page], None] | None = None,
        on: Stage = stage,
        **options: object,
    ) -> Screen:
        screen = Screen.open(on, browser, who, options)
        screens.append(screen)
        if prepare:
            prepare(screen.page)
        screen.page.goto(f"{on.url}/")
        return screen

    yield make
    for screen in screens:
        screen.page.context.close()
        assert screen.complaints == []


@pytest.fixture
def screen(open_screen: Callable[..., Screen]) -> Screen:
    """Ana's."""
    return open_screen()
