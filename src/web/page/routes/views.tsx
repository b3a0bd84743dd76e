import type { Hono } from "hono";
import type { WebEnv } from "../../viewer.ts";
import { aroundOf, type PageParts } from "../context.ts";
import { OverviewPage } from "../views/overview.tsx";

/** How many of the alerts that are ok stand on one page. */
const OK_ROWS = 50;
/** How many notices a quiet overview shows. */
const TOLD_LAST = 5;

/** The pages that show. */
export function serveViews(app: Hono<WebEnv>, parts: PageParts): void {
  const { api } = parts;
  app.get("/", async (c) => {
    const cursor = c.req.query("after") ?? null;
    const overview = await api.overview();
    const ok = await api.alerts({
      state: "ok",
      sort: "distance",
      include: "recent",
      limit: OK_ROWS,
      ...(cursor === null ? {} : { cursor }),
    });
    const told = overview.counts.firing === 0 ? await api.notices({ limit: TOLD_LAST }) : null;
    const around = aroundOf(c, parts, overview);
    return c.html(<OverviewPage around={around} data={{ overview, ok, okCursor: cursor, told }} />);
  });
}
