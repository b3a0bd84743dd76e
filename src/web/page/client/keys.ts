/** j and k go through the alerts, Enter opens one, a acknowledges, s silences, / finds, Esc closes. */

export function keys(): void {
  for (const hint of document.querySelectorAll<HTMLElement>(".keys")) hint.hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") {
      escape();
      return;
    }
    if (isField(event.target)) return;
    if (act(event.key)) event.preventDefault();
  });
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

function act(key: string): boolean {
  switch (key) {
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "a":
      return press("a");
    case "s":
      return press("s");
    case "/":
      document.getElementById("q")?.focus();
      return true;
    default:
      return false;
  }
}

function step(by: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-alert]")].filter((row) =>
    row.checkVisibility(),
  );
  if (rows.length === 0) return false;
  const at = rows.findIndex((row) => row.classList.contains("chosen"));
  const next =
    at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[at]?.classList.remove("chosen");
  const row = rows[next];
  row?.classList.add("chosen");
  row?.scrollIntoView({ block: "nearest" });
  // Enter opens what has the focus.
  const link = row?.querySelector<HTMLElement>(".say a, th a, .who a") ?? row?.querySelector("a");
  link?.focus({ preventScroll: true });
  return true;
}

/** Presses the button of the alert that is chosen, or of the page where it is about one alert. */
function press(name: string): boolean {
  const place = document.querySelector(".chosen") ?? document.querySelector(".title");
  const button = place?.querySelector<HTMLElement>(`[data-key="${name}"]`);
  if (button === null || button === undefined) return false;
  button.click();
  if (name === "s")
    button.parentElement?.querySelector<HTMLElement>('input[name="comment"]')?.focus();
  return true;
}

function escape(): void {
  const open = document.querySelector<HTMLDetailsElement>("details.pop[open]");
  if (open !== null) {
    open.open = false;
    open.querySelector<HTMLElement>("summary")?.focus();
    return;
  }
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && isField(activeElement)) activeElement.blur();
}

/** One form is open at a time, and a press elsewhere closes it. */
export function closeOthers(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    const own = target instanceof Element ? target.closest("details.pop") : null;
    for (const open of document.querySelectorAll<HTMLDetailsElement>("details.pop[open]"))
      if (open !== own) open.open = false;
  });
}
