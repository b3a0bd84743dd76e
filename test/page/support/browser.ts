import { existsSync, readFileSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { WHOLE } from "../../support/tier.ts";

/** A real Chromium: Debian's, or the one that CHROMIUM names. */
const PLACE = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** CI installs it: there its absence is a failure and no reason to skip. */
export const RUNS = WHOLE && (existsSync(PLACE) || process.env.CI_PEERS === "1");

/** Said of tests that are skipped. */
export const WHY = WHOLE ? "(skipped: no Chromium at /usr/bin/chromium)" : "(in npm run test:page)";

export function startBrowser(): Promise<Browser> {
  // As root, as CI runs it, Chromium has no sandbox; the pages are ours.
  return chromium.launch({ executablePath: PLACE, args: ["--no-sandbox"] });
}

/** A page that notes whatever it must not do. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests to elsewhere, errors in the console, refusals by the policy of content, dialogs. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 1280, height: 900 },
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
    ...options,
  });
  context.setDefaultTimeout(60_000);
  const faults: string[] = [];
  const page = await context.newPage();
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== "data:") faults.push(`asked ${request.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("dialog", (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, faults, close: () => context.close() };
}

const AXE = readFileSync(
  new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

/** What axe finds on the page as it is, in lines; WCAG 2.2 AA and what it calls best practice. */
export async function axeFinds(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return await page.evaluate(async () => {
    interface Axe {
      run(options: object): Promise<{
        violations: {
          id: string;
          help: string;
          nodes: { html: string; failureSummary?: string }[];
        }[];
      }>;
    }
    const { axe } = globalThis as unknown as { axe: Axe };
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run({ runOnly: { type: "tag", values: tags } });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes
        .slice(0, 3)
        .map(
          (node) =>
            `${id}: ${help}: ${node.html.slice(0, 160)} ${(node.failureSummary ?? "").slice(0, 200)}`,
        ),
    );
  });
}

/** By how many pixels the page is wider than the window. */
export async function sideways(page: Page): Promise<number> {
  const { scrollWidth, clientWidth } = await page.evaluate<{
    scrollWidth: number;
    clientWidth: number;
  }>(
    "({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })",
  );
  return scrollWidth - clientWidth;
}
