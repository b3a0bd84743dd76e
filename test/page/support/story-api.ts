import { Hono } from "hono";
import type { Api } from "../../../src/web/api/api.ts";
import type { Alert } from "../../../src/web/api/schemas/alerts.ts";
import { readAssets } from "../../../src/web/page/assets.ts";
import { page } from "../../../src/web/page/index.ts";
import type { Viewer, WebEnv } from "../../../src/web/viewer.ts";
import { FIRING, HELD, NO_DATA, OK, overviewOf, WAITING } from "./story.ts";

/** Answers of the API that a test gives; what it does not give fails. */
export function storyApi(given: Partial<Api> = {}): Api {
  const unexpected = (name: string) => (): never => {
    throw new Error(`the page asks for ${name}, which this test does not give`);
  };
  const all: readonly Alert[] = [...FIRING, ...WAITING, ...NO_DATA, ...HELD, ...OK];
  return {
    overview: async () =>
      overviewOf({
        firing: FIRING,
        waiting: WAITING,
        no_data: NO_DATA,
        held_back: HELD,
        ok: OK.length,
      }),
    alerts: async ({ state, rule }) => {
      const alerts = all.filter(
        (one) => (rule === undefined || one.rule === rule) && (state !== "ok" || OK.includes(one)),
      );
      return { alerts: [...alerts], total: alerts.length, next: null };
    },
    alert: async () => unexpected("alert")(),
    rules: async () => unexpected("rules")(),
    rule: async () => unexpected("rule")(),
    samples: async () => null,
    states: async () => null,
    timeline: async () => null,
    notices: async () => ({ notices: [], next: null }),
    silences: async () => ({ silences: [] }),
    channels: async () => ({ channels: [] }),
    outbox: async () => ({ entries: [], total: 0, next: null }),
    source: async () => ({ endpoints: [], requests_per_second: 10, requests_1h: 0, down: [] }),
    audit: async () => ({ entries: [], next: null }),
    act: {
      ack: unexpected("ack"),
      unack: unexpected("unack"),
      rearm: unexpected("rearm"),
      silence: unexpected("silence"),
      endSilence: unexpected("endSilence"),
      retry: unexpected("retry"),
      drop: unexpected("drop"),
      sendTest: unexpected("sendTest"),
    },
    listen: () => () => {},
    ...given,
  };
}

export const MAY_ACT: Viewer = {
  by: "anna",
  mayAct: true,
  whyNot: null,
  csrf: "csrf-of-this-session",
  signedIn: false,
};

/** The page over such answers, for requests without a socket. */
export function storyPage(api: Api, viewer: Viewer = MAY_ACT, assets?: URL): Hono<WebEnv> {
  const app = new Hono<WebEnv>();
  app.use(async (c, next) => {
    c.set("viewer", viewer);
    await next();
  });
  page(app, api, assets === undefined ? {} : { assets: readAssets(assets) });
  return app;
}
