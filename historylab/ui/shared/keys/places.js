// The places of the navigation: the one the page belongs to is marked, of which Streamlit's links say nothing; and where
// there is no room they are a menu.

const MENU_OPEN = "hl-menu-open";
const menuButton = () => document.querySelector(".hl-menu");
const menuIsOpen = () => document.documentElement.classList.contains(MENU_OPEN);

class Places {
  constructor(signal) {
    this.here = "";
    const watcher = new MutationObserver(() => this.mark());
    watcher.observe(document.body, { childList: true, subtree: true });
    signal.addEventListener("abort", () => (watcher.disconnect(), openMenu(false)));
    listenTo(document, signal, {
      click: ({ target }) => openMenu(!menuIsOpen() && target.closest?.(".hl-menu") !== null),
      focusin: ({ target }) => menuIsOpen() && !target.closest(".st-key-navigation") && openMenu(false),
      keydown: ({ key }) => key === "Escape" && menuIsOpen() && (openMenu(false), menuButton().focus()),
    });
  }

  // Streamlit makes the links anew with a page, and on its own behalf gives them no such attributes.
  mark() {
    const places = document.querySelector(".st-key-places");
    if (!places) return;
    Object.assign(places, { role: "navigation", ariaLabel: "Places" });
    for (const link of places.querySelectorAll("a")) link.ariaCurrent = link.textContent === this.here ? "page" : null;
  }

  at(place) {
    this.here = place;
    this.mark();
  }
}

function openMenu(open) {
  document.documentElement.classList.toggle(MENU_OPEN, open);
  menuButton()?.setAttribute("aria-expanded", open);
}
