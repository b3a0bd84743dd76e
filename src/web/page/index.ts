import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import { compress } from "hono/compress";
import { systemClock } from "../../base/clock.ts";
import { isMap } from "../../base/json.ts";
import type { Api } from "../api/api.ts";
import type { WebEnv } from "../viewer.ts";
import { type Assets, readAssets, serveAssets } from "./assets.ts";
import { createOutcomes, type PageParts } from "./context.ts";
import { serveActions } from "./routes/actions.ts";
import { serveLists } from "./routes/lists.tsx";
import { serveViews } from "./routes/views.tsx";

export interface PageOptions {
  /** The style sheet and the script; by default those beside this file. */
  readonly assets?: Assets;
}

/** The files that every page loads, the one to sign in on as well. */
export function pageAssets(): Assets {
  return readAssets(new URL("./assets/", import.meta.url));
}

/**
 * Adds the page to the server: its GET routes, and its POST routes for forms. `c.get("viewer")` says who
 * looks and may act; a POST that gets here has a CSRF token that was checked.
 */
export function page(app: Hono<WebEnv>, api: Api, options: PageOptions = {}): void {
  const parts: PageParts = {
    api,
    assets: options.assets ?? pageAssets(),
    outcomes: createOutcomes(),
    clock: systemClock(),
    program: packageVersion(),
  };
  serveAssets(app, parts.assets);
  app.use(compress());
  serveViews(app, parts);
  serveLists(app, parts);
  serveActions(app, parts);
}

/** The version that stands at the foot of each page. */
function packageVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const read: unknown = JSON.parse(text);
  return isMap(read) && typeof read.version === "string" ? read.version : "";
}
