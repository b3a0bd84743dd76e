/** Times in the viewer's zone, in the forms that the server writes in UTC (format/times.ts). */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** By how much this machine's clock differs from the daemon's, which may run on a clock of its own. */
let skew = 0;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const second = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const date = new Intl.DateTimeFormat("en-CA", {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
});

/** The daemon's time now, epoch milliseconds. */
export function now(): number {
  return Date.now() + skew;
}

/** Learns the daemon's time from a page that was just made. */
export function setClock(page: Document): void {
  const at = Number(page.querySelector("main")?.dataset.now);
  if (at > 0) skew = at - Date.now();
}

/** `UTC+1`, as it is now. */
function zoneName(): string {
  const minutes = -new Date().getTimezoneOffset();
  const hours = Math.trunc(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

export function clockText(at: number): string {
  const away = Math.abs(now() - at);
  const sameDay = date.format(at) === date.format(now());
  if (sameDay || away < 12 * HOUR) return clock.format(at);
  return away < 6 * DAY ? `${weekday.format(at)} ${clock.format(at)}` : day.format(at);
}

/** The two largest units: `3 h 12 m`, `45 s`. */
export function durationText(ms: number): string {
  const units: [string, number][] = [
    ["d", DAY],
    ["h", HOUR],
    ["min", MINUTE],
    ["s", SECOND],
  ];
  // Seconds count in the first minute only.
  let left = ms >= MINUTE && ms < HOUR ? ms - (ms % MINUTE) : Math.max(0, ms);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) {
      parts.push(`${count} ${unit}`);
      left -= count * size;
      if (parts.length === 2) break;
    } else if (parts.length > 0) break;
  }
  if (parts.length === 0) return "0 s";
  return parts.join(" ").replace(/ min$/, parts.length === 2 ? " m" : " min");
}

function written(form: string, at: number): string | null {
  switch (form) {
    case "clock":
      return clockText(at);
    case "time":
      return clock.format(at);
    case "second":
      return second.format(at);
    case "day":
      return day.format(at);
    case "ago":
      return `${durationText(now() - at)} ago`;
    case "since":
      return durationText(now() - at);
    case "until":
      return durationText(at - now());
    default:
      return null;
  }
}

function write(element: Element, form: string): void {
  const at =
    element instanceof HTMLTimeElement
      ? Date.parse(element.dateTime)
      : Number(element.getAttribute("data-at"));
  if (!Number.isFinite(at)) return;
  const text = written(form, at);
  if (text !== null && element.textContent !== text) element.textContent = text;
}

/** Writes every time of a page, or of a part of it, in the viewer's zone. */
export function localize(root: ParentNode): void {
  for (const element of root.querySelectorAll("[data-form]"))
    write(element, element.getAttribute("data-form") ?? "");
  const zone = root.querySelector("#zone");
  if (zone !== null)
    zone.textContent = `Times are in your zone, ${zoneName()}. Point at a time for UTC.`;
  for (const note of root.querySelectorAll<HTMLElement>(".utc")) note.hidden = true;
}

/** Counts on what is so many seconds ago. */
export function tick(): void {
  for (const form of ["ago", "since", "until"])
    for (const element of document.querySelectorAll(`[data-form="${form}"]`)) write(element, form);
}

/** The server writes hours of the day in the zone that it is told so. */
export function keepZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `tickwatch_zone=${encodeURIComponent(timeZone)}; path=/; max-age=31536000; samesite=strict`;
}

/** Forms say in which zone `tomorrow 08:00` is meant. */
export function fillZones(root: ParentNode): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const field of root.querySelectorAll<HTMLInputElement>('input[name="zone"]'))
    field.value = timeZone;
}
