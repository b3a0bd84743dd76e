import { type Context, Hono } from "hono";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { WebConfig } from "../model/index.ts";
import { WebAccess } from "./access.ts";
import { type Api, PROBLEM_TYPE, ProblemError, problemResponse } from "./api/api.ts";
import { serveApi } from "./api/routes.ts";
import { isMonitored, type Monitor, serveMonitor } from "./monitor.ts";
import { page, pageAssets } from "./page/index.ts";
import { SIGN_IN, serveSignIn } from "./sign-in.ts";
import type { WebEnv } from "./viewer.ts";

export interface WebAppParts {
  readonly config: WebConfig;
  readonly monitor: Monitor;
  /** Null: health and metrics alone are served. */
  readonly api: Api | null;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

const API = "/api/";
/** Forms and the bodies of actions are small. */
const LARGEST_BODY = 64 * 1_024;
const CSP_OF_PAGE = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");
const CSP_OF_OTHERS = "default-src 'none'; frame-ancestors 'none'";

/** Everything that is served, behind one check of who asks. */
export function createWebApp(parts: WebAppParts): Hono<WebEnv> {
  const { config, monitor, api, clock, log } = parts;
  const app = new Hono<WebEnv>({ strict: true });
  const access = new WebAccess(config, clock);

  app.use(async (c, next) => {
    await next();
    protect(c);
  });

  app.use(async (c, next) => {
    const { path, method } = c.req;
    // One thing has one address, and what is checked is what is served.
    if (new URL(c.req.url).pathname !== c.env.incoming.url?.split("?", 1)[0]) return c.notFound();
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && (method !== "POST" || isMonitored(path))) {
      c.header("allow", isMonitored(path) ? "GET, HEAD" : "GET, HEAD, POST");
      return refuse(c, 405, isMonitored(path) ? "only GET and HEAD" : "only GET, HEAD and POST");
    }
    if (!isRead) {
      const length = c.req.header("content-length");
      if (length === undefined) return refuse(c, 411, "the Content-Length header is missing");
      if (Number(length) > LARGEST_BODY) return refuse(c, 413, "the body is too large");
    }
    if (isPublic(path) && config.page && api !== null) return next();
    const entry = access.enter(c);
    if ("refused" in entry) {
      c.header("www-authenticate", 'Bearer realm="tickwatch"');
      if (isRead && config.page && api !== null && wantsPage(c)) {
        const here = `${path}${new URL(c.req.url).search}`;
        return c.redirect(`${SIGN_IN}?next=${encodeURIComponent(here)}`, 303);
      }
      return refuse(c, 401, "the token of web.token is missing or wrong");
    }
    c.set("viewer", entry.viewer);
    if (isRead) return next();
    const problem = await refusedPost(c, entry.by);
    return problem === null ? next() : refuse(c, 403, problem);
  });

  /** Why a post is not taken; null: it is. */
  async function refusedPost(
    c: Context<WebEnv>,
    by: "bearer" | "session" | "anyone",
  ): Promise<string | null> {
    const viewer = c.get("viewer");
    const isApi = c.req.path.startsWith(API);
    if (!viewer.mayAct && c.req.path !== "/sign-out") return viewer.whyNot ?? "nobody may act here";
    if (by === "bearer") return null;
    if (c.req.header("sec-fetch-site") === "cross-site") return "another site sent this";
    const origin = c.req.header("origin");
    const isOwn =
      origin !== undefined && isOwnOrigin(origin, c.env.incoming.headers.host ?? "", config);
    if (isApi) {
      if (by === "session") return "the API is posted to with the token as a bearer";
      if (!isOwn) return "the Origin header is missing or names another site";
      const sent = c.req.header("x-csrf-token") ?? "";
      return access.hasCsrf(viewer, sent) ? null : "the X-CSRF-Token header is missing or wrong";
    }
    // Where no referrer is sent, browsers send no origin either: the form's token decides.
    if (origin !== undefined && origin !== "null" && !isOwn) return "another site sent this form";
    const form = await c.req.parseBody().catch(() => ({}));
    const sent = "csrf" in form && typeof form.csrf === "string" ? form.csrf : "";
    return access.hasCsrf(viewer, sent)
      ? null
      : "the form is too old or of another session; go back, load the page again and repeat it";
  }

  serveMonitor(app, monitor);
  if (api !== null) {
    serveApi(app, api, config);
    if (config.page) {
      const assets = pageAssets();
      serveSignIn(app, access, assets);
      page(app, api, { assets });
    }
  }

  app.notFound((c) => {
    if (c.req.path.startsWith(API)) {
      const detail = "there is no such path; /api/v1/openapi.json lists them";
      return problemResponse(new ProblemError(404, "Not found", detail));
    }
    return c.text("not found; try /healthz, /readyz or /metrics\n", 404);
  });
  app.onError((error, c) => {
    if (error instanceof ProblemError) {
      return c.req.path.startsWith(API)
        ? problemResponse(error)
        : c.text(`${error.detail}\n`, error.status);
    }
    log.error({ err: error }, "a web request could not be answered");
    const detail = "internal error; see the log";
    if (!c.req.path.startsWith(API)) return c.text(`${detail}\n`, 500);
    const body = { type: "about:blank", title: "Internal error", status: 500, detail };
    return c.body(JSON.stringify(body), 500, { "content-type": PROBLEM_TYPE });
  });
  return app;
}

/** What whoever has not signed in yet needs to do so. */
function isPublic(path: string): boolean {
  return path === SIGN_IN || path.startsWith("/assets/");
}

/** A person with a browser, and no program. */
function wantsPage(c: Context<WebEnv>): boolean {
  const { path } = c.req;
  if (path.startsWith(API) || isMonitored(path)) return false;
  return (
    c.req.header("authorization") === undefined && /text\/html/.test(c.req.header("accept") ?? "")
  );
}

/** By the name under which it was asked, or by the one that `web.url` gives. */
function isOwnOrigin(origin: string, host: string, { url }: WebConfig): boolean {
  if (origin === url) return true;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

type Refusal = 401 | 403 | 405 | 411 | 413;

const TITLES: Readonly<Record<Refusal, string>> = {
  401: "Not authorized",
  403: "Refused",
  405: "Method not allowed",
  411: "Length required",
  413: "Too large",
};

function refuse(c: Context<WebEnv>, status: Refusal, detail: string): Response {
  if (!c.req.path.startsWith(API)) return c.text(`${detail}\n`, status);
  const body = { type: "about:blank", title: TITLES[status], status, detail };
  return c.body(JSON.stringify(body), status, { "content-type": PROBLEM_TYPE });
}

/** No page of another site may read, frame or keep what is served here. */
function protect(c: Context<WebEnv>): void {
  const { res } = c;
  const set = (name: string, value: string): void => {
    if (!res.headers.has(name)) res.headers.set(name, value);
  };
  const isPage = res.headers.get("content-type")?.startsWith("text/html") === true;
  set("cache-control", "no-store");
  set("x-content-type-options", "nosniff");
  set("content-security-policy", isPage ? CSP_OF_PAGE : CSP_OF_OTHERS);
  set("referrer-policy", "no-referrer");
  set("x-frame-options", "DENY");
  set("cross-origin-resource-policy", "same-origin");
  set("cross-origin-opener-policy", "same-origin");
  // Who is refused, or sends what nobody reads, need not stay.
  if (res.status >= 400 && res.status !== 503 && c.req.method !== "GET") set("connection", "close");
  if (res.status === 401 || res.status === 403) set("connection", "close");
}
