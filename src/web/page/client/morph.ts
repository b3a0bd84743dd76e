/** Makes an element like another one in place: what has not changed is not touched. */

/** What the page keeps as the viewer left it. */
const KEPT = new Set(["open", "value", "hidden"]);

export function morph(old: Element, fresh: Element): void {
  if (old.hasAttribute("data-kept") || (old.matches(".acts, form") && busy(old))) return;
  for (const { name, value } of fresh.attributes) {
    if (!KEPT.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of old.getAttributeNames()) {
    if (!KEPT.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  // What is in it is written over part by part, and the script has put something of its own there.
  if (old.hasAttribute("data-shallow")) return;
  const [mine, theirs] = [[...old.childNodes], [...fresh.childNodes]];
  if (
    mine.length !== theirs.length ||
    mine.some((node, i) => node.nodeName !== theirs[i]?.nodeName)
  ) {
    if (busy(old)) return;
    old.replaceChildren(...theirs);
    tell(old);
    return;
  }
  mine.forEach((node, i) => {
    const other = theirs[i];
    if (other === undefined) return;
    if (node instanceof Element && other instanceof Element) morph(node, other);
    else if (node.nodeValue !== other.nodeValue) {
      node.nodeValue = other.nodeValue;
      tell(old);
    }
  });
}

/** Somebody is writing in it, or has opened a form. */
function busy(element: Element): boolean {
  return (
    element.contains(document.activeElement) || element.querySelector("details[open]") !== null
  );
}

/** Shows for a moment that a figure has changed. */
function tell(element: Element): void {
  if (!element.matches("td, td bdi, b, .dist span, .why dd, .long")) return;
  element.classList.remove("changed");
  requestAnimationFrame(() => element.classList.add("changed"));
}
