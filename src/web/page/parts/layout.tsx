import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { Viewer } from "../../viewer.ts";
import type { Assets } from "../assets.ts";
import type { Around, Outcome } from "../context.ts";
import { capital, countOf, grouped } from "../format/words.ts";
import { Mark, Sprite } from "../sprite.tsx";
import { Csrf, Hidden } from "./forms.tsx";
import { WatchLine } from "./watch-line.tsx";

interface LayoutProps {
  readonly around: Around;
  /** `TVL ETH/USDC 0.05%, firing`; the overview has none. */
  readonly title?: string;
  /** Which of the pages in the navigation it is. */
  readonly current: string;
  /** Scripts beside that of every page, by the names of their files. */
  readonly scripts?: readonly string[];
  readonly sheets?: readonly string[];
  readonly children?: Child;
}

const PAGES: readonly (readonly [path: string, name: string])[] = [
  ["/", "Overview"],
  ["/notices", "Notices"],
  ["/positions", "Positions"],
  ["/gas", "Gas"],
  ["/supply", "Supply"],
  ["/channels", "Channels"],
  ["/source", "Source"],
  ["/audit", "Audit"],
];

export function Layout({
  around,
  title,
  current,
  scripts = [],
  sheets = [],
  children,
}: LayoutProps) {
  const { assets, counts, watch, viewer } = around;
  const firing = counts.firing === 0 ? "" : `(${grouped(counts.firing)}) `;
  return (
    <Document
      assets={assets}
      title={`${firing}${title === undefined ? "" : `${title} · `}tickwatch`}
      scripts={scripts}
      sheets={sheets}
    >
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Brand />
        <nav class="nav" aria-label="Pages">
          {PAGES.map(([path, name]) => (
            <a href={path} {...(path === current ? { "aria-current": "page" } : {})}>
              {name}
              {path === "/" && counts.firing > 0 && (
                <span class="n" data-live="firing" aria-label={`${grouped(counts.firing)} firing`}>
                  {grouped(counts.firing)}
                </span>
              )}
            </a>
          ))}
        </nav>
        <form class="find" action="/" role="search">
          <label class="vh" for="q">
            Find an alert, a rule or a subject
          </label>
          <input
            id="q"
            name="q"
            type="search"
            placeholder="Find alert or rule"
            autocomplete="off"
            maxlength={200}
          />
        </form>
        {viewer.signedIn && viewer.csrf !== null && (
          <form class="out" method="post" action="/sign-out">
            <Csrf viewer={viewer} />
            <button type="submit">Sign out</button>
          </form>
        )}
      </header>
      <WatchLine around={around} />
      <main id="main" tabindex={-1} data-version={around.version} data-now={around.now}>
        <p class="vh" role="status" aria-live="polite" id="spoken" />
        <div class="did lost" id="lost" role="status" hidden />
        {around.outcome !== null && <OutcomeLine outcome={around.outcome} viewer={viewer} />}
        {children}
      </main>
      <footer class="foot">
        <span>tickwatch {around.program}</span>
        <span>
          {watch.rules === 0
            ? "no rules"
            : `${countOf(watch.rules, "rule")}, ${countOf(watch.subjects, "subject")}`}
        </span>
        <span id="zone">Times are in UTC.</span>
        <span class="keys" hidden>
          <kbd>j</kbd> <kbd>k</kbd> next, previous &nbsp;<kbd>Enter</kbd> open &nbsp;<kbd>a</kbd>{" "}
          acknowledge &nbsp;<kbd>s</kbd> silence &nbsp;<kbd>/</kbd> find
        </span>
      </footer>
    </Document>
  );
}

interface DocumentProps {
  readonly assets: Assets;
  readonly title: string;
  readonly scripts?: readonly string[];
  readonly sheets?: readonly string[];
  readonly children?: Child;
}

/** The whole of a page's markup around what it shows. */
export function Document({
  assets,
  title,
  scripts = [],
  sheets: more = [],
  children,
}: DocumentProps) {
  const script = (name: string, module: boolean) => {
    const address = assets.address(name);
    if (address === null) return null;
    return module ? <script type="module" src={address} /> : <script defer src={address} />;
  };
  const sheets = ["page.css", ...more].filter((name) => assets.address(name) !== null);
  return html`<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={assets.address("icon.svg") ?? "data:,"} type="image/svg+xml" />
        {sheets.map((name) => (
          <link rel="stylesheet" href={assets.address(name) ?? "data:,"} />
        ))}
        {scripts.map((name) => script(name, false))}
        {script("page.js", true)}
      </head>
      <body>
        <Sprite />
        {children}
      </body>
    </html>
  )}`;
}

export function Brand() {
  return (
    <a class="brand" href="/">
      <svg width="26" height="16" viewBox="0 0 26 16" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="2" d="M2 2v12M24 2v12M2 8h22" />
        <circle cx="16" cy="8" r="4.5" fill="currentColor" />
      </svg>
      tickwatch
    </a>
  );
}

interface OutcomeProps {
  readonly outcome: Outcome;
  readonly viewer: Viewer;
}

/** What was done, on top of the page, with the way back. */
function OutcomeLine({ outcome, viewer }: OutcomeProps) {
  if (!outcome.ok) {
    return (
      <div class="did not" role="alert">
        <Mark name="broken" />
        <span>{outcome.problem}</span>
      </div>
    );
  }
  const { sentence, undo } = outcome.done;
  return (
    <div class="did" role="status">
      <Mark name="check" />
      <span>{capital(sentence)}</span>
      {undo !== null && (
        <form method="post" action={`/actions/${encodeURIComponent(undo.action)}`}>
          <Hidden
            viewer={viewer}
            fields={{ body: JSON.stringify(undo.body), back: outcome.back }}
          />
          <button type="submit">Undo</button>
        </form>
      )}
    </div>
  );
}
