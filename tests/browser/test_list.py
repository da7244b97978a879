"""What the feed's scripts keep straight: filters that overtake each other, rows that change."""

from functools import partial

from playwright.sync_api import expect

from tests.browser.stage import Screen, Stage

# Each page that a filter asks for is answered when the test says.
_BY_HAND = """() => {
  const ask = window.fetch;
  window.answers = {};
  window.fetch = async (url, ...more) => {
    const which = String(url).match(/^\\/\\?order=(L-\\d)/)?.[1];
    if (which) await new Promise((go) => (window.answers[which] = go));
    return ask(url, ...more);
  };
}"""


def test_a_list_that_is_fetched_again_ends_no_filter(stage: Stage, screen: Screen) -> None:
    """Two filters while the line asks for all of it: the last one stands, and rows go on coming."""
    first = stage.draft(order="L-1")
    second = stage.draft(order="L-2")
    screen.page.evaluate(_BY_HAND)
    screen.page.evaluate(
        """async () => {
          const { narrow, refetch } = await import("desk/list.js");
          const one = narrow("order=L-1");
          const all = refetch();
          const two = narrow("order=L-2");
          window.answers["L-1"]();
          await one;
          await new Promise((go) => setTimeout(go));
          window.answers["L-2"]();
          await Promise.all([two, all]);
        }"""
    )
    expect(screen.row(second)).to_be_visible()
    expect(screen.row(first)).to_have_count(0)
    third = stage.draft(order="L-2")
    expect(screen.row(third)).to_have_count(1)


def test_a_row_that_leaves_the_page_is_selected_no_longer(stage: Stage, screen: Screen) -> None:
    one = stage.draft(order="L-3")
    screen.row(one).get_by_role("checkbox").check()
    expect(screen.page.locator("[data-picked]")).to_have_text("1 selected")
    screen.page.evaluate(
        """async (id) => {
          const [{ leave }, { rowOf }] = await Promise.all(
            [import("desk/order.js"), import("desk/rows.js")]);
          leave(rowOf(id));
        }""",
        one,
    )
    expect(screen.page.locator("[data-bulk]")).to_be_hidden()


def test_a_hold_that_came_too_late_says_so_in_its_row(stage: Stage, screen: Screen) -> None:
    """Only of a cancel that lost the row itself tells."""
    one = stage.draft(order="L-4")
    words = "The action cannot be held: it is running, by worker."
    refused = {"outcome": "too_late", "message": words, "tone": "bad", "rows": []}
    screen.page.route("**/actions/*/hold*", lambda route: route.fulfill(json=refused))
    screen.button(one, "hold").click()
    expect(screen.row(one).locator(".answer")).to_have_text(words)


def test_several_at_once_on_a_page_of_another_version(stage: Stage, screen: Screen) -> None:
    """No answer would be a lie: one came, and it was not understood."""
    one = stage.draft(order="L-5")
    page = "<!doctype html><p>something else</p>"
    screen.page.route(
        "**/feed/bulk", lambda route: route.fulfill(body=page, content_type="text/html")
    )
    screen.row(one).get_by_role("checkbox").check()
    screen.page.locator('[data-verb="hold"]').click()
    expect(screen.page.locator("[data-bulk] [data-said]")).to_contain_text("load it again")


_WATCHED = """(id) => {
  const row = document.querySelector(`li[data-action="${id}"]`);
  window.changed = {}, window.seen = {};
  new MutationObserver(() => (window.changed[row.dataset.version] ??= performance.now()))
    .observe(row, { attributeFilter: ["data-version"] });
  const ask = window.fetch;
  window.fetch = (url, options) => {
    if (url === "/feed/views") {
      for (const one of JSON.parse(options.body).views) {
        if (one.id === id) window.seen[one.version] ??= performance.now();
      }
    }
    return ask(url, options);
  };
}"""


def test_another_version_is_seen_after_a_second_of_its_own(stage: Stage, screen: Screen) -> None:
    """What counts as seen is the payload that it has now, not the place where it stands."""
    one = stage.draft(order="L-6")
    screen.row(one).scroll_into_view_if_needed()  # others of this desk stand above it
    screen.page.evaluate(_WATCHED, one)
    stage.wait(lambda: stage.look(one)["first_viewed_at"])
    for version in (2, 3):
        stage.extend(one)
        stood = f"window.seen[{version}] - window.changed[{version}]"
        stage.wait(partial(screen.page.evaluate, f"{version} in window.seen"))
        assert screen.page.evaluate(stood) >= 990
