import type { Context, Hono } from "hono";
import { DAY, HOUR } from "../../../base/duration.ts";
import type { Alert } from "../../api/schemas/alerts.ts";
import { NoticeQuery } from "../../api/schemas/queries.ts";
import type { WebEnv } from "../../viewer.ts";
import { aroundOf, type PageParts } from "../context.ts";
import { cut, STATE_RANK, spokenOf } from "../format/words.ts";
import { zoneOfCookie } from "../viewer-zone.ts";
import { AuditPage } from "../views/audit.tsx";
import { ChannelsPage } from "../views/channels.tsx";
import { DeadLettersPage } from "../views/dead-letters.tsx";
import { MissingPage } from "../views/empty.tsx";
import { GasPage } from "../views/gas.tsx";
import { NoticesPage } from "../views/notices.tsx";
import { PositionsPage } from "../views/positions.tsx";
import { SilencePage } from "../views/silence.tsx";
import { SourcePage } from "../views/source.tsx";
import { SUPPLY_SPANS, SupplyPage, type SupplyPart } from "../views/supply.tsx";
import { withTrail } from "./closer.ts";
import { asked } from "./views.tsx";

const ROWS = 50;
const POSITION_KINDS = ["v4_position", "v3_position"] as const;
const MOST_POSITIONS = 500;
/** More chains than this have no token of their own. */
const MOST_CHAINS = 60;
const STACK_POINTS = 120;
const WEEK_HOURS = 7 * 24;

/** The pages that show many of one sort. */
export function serveLists(app: Hono<WebEnv>, parts: PageParts): void {
  const { api } = parts;

  app.get("/notices", async (c) => {
    const filter = {
      rule: (asked(c.req.query("rule")) ?? "").slice(0, 200),
      channel: (asked(c.req.query("channel")) ?? "").slice(0, 200),
      severity: NoticeQuery.shape.severity.safeParse(c.req.query("severity")).data ?? "",
      kind: (asked(c.req.query("kind")) ?? "").slice(0, 40),
      q: (asked(c.req.query("q")) ?? "").slice(0, 200),
    };
    const cursor = asked(c.req.query("after"));
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
    const query = NoticeQuery.parse({
      ...given,
      limit: ROWS,
      ...(cursor === null ? {} : { cursor }),
    });
    const notices = await api.notices(query);
    const channels = (await api.channels()).channels.map(({ name }) => name);
    const around = aroundOf(c, parts, await api.overview());
    return c.html(
      <NoticesPage
        around={around}
        notices={notices}
        filter={filter}
        channels={channels}
        cursor={cursor}
      />,
    );
  });

  app.get("/positions", async (c) => {
    const around = aroundOf(c, parts, await api.overview());
    const lists = await Promise.all(
      POSITION_KINDS.map((kind) => api.alerts({ kind, sort: "distance", limit: MOST_POSITIONS })),
    );
    const found = lists.flatMap(({ alerts }) => alerts);
    const alerts = await Promise.all(found.map((alert) => withTrail(api, alert, around.now)));
    const more = lists.some(({ next }) => next !== null);
    return c.html(<PositionsPage around={around} alerts={alerts} more={more} />);
  });

  app.get("/gas", (c) => gas(c, parts));
  app.get("/supply", (c) => supply(c, parts));

  app.get("/channels", async (c) => {
    const [channels, dead, open, silences] = await Promise.all([
      api.channels(),
      api.outbox({ state: "dead", limit: ROWS, ...cursorIn(c.req.query("dead")) }),
      api.outbox({ state: "open", limit: ROWS, ...cursorIn(c.req.query("open")) }),
      api.silences({ all: "false" }),
    ]);
    const around = aroundOf(c, parts, await api.overview());
    return c.html(
      <ChannelsPage
        around={around}
        channels={channels}
        dead={dead}
        open={open}
        silences={silences}
      />,
    );
  });

  app.get("/channels/dead-letters", async (c) => {
    const name = asked(c.req.query("channel")) ?? "";
    const around = aroundOf(c, parts, await api.overview());
    const channel = (await api.channels()).channels.find((one) => one.name === name);
    if (channel !== undefined) return c.html(<DeadLettersPage around={around} channel={channel} />);
    const what = `There is no channel ${cut(name, 60)}`;
    return c.html(<MissingPage around={around} what={what} say="Channels has all of them." />, 404);
  });

  app.get("/source", async (c) => {
    const source = await api.source();
    return c.html(<SourcePage around={aroundOf(c, parts, await api.overview())} source={source} />);
  });

  app.get("/audit", async (c) => {
    const cursor = asked(c.req.query("after"));
    const audit = await api.audit({ limit: ROWS, ...(cursor === null ? {} : { cursor }) });
    return c.html(
      <AuditPage around={aroundOf(c, parts, await api.overview())} audit={audit} cursor={cursor} />,
    );
  });

  app.get("/silence", async (c) => {
    const name = asked(c.req.query("rule"));
    const subject = asked(c.req.query("subject"));
    const rule = name === null ? null : await api.rule(name);
    const detail =
      name === null || subject === null ? null : await api.alert({ rule: name, subject });
    const around = aroundOf(c, parts, await api.overview());
    return c.html(<SilencePage around={around} rule={rule} alert={detail?.alert ?? null} />);
  });
}

function cursorIn(text: string | undefined): { cursor?: string } {
  const cursor = asked(text);
  return cursor === null ? {} : { cursor };
}

async function gas(c: Context<WebEnv>, parts: PageParts): Promise<Response> {
  const { api } = parts;
  const around = aroundOf(c, parts, await api.overview());
  const { alerts } = await api.alerts({ kind: "gas", sort: "urgency", limit: ROWS });
  const subject = asked(c.req.query("subject"));
  const metric = asked(c.req.query("metric"));
  const fits = (alert: Alert): boolean =>
    alert.subject === subject && spokenOf(alert)?.metric === metric;
  const shown = alerts.find(fits) ?? alerts[0] ?? null;
  const end = (Math.floor(around.now / HOUR) + 1) * HOUR;
  const known = shown === null ? undefined : spokenOf(shown)?.metric;
  const samples =
    shown === null || known === undefined
      ? null
      : await api.samples({
          subject: shown.subject,
          metric: known,
          from: new Date(end - 7 * DAY - DAY).toISOString(),
          to: new Date(end).toISOString(),
          points: WEEK_HOURS + 24,
        });
  const { zone, name } = zoneOfCookie(c.req.header("cookie"));
  return c.html(
    <GasPage around={around} data={{ alerts, shown, samples, zone, zoneName: name }} />,
  );
}

/** The part of a key that names the token on every chain: all but the chain. */
function tokenOf({ subject }: Alert): string {
  const [kind = "", , ...rest] = subject.split(":");
  return [kind, ...rest].join(":");
}

/** When the first of the samples is of, epoch milliseconds. */
function firstOf(parts: readonly SupplyPart[]): number {
  return Math.min(
    ...parts.map(({ samples }) => Date.parse(samples.points[0]?.at ?? "") || Infinity),
  );
}

/** Of each rule that watches a token the alert that fires, or may; one over all chains is of each token. */
function worstOfRules(alerts: readonly Alert[], token: string | null): Alert[] {
  const worst = new Map<string, Alert>();
  for (const alert of alerts) {
    if (alert.chain !== null && tokenOf(alert) !== token) continue;
    const known = worst.get(alert.rule);
    if (known === undefined || STATE_RANK[alert.state] > STATE_RANK[known.state])
      worst.set(alert.rule, alert);
  }
  return [...worst.values()];
}

async function supply(c: Context<WebEnv>, parts: PageParts): Promise<Response> {
  const { api } = parts;
  const around = aroundOf(c, parts, await api.overview());
  const { alerts } = await api.alerts({
    kind: "token_supply",
    sort: "distance",
    limit: MOST_POSITIONS,
  });
  const single = alerts.filter(({ chain }) => chain !== null);
  const tokens = new Map<string, string>();
  for (const alert of single) {
    const name = alert.name.replace(/ on .*$/, "");
    if (!tokens.has(tokenOf(alert))) tokens.set(tokenOf(alert), name);
  }
  const wished = asked(c.req.query("token"));
  const token = wished !== null && tokens.has(wished) ? wished : ([...tokens.keys()][0] ?? null);
  const chosen = c.req.query("span") ?? "";
  const bySubject = new Map(
    single.filter((one) => tokenOf(one) === token).map((one) => [one.subject, one]),
  );
  const shown = [...bySubject.values()].slice(0, MOST_CHAINS);
  const read = async (span: string): Promise<SupplyPart[]> => {
    const found = shown.map(async (alert): Promise<SupplyPart | null> => {
      const metric = spokenOf(alert)?.metric;
      if (metric === undefined) return null;
      const from = new Date(around.now - Math.max(SUPPLY_SPANS[span] ?? DAY, DAY)).toISOString();
      const to = new Date(around.now).toISOString();
      const samples = await api.samples({
        subject: alert.subject,
        metric,
        from,
        to,
        points: STACK_POINTS,
      });
      return samples === null ? null : { alert, samples };
    });
    return (await Promise.all(found)).filter((part) => part !== null);
  };
  let span = Object.hasOwn(SUPPLY_SPANS, chosen) ? chosen : "30d";
  let found = await read(span);
  const known = around.now - firstOf(found);
  if (chosen === "" && known < 0.9 * (SUPPLY_SPANS["7d"] ?? 0)) {
    // The month would be empty but for its end.
    span = known < DAY ? "24h" : "7d";
    found = await read(span);
  }
  const data = {
    tokens: [...tokens].map(([key, name]) => ({ key, name })),
    token,
    parts: found,
    rules: worstOfRules(alerts, token),
    span,
  };
  return c.html(<SupplyPage around={around} data={data} />);
}
