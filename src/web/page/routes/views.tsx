import type { Hono } from "hono";
import { html } from "hono/html";
import { SECOND } from "../../../base/duration.ts";
import { Answers } from "../../api/answers.ts";
import type { Overview } from "../../api/schemas/overview.ts";
import { AlertQuery, OneAlertQuery } from "../../api/schemas/queries.ts";
import type { WebEnv } from "../../viewer.ts";
import { type Around, aroundOf, type PageParts } from "../context.ts";
import { cut } from "../format/words.ts";
import { AlertPage } from "../views/alert.tsx";
import { SPANS } from "../views/alert-chart.tsx";
import { MissingPage } from "../views/empty.tsx";
import { FindPage } from "../views/find.tsx";
import { OverviewPage } from "../views/overview.tsx";
import { RulePage } from "../views/rule.tsx";
import { closer } from "./closer.ts";

/** How many of the alerts that are ok, or of a list, stand on one page. */
const ROWS = 50;
/** Fewer where many fire: a page is not to be longer than anybody reads. */
const FEW_ROWS = 20;
const MANY_FIRE = 10;
const FIRST_OF_RULE = 4;
/** How many notices a quiet overview, and a rule, show. */
const TOLD_LAST = 5;
const TOLD_OF_RULE = 20;
const TIMELINE_ROWS = 20;
const CHART_POINTS = 500;
/** Longer names and cursors are none of ours. */
const LONGEST = 500;

/** A text of the query that may be one of ours; null: there is none. */
export function asked(text: string | undefined): string | null {
  return text === undefined || text === "" || text.length > LONGEST ? null : text;
}

/** The overview, a rule, an alert, and what is found by words. */
export function serveViews(app: Hono<WebEnv>, parts: PageParts): void {
  const { api, clock } = parts;
  /** Of the overview, by who looks: open pages ask for the same one after the other. */
  const overviews = new Answers<string>(clock);

  app.get("/", async (c) => {
    const words = asked(c.req.query("q"));
    if (words !== null)
      return c.redirect(`/find?${new URLSearchParams({ q: words }).toString()}`, 303);
    const cursor = asked(c.req.query("after"));
    const overview = await api.overview();
    const around = aroundOf(c, parts, overview);
    const draw = (): Promise<string> => drawOverview(overview, around, cursor);
    if (around.outcome !== null) return c.html(await draw());
    const whose = JSON.stringify([around.viewer, around.here]);
    return c.html(await overviews.get(whose, overview.version, draw));
  });

  async function drawOverview(
    overview: Overview,
    around: Around,
    cursor: string | null,
  ): Promise<string> {
    const { firing: fire, ok: fine } = overview.counts;
    const limit = fire > MANY_FIRE ? FEW_ROWS : ROWS;
    const ok = await api.alerts({
      state: "ok",
      sort: "distance",
      include: "recent",
      limit,
      // Where one page cannot hold them all each rule shows its first.
      ...(fine > limit ? { per_rule: FIRST_OF_RULE } : {}),
      ...(cursor === null ? {} : { cursor }),
    });
    const told = overview.counts.firing === 0 ? await api.notices({ limit: TOLD_LAST }) : null;
    const grouped = overview.groups.length > 0;
    const firing = grouped ? [] : await closer(api, overview.firing.first, around.now);
    const data = {
      overview: { ...overview, firing: { ...overview.firing, first: firing } },
      ok,
      okCursor: cursor,
      told,
    };
    return await html`${<OverviewPage around={around} data={data} />}`;
  }

  app.get("/find", async (c) => {
    const words = asked(c.req.query("q")) ?? "";
    const state = AlertQuery.shape.state.safeParse(c.req.query("state")).data ?? "firing";
    const { severity: oneSeverity, acked: oneAcked } = AlertQuery.shape;
    const severity = oneSeverity.safeParse(c.req.query("severity")).data;
    const acked = oneAcked.safeParse(c.req.query("acked")).data;
    const some = {
      state,
      ...(severity === undefined ? {} : { severity }),
      ...(acked === undefined ? {} : { acked }),
    };
    const cursor = asked(c.req.query("after"));
    const page = { limit: ROWS, include: "recent" as const, sort: "urgency" as const };
    const alerts = await api.alerts({
      ...page,
      ...(words === "" ? some : { q: words.slice(0, 200) }),
      ...(cursor === null ? {} : { cursor }),
    });
    const rules = words === "" ? null : await api.rules({ q: words.slice(0, 200), limit: 10 });
    const around = aroundOf(c, parts, await api.overview());
    return c.html(
      <FindPage
        around={around}
        words={words}
        some={some}
        alerts={alerts}
        rules={rules}
        cursor={cursor}
      />,
    );
  });

  app.get("/rule", async (c) => {
    const name = asked(c.req.query("name")) ?? "";
    const detail = await api.rule(name);
    const around = aroundOf(c, parts, await api.overview());
    if (detail === null) {
      const say =
        "It may have been renamed or deleted. The search finds rules by parts of their names.";
      return c.html(
        <MissingPage around={around} what={`There is no rule ${cut(name, 60)}`} say={say} />,
        404,
      );
    }
    const cursor = asked(c.req.query("after"));
    const alerts = await api.alerts({
      rule: name,
      sort: "distance",
      include: "recent",
      limit: ROWS,
      ...(cursor === null ? {} : { cursor }),
    });
    const notices = await api.notices({ rule: name, limit: TOLD_OF_RULE });
    return c.html(<RulePage around={around} data={{ detail, alerts, cursor, notices }} />);
  });

  app.get("/alert", async (c) => {
    const one = OneAlertQuery.safeParse({
      rule: c.req.query("rule"),
      subject: c.req.query("subject"),
    });
    const detail = one.success ? await api.alert(one.data) : null;
    const around = aroundOf(c, parts, await api.overview());
    if (!one.success || detail === null) {
      const say =
        "The rule or its subject is no longer watched. Its notices are still in the list of notices.";
      return c.html(<MissingPage around={around} what="There is no such alert" say={say} />, 404);
    }
    const chosen = c.req.query("span") ?? "";
    const span = Object.hasOwn(SPANS, chosen) ? chosen : "6h";
    // Rounds have whole seconds: so the same page asks for the same steps.
    const to = Math.ceil(around.now / SECOND) * SECOND;
    const time = {
      from: new Date(to - (SPANS[span] ?? 0)).toISOString(),
      to: new Date(to).toISOString(),
    };
    const { alert } = detail;
    const kept = detail.metrics.map(({ metric }) => metric);
    const wished = alert.range === null ? alert.compared?.metric : "current_tick";
    const metric =
      wished !== undefined && kept.includes(wished) ? wished : (alert.compared?.metric ?? kept[0]);
    const before = asked(c.req.query("before"));
    const [samples, states, timeline, rule] = await Promise.all([
      metric === undefined
        ? null
        : api.samples({ subject: alert.subject, metric, points: CHART_POINTS, ...time }),
      api.states({ ...one.data, ...time }),
      api.timeline({
        ...one.data,
        limit: TIMELINE_ROWS,
        ...(before === null ? {} : { cursor: before }),
      }),
      api.rule(alert.rule),
    ]);
    const data = { detail, rule, samples, states, timeline, span, cursor: before };
    return c.html(<AlertPage around={around} data={data} />);
  });
}
