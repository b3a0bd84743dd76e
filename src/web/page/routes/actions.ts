import type { Context, Hono } from "hono";
import type { z } from "zod";
import { SECOND } from "../../../base/duration.ts";
import { type Actor, type Api, ProblemError } from "../../api/api.ts";
import {
  AlertAction,
  type Done,
  DropAction,
  RetryAction,
  SendTestAction,
  SilenceAction,
  SilenceEnd,
} from "../../api/schemas/actions.ts";
import type { WebEnv } from "../../viewer.ts";
import { type Outcome, type PageParts, safePath } from "../context.ts";
import { namedZone, tomorrowMorning, wallTime } from "../viewer-zone.ts";

/** What a form sent, each name once. */
type Fields = Readonly<Record<string, string>>;

interface FormAction {
  readonly act: (api: Api, body: unknown, actor: Actor) => Promise<Done>;
  /** The body of the API's action, of the fields of a form. */
  readonly body: (fields: Fields, now: number) => unknown;
}

function action<Body extends z.ZodType>(
  schema: Body,
  body: (fields: Fields, now: number) => unknown,
  act: (api: Api, body: z.output<Body>, actor: Actor) => Promise<Done>,
): FormAction {
  return { body, act: async (api, sent, actor) => await act(api, read(schema, sent), actor) };
}

const alertBody = (fields: Fields): unknown => some(fields, ["rule", "subject", "comment", "by"]);

/** Under the names of the API's paths; `-` stands for `/`. */
const ACTIONS: Readonly<Record<string, FormAction>> = {
  ack: action(AlertAction, alertBody, (api, ...of) => api.act.ack(...of)),
  unack: action(AlertAction, alertBody, (api, ...of) => api.act.unack(...of)),
  rearm: action(AlertAction, alertBody, (api, ...of) => api.act.rearm(...of)),
  silence: action(SilenceAction, silenceBody, (api, ...of) => api.act.silence(...of)),
  "silence-end": action(
    SilenceEnd,
    (fields) => ({ ...some(fields, ["by"]), id: Number(fields.id) }),
    (api, ...of) => api.act.endSilence(...of),
  ),
  "outbox-retry": action(
    RetryAction,
    (fields) => ({
      ...some(fields, ["id", "channel", "by"]),
      ...(fields.dead === "true" ? { dead: true } : {}),
    }),
    (api, ...of) => api.act.retry(...of),
  ),
  "outbox-drop": action(
    DropAction,
    (fields) => some(fields, ["id", "channel", "by"]),
    (api, ...of) => api.act.drop(...of),
  ),
  "send-test": action(
    SendTestAction,
    (fields) => some(fields, ["channel", "by"]),
    (api, ...of) => api.act.sendTest(...of),
  ),
};

/** The daemon carries out within so long what was written down, as a rule. */
const LONGEST_WAIT_MS = 2 * SECOND;

/** The forms of the page. Each is answered with the page that it came from, with what was done on top. */
export function serveActions(app: Hono<WebEnv>, parts: PageParts): void {
  app.post("/actions/:name{.+}", async (c) => {
    const wanted = ACTIONS[c.req.param("name").replace("/", "-")];
    if (wanted === undefined) return c.notFound();
    const fields = fieldsOf(await c.req.parseBody());
    const back = safePath(fields.back);
    const did = parts.outcomes.keep(await outcomeOf(c, parts, wanted, fields, back));
    const url = new URL(back, "http://page.invalid");
    url.searchParams.set("did", did);
    return c.redirect(`${url.pathname}${url.search}`, 303);
  });
}

async function outcomeOf(
  c: Context<WebEnv>,
  { api }: PageParts,
  { act, body }: FormAction,
  fields: Fields,
  back: string,
): Promise<Outcome> {
  try {
    const now = Date.parse((await api.overview()).at);
    const sent = fields.body === undefined ? body(fields, now) : parsed(fields.body);
    const changed = nextChange(api);
    const done = await act(api, sent, { by: c.get("viewer").by, via: "page" });
    await changed;
    return { ok: true, done, back };
  } catch (error) {
    if (error instanceof ProblemError) return { ok: false, problem: error.detail };
    throw error;
  }
}

/** Resolves when something has changed, so that the answer shows it; not later than in two seconds. */
function nextChange(api: Api): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(finish, LONGEST_WAIT_MS);
    const end = api.listen(finish);
    function finish(): void {
      clearTimeout(timer);
      end();
      done();
    }
  });
}

function fieldsOf(form: Readonly<Record<string, unknown>>): Fields {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === "string") fields[name] = value.trim();
  }
  return fields;
}

/** Those of the fields that say something. */
function some(fields: Fields, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined && value !== "") found[name] = value;
  }
  return found;
}

function silenceBody(fields: Fields, now: number): unknown {
  if ((fields.comment ?? "") === "") {
    throw new ProblemError(400, "Bad form", "Write a reason: others read it while it is silent.");
  }
  return { ...some(fields, ["comment", "by"]), ...silenced(fields), ...lasting(fields, now) };
}

function silenced(fields: Fields): Record<string, unknown> {
  const {
    what = fields.subject === undefined ? "rule" : "alert",
    rule = "",
    subject = "",
  } = fields;
  if (what === "all") return { all: true };
  const label = /^label ([^=]+)=(.*)$/.exec(what);
  if (label !== null) return { labels: { [label[1] ?? ""]: label[2] ?? "" } };
  return what === "alert" ? { rule, subjects: [subject] } : { rule };
}

function lasting(fields: Fields, now: number): Record<string, string> {
  const zone = namedZone(fields.zone ?? "");
  if (fields.for === "tomorrow")
    return { until: new Date(tomorrowMorning(now, zone)).toISOString() };
  if (fields.for !== "until") return { for: fields.for ?? "" };
  const until = wallTime(fields.until ?? "", zone);
  if (until === null) throw new ProblemError(400, "Bad form", "Say until when: a date and a time.");
  return { until: new Date(until).toISOString() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError(400, "Bad form", "The form is not one of this page.");
  }
}

/** Throws ProblemError with the first thing that is wrong. */
function read<Body extends z.ZodType>(schema: Body, sent: unknown): z.output<Body> {
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const at = issue?.path.join(".") ?? "";
  throw new ProblemError(
    400,
    "Bad form",
    `${at === "" ? "" : `${at}: `}${issue?.message ?? "not valid"}`,
  );
}
