import { morph } from "./morph.ts";
import { clockText, durationText, fillZones, localize, now, setClock } from "./times.ts";

/**
 * Keeps the page as it is at the daemon: an event says that something changed, and the page is asked for again
 * and written over in place. The order never changes by itself.
 */

const LEAST_WAIT_MS = 1_000;
/** A page that takes long is asked for less often: it costs the daemon this share of its time at most. */
const MOST_SHARE = 0.02;
const LOST_AFTER_MS = 3_000;
const AGAIN_MS = 5_000;

let stream: EventSource | null = null;
let version = "";
let newest = "";
let refreshing = false;
let waiting = false;
let costMs = 0;
let lastAt = 0;
let lostAt: number | null = null;
let shownAt = 0;
let retry: number | undefined;

export function live(): void {
  version = document.querySelector("main")?.dataset.version ?? "";
  if (version === "") return;
  newest = version;
  shownAt = now();
  // A browser opens few connections to a host: a page that nobody sees needs none.
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  window.addEventListener("pagehide", disconnect);
  connect();
}

function connect(): void {
  if (stream !== null || document.hidden) return;
  const source = new EventSource("/api/v1/events");
  stream = source;
  source.addEventListener("open", () => {
    lostAt = null;
    showLost();
    say("live", " · live");
    void refresh();
  });
  source.addEventListener("live", (event) => {
    newest = versionIn(event.data);
    void refresh();
  });
  source.addEventListener("error", () => {
    lostAt ??= now();
    say("live", "");
    window.setTimeout(showLost, LOST_AFTER_MS);
    if (source.readyState !== EventSource.CLOSED) return;
    disconnect();
    retry = window.setTimeout(connect, AGAIN_MS);
  });
}

function disconnect(): void {
  window.clearTimeout(retry);
  stream?.close();
  stream = null;
}

function versionIn(data: unknown): string {
  try {
    const event: unknown = JSON.parse(String(data));
    if (typeof event === "object" && event !== null && "version" in event)
      return String(event.version);
  } catch {
    // What cannot be read says that something changed, and no more.
  }
  return "";
}

/** Asks for the page and writes it over this one; again and again while there is something newer. */
async function refresh(): Promise<void> {
  waiting = true;
  if (refreshing) return;
  refreshing = true;
  while (waiting) {
    const wait = Math.max(LEAST_WAIT_MS, costMs / MOST_SHARE) - (performance.now() - lastAt);
    if (lastAt > 0 && wait > 0) await pause(wait);
    waiting = false;
    if (document.hidden || newest === version) continue;
    const start = performance.now();
    const page = await load();
    lastAt = performance.now();
    costMs = lastAt - start;
    if (page !== null) show(page);
  }
  refreshing = false;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}

async function load(): Promise<Document | null> {
  try {
    const answer = await fetch(location.href, {
      headers: { accept: "text/html" },
      redirect: "error",
    });
    if (!answer.ok) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}

function show(page: Document): void {
  const fresh = page.querySelector("main");
  if (fresh === null) return;
  version = fresh.dataset.version ?? version;
  setClock(page);
  shownAt = now();
  localize(page);
  fillZones(page);
  document.title = page.title;
  for (const element of document.querySelectorAll("[data-live]")) {
    const other = page.querySelector(
      `[data-live="${CSS.escape(element.getAttribute("data-live") ?? "")}"]`,
    );
    if (other !== null) morph(element, other);
  }
  if (stream !== null && lostAt === null) say("live", " · live");
  rows(page);
  document.dispatchEvent(new CustomEvent("refreshed"));
}

const keyOf = (row: Element): string =>
  `${row.closest("[id]:not(main)")?.id ?? ""} ${row.getAttribute("data-alert") ?? ""}`;

/** Rows that are in both are written over; what came and went is counted, and shown when it is asked for. */
function rows(page: Document): void {
  const fresh = new Map([...page.querySelectorAll("[data-alert]")].map((row) => [keyOf(row), row]));
  let ended = 0;
  let other = 0;
  for (const row of document.querySelectorAll("[data-alert]")) {
    const same = fresh.get(keyOf(row));
    if (same !== undefined) {
      fresh.delete(keyOf(row));
      row.classList.remove("over");
      const chosen = row.classList.contains("chosen");
      morph(row, same);
      row.classList.toggle("chosen", chosen);
    } else if (row.matches(".alert")) {
      const alert = CSS.escape(row.getAttribute("data-alert") ?? "");
      if (page.querySelector(`.row[data-alert="${alert}"]`) === null) ended += 1;
      else other += 1;
      over(row);
    } else other += 1;
  }
  const came = [...fresh.values()].filter((row) => row.matches(".alert"));
  other += fresh.size - came.length;
  news(came.length, ended, other);
  const critical = came
    .filter((row) => row.matches(".critical"))
    .map((row) => row.querySelector(".say")?.textContent ?? "");
  if (critical.length > 0) say("spoken", `New critical alert. ${critical.join(". ")}`);
}

/** It fires no more, but its place is kept until the viewer wants the list anew. */
function over(row: Element): void {
  row.classList.add("over");
  const mark = row.querySelector(".m");
  mark?.querySelector("use")?.setAttribute("href", "#resolved");
  mark?.setAttribute("class", "m good");
  mark?.setAttribute("aria-label", "no longer in this list");
}

function news(came: number, ended: number, other: number): void {
  const line = document.getElementById("news");
  const link = line?.querySelector("a");
  if (line === null || link === null || link === undefined) return;
  const parts = [
    ...(came > 0 ? [`${came} new`] : []),
    ...(ended > 0 ? [`${ended} resolved`] : []),
    ...(other > 0 && came + ended === 0 ? [`${other} changed`] : []),
  ];
  line.hidden = parts.length === 0;
  if (parts.length > 0) link.textContent = `${parts.join(", ")}. Show them`;
}

/** The line that says since when nothing has been heard, and until when what is shown was true. */
function showLost(): void {
  const line = document.getElementById("lost");
  if (line === null) return;
  if (lostAt === null || now() - lostAt < LOST_AFTER_MS - 100) {
    line.hidden = true;
    return;
  }
  const text = `Connection lost ${durationText(now() - lostAt)} ago.`;
  if (line.hidden) {
    const strong = document.createElement("b");
    const rest = document.createElement("span");
    const again = document.createElement("a");
    rest.textContent = ` Shown is what was known at ${clockText(shownAt)}. Trying again every few seconds. `;
    again.className = "btn";
    again.href = location.href;
    again.textContent = "Try now";
    line.replaceChildren(strong, rest, again);
    line.hidden = false;
  }
  const strong = line.querySelector("b");
  if (strong !== null) strong.textContent = text;
}

/** Called every second: the line counts on. */
export function countLost(): void {
  if (lostAt !== null) showLost();
}

function say(id: string, text: string): void {
  const element = document.getElementById(id);
  if (element !== null && element.textContent !== text) element.textContent = text;
}
