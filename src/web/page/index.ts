import type { Hono } from "hono";
import type { Api } from "../api/api.ts";
import type { WebEnv } from "../viewer.ts";

/**
 * Adds the page to the server: its GET routes, and its POST routes for forms. `c.get("viewer")` says who
 * looks and may act; a POST that gets here has a CSRF token that was checked.
 */
export function page(app: Hono<WebEnv>, api: Api): void {
  app.get("/", async (c) => {
    const { watch, counts } = await api.overview();
    return c.text(`${watch.sentence}. ${counts.firing} firing\n`);
  });
}
