import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import type { WebConfig } from "../../src/model/index.ts";
import type { DaemonView } from "../../src/ops/daemon-view.ts";
import { createMetrics } from "../../src/ops/web/metrics.ts";
import { startWeb } from "../../src/web/server.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { until } from "../support/until.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const VIEW: DaemonView = {
  channels: () => ["lp"],
  configuration: () => null,
  sharing: () => null,
  rules: () => 3,
  lateRules: () => 1,
  subjects: () => 7,
  alerts: () => ({ ok: 5, pending: 0, firing: 2, recovering: 0, withoutData: 1 }),
  lastRound: () => 1_700_000_000_500,
  owed: () => Promise.resolve(new Map([["lp", 4]])),
  sourceLags: () => [],
};

const WEB: WebConfig = {
  host: "127.0.0.1",
  port: 0,
  token: null,
  readOnlyToken: null,
  hosts: [],
  url: null,
  page: true,
  actions: false,
};

async function setUp(config: Partial<WebConfig> = {}, view: DaemonView = VIEW) {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const state = { troubles: [] as string[], waiting: [] as string[] };
  const clock = createFakeClock(0);
  const metrics = createMetrics();
  const web = await startWeb({
    config: { ...WEB, ...config },
    api: null,
    monitor: {
      troubles: () => state.troubles,
      waiting: () => state.waiting,
      metrics: async () => ({ type: metrics.contentType, body: await metrics.render(view) }),
    },
    clock,
    log,
  });
  closing.push(() => web.stop());
  const { port } = new URL(web.url() ?? "http://none:1");
  return { web, state, metrics, clock, lines, port: Number(port) };
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** fetch would not send a Host header of its own choice. */
function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  body = "",
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, headers, method, agent: false };
    const request = send(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

describe("the web listener", () => {
  it("says that all is well, and what is not", async () => {
    const { port, state } = await setUp();
    expect(await ask(port, "/healthz")).toMatchObject({ status: 200, body: '{"healthy":true}\n' });
    state.troubles = ["2 rules missed every round for three intervals: a, b"];
    const sick = await ask(port, "/healthz?verbose");
    expect(sick.status).toBe(503);
    expect(JSON.parse(sick.body)).toEqual({ healthy: false, reasons: state.troubles });
  });

  it("is ready once no rule waits for its first round", async () => {
    const { port, state } = await setUp();
    state.waiting = Array.from({ length: 25 }, (_, i) => `rule-${i}`);
    const early = await ask(port, "/readyz");
    expect(early.status).toBe(503);
    expect(JSON.parse(early.body)).toEqual({
      ready: false,
      waiting: { count: 25, first: state.waiting.slice(0, 20) },
    });
    state.waiting = [];
    expect(await ask(port, "/readyz")).toMatchObject({ status: 200, body: '{"ready":true}\n' });
  });

  it("serves metrics in Prometheus' format", async () => {
    const { port, metrics } = await setUp();
    metrics.refused();
    const got = await ask(port, "/metrics");
    expect(got.status).toBe(200);
    expect(got.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(got.body).toContain("\ntickwatch_commit_failures_total 1\n");
    expect(got.body).toContain('\ntickwatch_owed_notices{channel="lp"} 4\n');
  });

  it("answers HEAD with the headers alone, and nothing but GET and HEAD", async () => {
    const { port } = await setUp();
    const head = await ask(port, "/healthz", {}, "HEAD");
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-length"]).toBe("17");
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const got = await ask(port, "/metrics", {}, method, method === "POST" ? "x".repeat(99) : "");
      expect(got.status).toBe(405);
      expect(got.headers).toMatchObject({ allow: "GET, HEAD", connection: "close" });
    }
  });

  it("knows no other path, and lets no page read or frame what it serves", async () => {
    const { port } = await setUp();
    for (const path of ["/", "/metrics/", "//metrics", "/../metrics", "/favicon.ico"]) {
      expect((await ask(port, path)).status).toBe(404);
    }
    const { headers } = await ask(port, "/healthz", { origin: "https://evil.example" });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
  });

  it.each([
    "evil.example",
    "evil.example:9464",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "10.0.0.1",
  ])("refuses the Host %s: a page's name may resolve to this machine", async (host) => {
    const { port } = await setUp();
    for (const path of ["/metrics", "/healthz", "/readyz", "/"]) {
      expect((await ask(port, path, { host })).status).toBe(403);
    }
  });

  it.each([
    "localhost",
    "LOCALHOST:1",
    "a.localhost",
    "127.0.0.1:9",
    "[::1]:9",
    "Metrics.internal.",
    "metrics.internal:80",
  ])("is asked under %s", async (host) => {
    const { port } = await setUp({ hosts: ["metrics.internal"] });
    expect((await ask(port, "/healthz", { host })).status).toBe(200);
  });

  it("is asked behind a wildcard by the address that was called", async () => {
    const token = new Secret("tok_0123456789abcdef");
    const { port } = await setUp({ host: "0.0.0.0", token });
    const authorization = `Bearer ${token.reveal()}`;
    expect((await ask(port, "/healthz", { authorization })).status).toBe(200);
    expect((await ask(port, "/healthz", { authorization, host: "a.example" })).status).toBe(403);
  });

  it("wants the token for everything, and never tells it", async () => {
    const secret = "tok_0123456789abcdef";
    const { port, lines } = await setUp({ token: new Secret(secret) });
    const wrong = ["", "Bearer", "Bearer x", `Basic ${secret}`, `Bearer ${secret}x`, secret];
    for (const authorization of wrong) {
      const got = await ask(port, "/healthz", authorization === "" ? {} : { authorization });
      expect([authorization, got.status]).toEqual([authorization, 401]);
      expect(got.headers["www-authenticate"]).toBe('Bearer realm="tickwatch"');
      expect(got.body).not.toContain("healthy");
    }
    expect((await ask(port, `/healthz?token=${secret}`)).status).toBe(401);
    const good = await ask(port, "/metrics", { authorization: `bearer ${secret}` });
    expect(good.status).toBe(200);
    expect(good.body + lines.join("")).not.toContain(secret);
  });

  it("answers and goes on when what it should tell cannot be had", async () => {
    const view = {
      ...VIEW,
      subjects: () => {
        throw new Error("no subjects");
      },
    };
    const { port, lines } = await setUp({}, view);
    expect(await ask(port, "/metrics")).toMatchObject({ status: 500 });
    expect(lines.join("")).toContain("no subjects");
    expect((await ask(port, "/healthz")).status).toBe(200);
  });

  it("takes a bounded number of connections, and small headers only", async () => {
    const { port } = await setUp();
    expect((await ask(port, "/healthz", { "x-long": "x".repeat(20_000) })).status).toBe(431);
    const hold = (count: number): Promise<Socket[]> =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const socket = connect({ host: "127.0.0.1", port });
          await once(socket, "connect");
          return socket;
        }),
      );
    const held = await hold(256);
    // What is left is for those who watch the watcher.
    expect((await ask(port, "/healthz")).status).toBe(200);
    expect((await ask(port, "/metrics")).status).toBe(200);
    const page = await ask(port, "/");
    expect(page).toMatchObject({ status: 503, headers: { connection: "close" } });
    held.push(...(await hold(64)));
    await expect(ask(port, "/healthz")).rejects.toThrow(/ECONN|socket hang up/);
    for (const socket of held) socket.destroy();
  });

  it("takes no request with two Host headers, whichever names this machine", async () => {
    const { port } = await setUp();
    for (const hosts of [
      "Host: localhost\r\nHost: evil.example",
      "Host: localhost\r\nhost: localhost",
    ]) {
      const socket = connect({ host: "127.0.0.1", port });
      socket.write(`GET /healthz HTTP/1.1\r\n${hosts}\r\n\r\n`);
      const [answer] = await once(socket, "data");
      expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
      socket.destroy();
    }
  });

  it("stops with connections that are kept open", async () => {
    const { port, web } = await setUp();
    const socket = connect({ host: "127.0.0.1", port });
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
    const closed = once(socket, "close");
    await web.stop();
    await closed;
    await expect(ask(port, "/healthz")).rejects.toThrow(/ECONN|socket hang up/);
    expect(web.url()).toBeNull();
  });

  it("watches on without an address that is taken, and has it a minute after it is free", async () => {
    const other = createServer();
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    if (address === null || typeof address === "string") throw new Error("no address");
    const { web, clock, lines } = await setUp({ port: address.port });
    expect(web.url()).toBeNull();
    expect(lines.join("")).toContain("EADDRINUSE");
    other.close();
    await once(other, "close");
    await clock.advance(60_000);
    await until(() => web.url() !== null);
    expect((await ask(address.port, "/healthz")).status).toBe(200);
  });
});
