import type { Context } from "hono";
import type { Clock } from "../../base/clock.ts";
import type { Api } from "../api/api.ts";
import type { Overview } from "../api/schemas/overview.ts";
import type { WebEnv } from "../viewer.ts";
import type { Assets } from "./assets.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Around } from "./parts/around.ts";

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
