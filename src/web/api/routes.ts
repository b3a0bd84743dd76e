import type { Context, Hono } from "hono";
import { z } from "zod";
import type { WebConfig } from "../../model/index.ts";
import type { WebEnv } from "../viewer.ts";
import { type Actor, type Api, ProblemError } from "./api.ts";
import { eventStreams } from "./events.ts";
import { type ApiRoute, openApi } from "./openapi.ts";
import {
  AlertAction,
  Done,
  DropAction,
  RetryAction,
  SendTestAction,
  type Session,
  SilenceAction,
  SilenceEnd,
} from "./schemas/actions.ts";
import { AlertDetail, AlertList } from "./schemas/alerts.ts";
import { NoticeList, Samples, States, Timeline } from "./schemas/history.ts";
import {
  AuditList,
  ChannelList,
  OutboxList,
  SilenceList,
  SourceView,
} from "./schemas/operations.ts";
import { Overview } from "./schemas/overview.ts";
import {
  AlertQuery,
  AuditQuery,
  NoticeQuery,
  OneAlertQuery,
  OutboxQuery,
  RuleQuery,
  SamplesQuery,
  SilenceQuery,
  StatesQuery,
  TimelineQuery,
} from "./schemas/queries.ts";
import { RuleDetail, RuleList } from "./schemas/rules.ts";

function get<In extends z.ZodType, Out extends z.ZodType>(
  path: string,
  summary: string,
  input: In,
  output: Out,
  answer: (api: Api, query: z.output<In>) => Promise<z.input<Out> | null>,
): ApiRoute {
  return {
    method: "get",
    path,
    summary,
    input,
    output,
    answer: async (api, query) => await answer(api, read(input, query, "Bad query")),
  };
}

function post<In extends z.ZodType>(
  path: string,
  summary: string,
  input: In,
  act: (api: Api, body: z.output<In>, actor: Actor) => Promise<Done>,
): ApiRoute {
  return {
    method: "post",
    path,
    summary,
    input,
    output: Done,
    answer: async (api, body, c) => {
      const { by } = c.get("viewer");
      return await act(api, read(input, body, "Bad request body"), { by, via: "api" });
    },
  };
}

const NOTHING = z.strictObject({});
const RuleName = z.strictObject({ name: z.string().min(1).max(200) });

/** Every path with what it takes and answers. */
export const API_ROUTES: readonly ApiRoute[] = [
  get("/overview", "How everything is now, with the most urgent alerts", NOTHING, Overview, (api) =>
    api.overview(),
  ),
  get("/alerts", "Alerts by a filter, a page at a time", AlertQuery, AlertList, (api, query) =>
    api.alerts(query),
  ),
  get(
    "/alert",
    "One alert with all that is known of it",
    OneAlertQuery,
    AlertDetail,
    (api, query) => api.alert(query),
  ),
  get("/alert/states", "The states of an alert over a time", StatesQuery, States, (api, query) =>
    api.states(query),
  ),
  get(
    "/alert/timeline",
    "What happened to an alert, the newest first: states, notices with every send, actions",
    TimelineQuery,
    Timeline,
    (api, query) => api.timeline(query),
  ),
  get(
    "/samples",
    "The values of a subject's metric over a time",
    SamplesQuery,
    Samples,
    (api, query) => api.samples(query),
  ),
  get("/rules", "The rules with the counts of their alerts", RuleQuery, RuleList, (api, query) =>
    api.rules(query),
  ),
  get(
    "/rule",
    "One rule as it is written, and whom it tells",
    RuleName,
    RuleDetail,
    (api, { name }) => api.rule(name),
  ),
  get(
    "/notices",
    "Notices and their deliveries, the newest first",
    NoticeQuery,
    NoticeList,
    (api, query) => api.notices(query),
  ),
  get("/silences", "The silences in force and planned", SilenceQuery, SilenceList, (api, query) =>
    api.silences(query),
  ),
  get("/channels", "The channels, and how each of them fares", NOTHING, ChannelList, (api) =>
    api.channels(),
  ),
  get(
    "/outbox",
    "What is still to be delivered, or dead letters",
    OutboxQuery,
    OutboxList,
    (api, query) => api.outbox(query),
  ),
  get("/source", "The endpoints of the data source", NOTHING, SourceView, (api) => api.source()),
  get("/audit", "What was done by whom, the newest first", AuditQuery, AuditList, (api, query) =>
    api.audit(query),
  ),
  post(
    "/ack",
    "Acknowledge firing alerts: no reminders until they resolve",
    AlertAction,
    (api, ...of) => api.act.ack(...of),
  ),
  post("/unack", "Take an acknowledgement back", AlertAction, (api, ...of) => api.act.unack(...of)),
  post("/rearm", "Let a rule with `once` count again", AlertAction, (api, ...of) =>
    api.act.rearm(...of),
  ),
  post("/silence", "Hold back the notices of matching alerts", SilenceAction, (api, ...of) =>
    api.act.silence(...of),
  ),
  post("/silence/end", "End a silence now", SilenceEnd, (api, ...of) => api.act.endSilence(...of)),
  post("/outbox/retry", "Send now what waits or was given up", RetryAction, (api, ...of) =>
    api.act.retry(...of),
  ),
  post("/outbox/drop", "Give a message up", DropAction, (api, ...of) => api.act.drop(...of)),
  post("/send-test", "Send a test message through a channel", SendTestAction, (api, ...of) =>
    api.act.sendTest(...of),
  ),
];

/** Adds the API. */
export function serveApi(app: Hono<WebEnv>, api: Api, { url }: Pick<WebConfig, "url">): void {
  const base = "/api/v1";
  for (const { method, path, input, answer } of API_ROUTES) {
    app.on(method.toUpperCase(), `${base}${path}`, async (c) => {
      const sent = method === "get" ? queryOf(c) : await bodyOf(c);
      const found = await answer(api, input === null ? {} : sent, c);
      if (found === null) {
        throw new ProblemError(404, "Not found", "there is no such rule, subject or metric");
      }
      return c.body(JSON.stringify(found), 200, { "content-type": "application/json" });
    });
  }
  app.get(`${base}/session`, (c) => {
    const { by, mayAct, whyNot, csrf, signedIn } = c.get("viewer");
    const session: Session = {
      by,
      may_act: mayAct,
      why_not: whyNot,
      csrf: mayAct ? csrf : null,
      signed_in: signedIn,
    };
    return c.json(session);
  });
  app.get(`${base}/events`, eventStreams(api));
  const document = openApi(API_ROUTES, url);
  app.get(`${base}/openapi.json`, (c) => c.json(document));
}

function queryOf(c: Context<WebEnv>): Record<string, string> {
  const all = c.req.queries();
  const errors = Object.entries(all).flatMap(([at, values]) =>
    values.length > 1 ? [{ at, problem: "is given more than once" }] : [],
  );
  if (errors.length > 0) throw badInput("Bad query", errors);
  return Object.fromEntries(Object.entries(all).map(([key, [value = ""]]) => [key, value]));
}

async function bodyOf(c: Context<WebEnv>): Promise<unknown> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) {
    const detail = "send the body as application/json";
    throw new ProblemError(415, "Unsupported media type", detail);
  }
  try {
    return await c.req.json();
  } catch {
    throw new ProblemError(400, "Bad request body", "the body is not JSON");
  }
}

/** Throws ProblemError with everything that is wrong; unknown names of parameters are. */
function read<In extends z.ZodType>(schema: In, sent: unknown, title: string): z.output<In> {
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  throw badInput(
    title,
    result.error.issues.flatMap((issue) => {
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((at) => ({ at: at.slice(0, 100), problem: "is not known here" }));
      }
      return [{ at: issue.path.join("."), problem: issue.message }];
    }),
  );
}

function badInput(
  title: string,
  errors: readonly { readonly at: string; readonly problem: string }[],
): ProblemError {
  const said = errors.map(({ at, problem }) => `${at === "" ? "it" : at}: ${problem}`);
  const detail = said.slice(0, 5).join("; ") || "it is not of the right form";
  return new ProblemError(400, title, detail, errors.slice(0, 20));
}
