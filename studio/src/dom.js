// Small helpers for making elements. Text is always text, never markup; only our own pictures are inserted as markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const button = (label, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, label);

// The pictures come from our own server, which escapes every name in them.
export function picture(markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup;
  return holder.content.firstElementChild;
}

// Calls made in quick succession become one, some time after the last.
export function later(milliseconds, action) {
  let timer = null;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
  wait.now = () => {
    clearTimeout(timer);
    action();
  };
  return wait;
}

// Hand a text to the browser to save; where is for the person to say.
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Scroll a box until a part of it is in sight, and nothing around the box.
export function bringIntoSight(box, part) {
  if (!part) return;
  const frame = box.getBoundingClientRect(), here = part.getBoundingClientRect();
  if (here.top < frame.top) box.scrollTop += here.top - frame.top;
  else if (here.bottom > frame.bottom) box.scrollTop += here.bottom - frame.bottom;
}

// A modal dialog with some buttons; resolves to the value of the one that was pressed, or null.
export function dialog(title, body, choices) {
  return new Promise((resolve) => {
    const box = make("dialog", { "aria-label": title }, make("h2", {}, title), ...body);
    const row = make("p", { class: "buttons" });
    for (const [label, value] of choices) {
      row.append(button(label, async () => {
        if (typeof value === "function") await value();
        else box.close(String(value));
      }));
    }
    box.append(row);
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue || null);
    });
    document.body.append(box);
    box.showModal();
  });
}
