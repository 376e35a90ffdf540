// What a tab had open: sessionStorage is a tab's own and outlives a reload. The cookie, which holds no secret, tells the
// server that some tab has something, so that it asks; it goes when the browser closes, as the tabs do.

const PLACE = "historylab"; // { token, name }

export default function ({ data, parentElement, setTriggerValue }) {
  if (!data.asks) {
    remember(data);
    return;
  }
  const told = recall();
  if (told.token) parentElement.querySelector(".back").textContent = `Bringing back ${told.name}…`;
  setTriggerValue("told", told);
}

function remember({ token, name, cookie }) {
  try {
    if (!token) {
      sessionStorage.removeItem(PLACE);
      return;
    }
    sessionStorage.setItem(PLACE, JSON.stringify({ token, name }));
    document.cookie = `${cookie}=1; Path=/; SameSite=Strict`;
  } catch {} // a browser that keeps nothing: the page begins anew, as it always did
}

function recall() {
  const nothing = { token: "", name: "" };
  try {
    const { token, name } = JSON.parse(sessionStorage.getItem(PLACE) ?? "{}");
    return token ? { token: String(token), name: String(name) } : nothing;
  } catch {
    return nothing;
  }
}
