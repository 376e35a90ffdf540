// Saves what a field of the page holds, as it stands there: the server knows of it only once the field is left.

class SaveWritten {
  constructor(root, signal) {
    this.button = root.querySelector("button");
    listenTo(this.button, signal, { click: () => this.save() });
  }

  receive(given) {
    this.given = given;
    this.button.textContent = given.label;
    this.button.title = given.about;
  }

  save() {
    const written = document.querySelector(`textarea[aria-label=${CSS.escape(this.given.field)}]`);
    try {
      JSON.parse(written.value);
    } catch {
      return; // the page says what is wrong with it
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([written.value], { type: "application/json" }));
    link.download = this.given.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

export default drawnBy(SaveWritten);
