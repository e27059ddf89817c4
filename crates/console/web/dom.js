// Elements, dialogs and messages: the few things every page needs. Knows no tables and no requests.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */
/** @typedef {Record<string, any>} Props */

/**
 * @param {Element} element
 * @param {Props | null} props
 */
function set(element, props) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (name === "value" || name === "checked" || name === "selected" || name === "indeterminate") {
      /** @type {any} */ (element)[name] = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
export function append(parent, ...children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, ...child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (child !== null && child !== undefined && child !== false) parent.appendChild(document.createTextNode(String(child)));
  }
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props | null} [props]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  append(element, ...children);
  set(element, props ?? null);
  return element;
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {Child[]} children
 * @returns {SVGElement}
 */
export function svg(tag, props, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, props ?? null);
  append(element, ...children);
  return element;
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
export function replace(parent, ...children) {
  parent.textContent = "";
  append(parent, ...children);
}

let ids = 0;
/** An id that no other element has. */
export function freshId() {
  ids += 1;
  return `id-${ids}`;
}

/**
 * A field with its label above it.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {{hint?: string, class?: string}} [more]
 */
export function field(label, control, more = {}) {
  const id = control.id || freshId();
  control.id = id;
  const hint = more.hint ? h("small", { id: `${id}-hint` }, more.hint) : null;
  if (hint) control.setAttribute("aria-describedby", hint.id);
  return h("div", { class: `field ${more.class ?? ""}` }, h("label", { for: id }, label), control, hint);
}

/**
 * A checkbox with its label behind it.
 * @param {string} label
 * @param {boolean} checked
 * @param {(checked: boolean) => void} [change]
 */
export function checkbox(label, checked, change) {
  const input = h("input", { type: "checkbox", checked });
  if (change) input.addEventListener("change", () => change(input.checked));
  return Object.assign(h("label", { class: "check" }, input, label), { input });
}

/**
 * A choice from a list.
 * @param {Array<[string, string]>} options values and what they are called
 * @param {string} value
 * @param {Props} [props]
 */
export function select(options, value, props = {}) {
  const element = h("select", props, options.map(([key, text]) => h("option", { value: key }, text)));
  element.value = value;
  return element;
}

/**
 * Names and values side by side.
 * @param {Array<[string, Child]>} rows
 */
export function facts(rows) {
  return h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

/**
 * A button.
 * @param {string} text
 * @param {(event: MouseEvent) => void} onclick
 * @param {Props} [props]
 */
export function button(text, onclick, props = {}) {
  return h("button", { type: "button", ...props, onclick }, text);
}

/**
 * A choice of one among a few, shown side by side.
 * @param {string} label
 * @param {Array<[string, string]>} options
 * @param {string} value
 * @param {(value: string) => void} change
 */
export function segments(label, options, value, change) {
  const name = freshId();
  return h(
    "fieldset",
    { class: "segments" },
    h("legend", { class: "hidden" }, label),
    options.map(([key, text]) => {
      const input = h("input", { type: "radio", name, value: key, checked: key === value });
      input.addEventListener("change", () => change(key));
      return h("label", null, input, h("span", null, text));
    }),
  );
}

/**
 * Opens a dialog. `build` gets the way to close it and returns what is inside.
 * @param {string} title
 * @param {(close: () => void) => Child} build
 * @param {{wide?: boolean}} [more]
 */
export function dialog(title, build, more = {}) {
  const element = h("dialog", { class: more.wide ? "wide" : "", "aria-label": title });
  const close = () => element.close();
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", (event) => {
    if (event.target === element) close();
  });
  append(element, h("div", { class: "dialog-inside" }, h("h2", null, title), build(close)));
  document.body.appendChild(element);
  element.showModal();
  return close;
}

/**
 * Asks for a word to be typed before something is destroyed.
 * @param {{title: string, text: Child, word: string, action: string, run: () => Promise<void>}} asked
 */
export function confirmTyped({ title, text, word, action, run }) {
  dialog(title, (close) => {
    const error = h("p", { class: "error", role: "alert", hidden: true });
    const input = h("input", { autocomplete: "off", spellcheck: "false" });
    const act = h("button", { type: "submit", class: "danger", disabled: true }, action);
    input.addEventListener("input", () => {
      act.disabled = input.value !== word;
    });
    return h(
      "form",
      {
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          if (input.value !== word) return;
          act.disabled = true;
          try {
            await run();
            close();
          } catch (failure) {
            showError(error, failure);
            act.disabled = false;
          }
        },
      },
      h("p", null, text),
      field(`To confirm, type ${word}`, input),
      error,
      h("div", { class: "buttons end" }, button("Cancel", close), act),
    );
  });
}

/** @type {HTMLElement | null} */
let messages = null;

/**
 * A message that goes away by itself.
 * @param {string} text
 * @param {"good" | "bad" | ""} [kind]
 */
export function notify(text, kind = "") {
  if (!messages) {
    messages = h("div", { class: "messages", role: "status", "aria-live": "polite" });
    document.body.appendChild(messages);
  }
  const message = h("div", { class: `message ${kind}` }, text);
  messages.appendChild(message);
  setTimeout(() => message.remove(), kind === "bad" ? 9000 : 4500);
}

/**
 * What a failure says.
 * @param {unknown} failure
 */
export function messageOf(failure) {
  if (failure instanceof Error) return failure.message;
  return String(failure);
}

/**
 * Shows a failure in the place kept for it.
 * @param {HTMLElement} place
 * @param {unknown} failure
 */
export function showError(place, failure) {
  place.hidden = false;
  place.textContent = messageOf(failure);
}

/**
 * Copies a text and says so.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied", "good");
  } catch {
    // Without a secure context there is no clipboard to write to; the old way still works.
    const area = h("textarea", { class: "hidden", value: text });
    document.body.appendChild(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    notify("Copied", "good");
  }
}

/**
 * Gives a file to the browser to keep.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.appendChild(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
