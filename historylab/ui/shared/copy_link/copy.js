// Copies the link: by itself while the click on Share still counts, and by its button.

class CopyLink {
  constructor(root, signal) {
    this.said = root.querySelector("span");
    listenTo(root.querySelector("button"), signal, { click: () => this.copy(true) });
  }

  receive(link) {
    if (link === this.link) return;
    this.link = link;
    this.copy(false);
  }

  // Without a secure connection, or asked too late, a browser lets nothing be copied.
  async copy(asked) {
    try {
      await navigator.clipboard.writeText(this.link);
      this.said.textContent = "Copied";
    } catch {
      this.said.textContent = asked ? "Your browser doesn’t allow it: select the link below." : "";
    }
  }
}

export default drawnBy(CopyLink);
