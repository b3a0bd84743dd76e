import type { Hono } from "hono";
import { systemClock } from "../../base/clock.ts";
import type { Api } from "../api/api.ts";
import type { WebEnv } from "../viewer.ts";
import { readAssets } from "./assets.ts";
import type { PageParts } from "./context.ts";
import { createOutcomes } from "./outcomes.ts";
import { serveActions } from "./routes/actions.ts";
import { serveAssets } from "./routes/assets.ts";
import { serveLists } from "./routes/lists.tsx";
import { serveViews } from "./routes/views.tsx";

export interface PageOptions {
  /** The folder with the style sheet and the script; by default the one beside this file. */
  readonly assets?: URL;
  /** The version that stands at the foot. */
  readonly program?: string;
}

/**
 * Adds the page to the server: its GET routes, and its POST routes for forms. `c.get("viewer")` says who
 * looks and may act; a POST that gets here has a CSRF token that was checked.
 */
export function page(app: Hono<WebEnv>, api: Api, options: PageOptions = {}): void {
  const parts: PageParts = {
    api,
    assets: readAssets(options.assets ?? new URL("./assets/", import.meta.url)),
    outcomes: createOutcomes(),
    clock: systemClock(),
    program: options.program ?? "",
  };
  serveAssets(app, parts);
  serveViews(app, parts);
  serveLists(app, parts);
  serveActions(app, parts);
}
