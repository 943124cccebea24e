// The library as cards in groups, a sentence each, and a file of this machine.
import { $, button, make } from "./dom.js";

// Resolves to {name}, {file: true} or null.
export function chooseProtocol(groups) {
  return new Promise((resolve) => {
    const box = make("dialog", { class: "library", "aria-label": "Open a protocol" });
    let chosen = null;
    const take = (choice) => { chosen = choice; box.close(); };
    const filter = make("input", { type: "search", placeholder: "a word of its name or of what it does", "aria-label": "find a protocol", autofocus: true });
    const cards = groups.map((group) => make("section", {}, make("h3", {}, group.title), make("div", { class: "cards" },
      ...group.protocols.map(({ name, says }) => {
        const card = button("", () => take({ name }), { class: "card" });
        card.append(make("b", {}, name), " ", make("span", {}, says));
        return card;
      }))));
    filter.addEventListener("input", () => {
      const words = filter.value.trim().toLowerCase().split(/\s+/);
      for (const section of cards) {
        const shown = [...section.querySelectorAll(".card")].filter((card) => {
          card.hidden = !words.every((word) => card.textContent.toLowerCase().includes(word));
          return !card.hidden;
        });
        section.hidden = shown.length === 0;
      }
    });
    filter.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      box.querySelector(".card:not([hidden])")?.click();
    });
    box.append(make("div", { class: "top" }, make("h2", {}, "Open a protocol"), filter,
      button("A file of this machine…", () => take({ file: true })), button("Cancel", () => take(null))), ...cards);
    box.addEventListener("close", () => { box.remove(); resolve(chosen); });
    document.body.append(box);
    box.showModal();
  });
}

// A file that somebody chooses: its name and its text, or null.
export function chooseFile() {
  return new Promise((resolve) => {
    const input = $("file");
    input.value = "";
    input.onchange = async () => resolve(input.files[0] ? { name: input.files[0].name, text: await input.files[0].text() } : null);
    input.oncancel = () => resolve(null);
    input.click();
  });
}
