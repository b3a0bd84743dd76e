import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { API_ROUTES } from "../../src/web/api/routes.ts";
import { WHOLE } from "../support/tier.ts";
import {
  type Got,
  RULE,
  SUBJECT,
  startWebDaemon,
  TOKEN,
  WALL,
  type WebDaemon,
} from "../support/web-daemon.ts";

const OPEN = "{listen: 127.0.0.1:0, actions: true}";
const LOOKING = "{listen: 127.0.0.1:0}";
const CLOSED =
  '{listen: 127.0.0.1:0, token: "${env:TOKEN}", read_only_token: "${env:WALL}", url: "https://watch.example.org"}';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const PATHS = [
  "/",
  "/metrics",
  "/healthz",
  "/readyz",
  "/api/v1/openapi.json",
  "/api/v1/events",
  "/api/v1/session",
  ...API_ROUTES.filter(({ method }) => method === "get").map(({ path }) => `/api/v1${path}`),
];
const ACTIONS = API_ROUTES.filter(({ method }) => method === "post").map(({ path }) => path);
const SILENCE = { rule: RULE, for: "1h" };

/** The cookie that an answer sets, as a browser sends it back. */
function cookieOf({ headers }: Got): string {
  const [cookie] = Array.isArray(headers["set-cookie"]) ? headers["set-cookie"] : [];
  return String(cookie ?? "").split(";")[0] ?? "";
}

function signIn(daemon: WebDaemon, token: string, next = "/"): Promise<Got> {
  return daemon.ask("/sign-in", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token, next }).toString(),
  });
}

async function silences(daemon: WebDaemon, headers = {}): Promise<unknown> {
  return (await daemon.ask("/api/v1/silences", { headers })).body.silences;
}

describe("a daemon with tokens", () => {
  it("tells nothing to whoever has none, and never says the token", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    const wrong = [{}, { authorization: `Bearer ${TOKEN}x` }, { authorization: `Basic ${TOKEN}` }];
    const answers: string[] = [];
    for (const path of PATHS) {
      for (const headers of [...wrong, { cookie: "tickwatch_1=act.9999999999999.x.y" }]) {
        const got = await daemon.ask(`${path}?token=${TOKEN}`, { headers });
        expect([path, got.status]).toEqual([path, 401]);
        answers.push(got.text);
      }
    }
    for (const path of ACTIONS) {
      const got = await daemon.ask(`/api/v1${path}`, { method: "POST", body: SILENCE });
      expect([path, got.status]).toEqual([path, 401]);
    }
    expect((await daemon.ask("/metrics", { headers: BEARER })).status).toBe(200);
    expect(await silences(daemon, BEARER)).toEqual([]);
    expect(answers.join("") + daemon.lines.join("")).not.toContain(TOKEN);
  });

  it("lets in who signs in, with a cookie that no script reads and no other site sends", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    const page = await daemon.ask("/", { headers: { accept: "text/html" } });
    expect(page).toMatchObject({ status: 303, headers: { location: "/sign-in?next=%2F" } });
    expect((await signIn(daemon, "wrong_0123456789abcdef")).status).toBe(401);
    const far = await signIn(daemon, TOKEN, "https://evil.example/");
    expect(far.headers.location).toBe("/");
    const got = await signIn(daemon, TOKEN, "/api/v1/session");
    expect(got).toMatchObject({ status: 303, headers: { location: "/api/v1/session" } });
    const [set] = Array.isArray(got.headers["set-cookie"]) ? got.headers["set-cookie"] : [];
    expect(set).toMatch(/^__Host-tickwatch_\d+=act\.[^;]+; /);
    for (const part of ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"]) {
      expect(set).toContain(part);
    }
    expect(set).not.toContain(TOKEN);
    const cookie = cookieOf(got);
    const session = await daemon.ask("/api/v1/session", { headers: { cookie } });
    expect(session.body).toMatchObject({ may_act: true, signed_in: true });
    const out = await daemon.ask("/sign-out", {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: `csrf=${String(session.body.csrf)}`,
    });
    expect(out.status).toBe(303);
    // Also who has kept it is out.
    expect((await daemon.ask("/api/v1/session", { headers: { cookie } })).status).toBe(401);
  });

  it("takes no session that it has not made, or of another role", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    const cookie = cookieOf(await signIn(daemon, WALL));
    expect((await daemon.ask("/api/v1/overview", { headers: { cookie } })).status).toBe(200);
    for (const forged of [
      cookie.replace("=read.", "=act."),
      cookie.slice(0, -1) + (cookie.endsWith("A") ? "B" : "A"),
      cookie.replace(/\.\d+\./, ".9999999999999."),
    ]) {
      const got = await daemon.ask("/api/v1/overview", { headers: { cookie: forged } });
      expect(got.status).toBe(401);
    }
  });

  it("lets a wall display look and not act", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    const headers = { authorization: `Bearer ${WALL}` };
    expect((await daemon.ask("/api/v1/alerts", { headers })).status).toBe(200);
    for (const path of ACTIONS) {
      const got = await daemon.ask(`/api/v1${path}`, { method: "POST", headers, body: SILENCE });
      expect([path, got.status]).toEqual([path, 403]);
    }
    expect(await silences(daemon, headers)).toEqual([]);
  });

  it("wants the form's token of a session, and the bearer of a program", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    const cookie = cookieOf(await signIn(daemon, TOKEN));
    const { body } = await daemon.ask("/api/v1/session", { headers: { cookie } });
    const form = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const act = (csrf: string, headers = {}): Promise<Got> =>
      daemon.ask("/actions/silence", {
        method: "POST",
        headers: { ...form, ...headers },
        body: new URLSearchParams({ rule: RULE, for: "1h", comment: "x", csrf }).toString(),
      });
    expect((await act("")).status).toBe(403);
    expect((await act("x".repeat(43))).status).toBe(403);
    const csrf = String(body.csrf);
    expect((await act(csrf, { origin: "https://evil.example" })).status).toBe(403);
    expect((await act(csrf, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(await silences(daemon, BEARER)).toEqual([]);
    // A cookie alone does not post to the API, whatever comes along.
    const sent = { cookie, "x-csrf-token": csrf, origin: "https://watch.example.org" };
    const api = { method: "POST", headers: sent, body: SILENCE };
    expect((await daemon.ask("/api/v1/silence", api)).status).toBe(403);
    expect((await act(csrf, { origin: "null" })).status).toBe(303);
    expect(await silences(daemon, BEARER)).toMatchObject([{ rule: RULE }]);
    const done = await daemon.ask("/api/v1/silence/end", {
      method: "POST",
      headers: BEARER,
      body: { id: 1 },
    });
    expect(done.status).toBe(200);
  });

  it("lets nobody try tokens at the sign-in, and goes on for those who are in", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    const cookie = cookieOf(await signIn(daemon, TOKEN));
    const statuses: number[] = [];
    for (let i = 0; i < 15; i += 1) statuses.push((await signIn(daemon, `wrong_${i}`)).status);
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    const right = await signIn(daemon, TOKEN);
    expect(right).toMatchObject({ status: 429 });
    expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
    expect((await daemon.ask("/api/v1/overview", { headers: { cookie } })).status).toBe(200);
    expect((await daemon.ask("/metrics", { headers: BEARER })).status).toBe(200);
  });
});

describe("a daemon on loopback without a token", () => {
  it("lets everybody look, and nobody act unless that is written", async (test) => {
    const daemon = await startWebDaemon(test, LOOKING);
    const { body } = await daemon.ask("/api/v1/session");
    expect(body).toMatchObject({ may_act: false, csrf: null });
    expect(String(body.why_not)).toContain("actions: true");
    for (const path of [...ACTIONS.map((one) => `/api/v1${one}`), "/actions/silence"]) {
      const got = await daemon.ask(path, { method: "POST", body: SILENCE });
      expect([path, got.status]).toEqual([path, 403]);
    }
  });

  it("wants the CSRF token and an Origin of its own", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const { body } = await daemon.ask("/api/v1/session");
    const token = { "x-csrf-token": String(body.csrf) };
    const post = (headers: Record<string, string>): Promise<Got> =>
      daemon.ask("/api/v1/silence", { method: "POST", headers, body: SILENCE });
    for (const headers of [
      {},
      token,
      { origin: daemon.url },
      { origin: daemon.url, "x-csrf-token": "x".repeat(32) },
      { ...token, origin: "http://evil.example" },
      { ...token, origin: "null" },
      { ...token, origin: daemon.url, "sec-fetch-site": "cross-site" },
    ]) {
      expect([headers, (await post(headers)).status]).toEqual([headers, 403]);
    }
    expect(await silences(daemon)).toEqual([]);
    const done = await post({ ...token, origin: daemon.url });
    expect(done).toMatchObject({ status: 200, body: { silences: [1] } });
    // No page of another site may read the token.
    const read = await daemon.ask("/api/v1/session", {
      headers: { origin: "http://evil.example" },
    });
    expect(read.headers["access-control-allow-origin"]).toBeUndefined();
    expect(read.headers["cross-origin-resource-policy"]).toBe("same-origin");
  });

  it("refuses a forged Host on every path", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    for (const path of [...PATHS, "/sign-in", "/assets/x/y"]) {
      const got = await daemon.ask(path, { headers: { host: "evil.example" } });
      expect([path, got.status]).toEqual([path, 403]);
    }
    const posted = await daemon.ask("/api/v1/silence", {
      method: "POST",
      headers: { host: "evil.example", origin: "http://evil.example" },
      body: SILENCE,
    });
    expect(posted.status).toBe(403);
  });

  it("takes no body that is too large, of no known length or no JSON", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const { body } = await daemon.ask("/api/v1/session");
    const headers = { "x-csrf-token": String(body.csrf), origin: daemon.url };
    const post = (sent: unknown, more = {}): Promise<Got> =>
      daemon.ask("/api/v1/silence", {
        method: "POST",
        headers: { ...headers, ...more },
        body: sent,
      });
    expect((await post({ comment: "x".repeat(70_000) })).status).toBe(413);
    expect((await post("{", { "content-type": "application/json" })).status).toBe(400);
    expect((await post("a=b", { "content-type": "text/plain" })).status).toBe(415);
    const { port } = new URL(daemon.url);
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    socket.write(
      "POST /api/v1/silence HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    );
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain("411");
    socket.destroy();
    for (const hostile of ["constructor", "__proto__", "<script>", "x".repeat(10_000)]) {
      const got = await post({ rule: hostile, for: "1h" });
      expect(got.status).toBeGreaterThanOrEqual(400);
      expect(got.headers["content-type"]).toContain("application/problem+json");
    }
    expect(await silences(daemon)).toEqual([]);
  });

  it("refuses ten thousand requests and goes on watching", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const many = WHOLE ? 10_000 : 500;
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < many; sent += 50) {
      const got = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          i % 2 === 0
            ? daemon.ask("/api/v1/overview", { headers: { host: "evil.example" } })
            : daemon.ask("/api/v1/silence", { method: "POST", body: SILENCE }),
        ),
      );
      for (const { status } of got) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()]).toEqual([403]);
    daemon.tvl = 450;
    await daemon.minutes(3);
    expect((await daemon.ask("/api/v1/overview")).body).toMatchObject({ counts: { firing: 1 } });
  });
});

describe("what was done over the API", () => {
  it("takes effect in the daemon, can be taken back, and is kept with who did it", async (test) => {
    const daemon = await startWebDaemon(test, CLOSED);
    daemon.tvl = 450;
    await daemon.minutes(3);
    const post = (path: string, body: unknown): Promise<Got> =>
      daemon.ask(`/api/v1${path}`, { method: "POST", headers: BEARER, body });
    const acked = await post("/ack", {
      rule: RULE,
      subject: SUBJECT,
      by: "anna",
      comment: "on it",
    });
    expect(acked.body).toMatchObject({ count: 1, undo: { action: "unack" } });
    const alert = async (): Promise<unknown> =>
      (await daemon.ask(`/api/v1/alerts?rule=${RULE}`, { headers: BEARER })).body.alerts;
    expect(await alert()).toMatchObject([{ ack: { by: "anna", comment: "on it" } }]);
    expect(daemon.app.rounds.memory.rules[0]?.alerts[0]?.alert?.life?.acked?.by).toBe("anna");
    expect(
      await post(
        "/unack",
        acked.body.undo instanceof Object && "body" in acked.body.undo ? acked.body.undo.body : {},
      ),
    ).toMatchObject({ status: 200 });
    expect(await alert()).toMatchObject([{ ack: null }]);
    expect((await post("/silence", SILENCE)).status).toBe(200);
    const { body } = await daemon.ask("/api/v1/overview", { headers: BEARER });
    expect(body).toMatchObject({ counts: { firing: 0, held_back: 1 } });
    expect((await post("/silence/end", { id: 1, by: "ben" })).status).toBe(200);
    expect((await post("/silence/end", { id: 1 })).status).toBe(409);
    for (const [path, sent] of [
      ["/silence", { rule: RULE, for: "1h", all: true }],
      ["/silence", { for: "1h" }],
      ["/silence", { rule: RULE, for: "40d" }],
      ["/silence", { rule: RULE, for: "soon" }],
      ["/ack", { rule: RULE, subjct: SUBJECT }],
    ] as const) {
      expect((await post(path, sent)).status).toBe(400);
    }
    expect((await post("/rearm", { rule: RULE })).status).toBe(409);
    expect((await post("/send-test", { channel: "terminal" })).status).toBe(200);
    const audit = await daemon.ask("/api/v1/audit", { headers: BEARER });
    expect(audit.body.entries).toMatchObject([
      { action: "send test", by: "token", via: "api" },
      { action: "end silence", by: "ben" },
      { action: "silence", rule: RULE },
      { action: "unack" },
      { action: "ack", by: "anna", comment: "on it", rule: RULE, subject: SUBJECT },
    ]);
  });
});
