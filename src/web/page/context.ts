import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { Clock } from "../../base/clock.ts";
import { keepNewest } from "../../base/keep-newest.ts";
import type { Api } from "../api/api.ts";
import type { Done } from "../api/schemas/actions.ts";
import type { Counts, Overview, Watch } from "../api/schemas/overview.ts";
import type { Viewer, WebEnv } from "../viewer.ts";
import type { Assets } from "./assets.ts";

/** What every page shows around its own. */
export interface Around {
  readonly assets: Assets;
  readonly viewer: Viewer;
  readonly watch: Watch;
  readonly counts: Counts;
  /** The state of the daemon that is shown; a script asks for what is newer. */
  readonly version: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly program: string;
  /** The address that is shown, for forms to come back to. */
  readonly here: string;
  /** What was just done. */
  readonly outcome: Outcome | null;
}

/** What a page is drawn of. */
export interface PageProps<Data> {
  readonly around: Around;
  readonly data: Data;
}

/** What every route of the page has at hand. */
export interface PageParts {
  readonly api: Api;
  readonly assets: Assets;
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  readonly program: string;
}

/** What stands around a page, for the request at hand. */
export function aroundOf(
  c: Context<WebEnv>,
  { assets, outcomes, program }: PageParts,
  overview: Pick<Overview, "watch" | "counts" | "version" | "at">,
): Around {
  const did = c.req.query("did");
  return {
    assets,
    viewer: c.get("viewer"),
    watch: overview.watch,
    counts: overview.counts,
    version: overview.version,
    now: Date.parse(overview.at),
    program,
    here: hereOf(c.req.url),
    outcome: did === undefined ? null : outcomes.find(did),
  };
}

/** The path and query that is shown, without what was done. */
function hereOf(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("did");
  return `${url.pathname}${url.search}`;
}

/** A path on this server to come back to; anything else leads to the overview. */
export function safePath(path: string | undefined): string {
  if (path === undefined || !path.startsWith("/") || path.length > 2_000) return "/";
  const base = "http://page.invalid";
  try {
    const url = new URL(path, base);
    return url.origin === base ? `${url.pathname}${url.search}` : "/";
  } catch {
    return "/";
  }
}

/** What came of an action, for the page that is shown after it. */
export type Outcome =
  | { readonly ok: true; readonly done: Done; readonly back: string }
  | { readonly ok: false; readonly problem: string };

/** What came of actions, under names that nobody can guess, so that no address can make a page say something. */
export interface Outcomes {
  keep(outcome: Outcome): string;
  find(id: string): Outcome | null;
}

/** Who acts reads the answer at once; older ones are forgotten. */
const MOST_KEPT = 200;

export function createOutcomes(): Outcomes {
  const kept = new Map<string, Outcome>();
  return {
    keep(outcome) {
      const id = randomBytes(12).toString("base64url");
      keepNewest(kept, id, outcome, MOST_KEPT);
      return id;
    },
    find: (id) => kept.get(id) ?? null,
  };
}
