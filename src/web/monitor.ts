import type { Context, Hono } from "hono";
import type { WebEnv } from "./viewer.ts";

/** What monitors ask of a daemon. */
export interface Monitor {
  /** What would be missed if nobody looked; none: all is well. */
  troubles(): readonly string[];
  /** Rules that had no round yet. */
  waiting(): readonly string[];
  /** What the source is still reading of the past: no trouble, but a reason for what is not known yet. */
  reading?(): readonly string[];
  /** In Prometheus' text format; null: nothing is counted. */
  metrics(): Promise<{ readonly type: string; readonly body: string } | null>;
}

/** A list of names is for a person to read. */
const MOST_NAMES = 20;

export function isMonitored(path: string): boolean {
  return path === "/metrics" || path === "/healthz" || path === "/readyz";
}

/** Health and metrics. */
export function serveMonitor(app: Hono<WebEnv>, monitor: Monitor): void {
  app.get("/healthz", (c) => {
    const reasons = monitor.troubles();
    const healthy = reasons.length === 0;
    const reading = monitor.reading?.() ?? [];
    const body = {
      healthy,
      ...(healthy ? {} : { reasons }),
      ...(reading.length === 0 ? {} : { reading }),
    };
    return answer(c, healthy ? 200 : 503, JSON_TYPE, `${JSON.stringify(body)}\n`);
  });
  app.get("/readyz", (c) => {
    const waiting = monitor.waiting();
    const ready = waiting.length === 0;
    const rules = { count: waiting.length, first: waiting.slice(0, MOST_NAMES) };
    const body = ready ? { ready } : { ready, waiting: rules };
    return answer(c, ready ? 200 : 503, JSON_TYPE, `${JSON.stringify(body)}\n`);
  });
  app.get("/metrics", async (c) => {
    const metrics = await monitor.metrics();
    if (metrics === null) return c.notFound();
    return answer(c, 200, metrics.type, metrics.body);
  });
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Its length is said to whoever asks for the headers alone, too. */
function answer(c: Context<WebEnv>, status: 200 | 503, type: string, body: string): Response {
  return c.body(body, status, {
    "content-type": type,
    "content-length": String(Buffer.byteLength(body)),
  });
}
