"""Words on screen are set in six styles, Streamlit's own among them, and buttons of a kind are equally tall."""

import pytest
from browser_pages import settled

pytestmark = pytest.mark.browser

LOOK = """() => {
  const styles = new Set(), walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (element.matches("script, style, title, canvas, svg *, noscript, [data-testid=stIconMaterial]")) continue;
      const box = element.getBoundingClientRect(), { fontSize, fontWeight } = getComputedStyle(element);
      const words = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("");
      if (box.width && fontSize !== "0px" && /[\\p{L}\\p{N}]/u.test(words)) styles.add(`${fontSize} ${fontWeight}`);
    }
  };
  walk(document.body);
  return [...styles];
}"""
SIX = {"24px 600", "16px 600", "14px 600", "14px 400", "12px 600", "12px 400"}


@pytest.mark.parametrize("path", ["/", "/compare", "/conversations"])
def test_words_are_set_in_six_styles_and_buttons_of_a_kind_are_equally_tall(page, home, path):
    page.goto(home + path)
    page.locator("h1").wait_for()
    settled(page)
    assert set(page.evaluate(LOOK)) <= SIX
    buttons = page.locator("[data-testid=stBaseButton-secondary]:visible, [data-testid=stBaseButton-primary]:visible")
    assert {round(button.bounding_box()["height"]) for button in buttons.all()} <= {24, 32}
