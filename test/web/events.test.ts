import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it, type TestContext } from "vitest";
import { NO_MEMORY } from "../../src/poll/memory.ts";
import { eventStreams } from "../../src/web/api/events.ts";
import type { LiveEvent } from "../../src/web/api/schemas/overview.ts";
import { LiveFeed } from "../../src/web/live/feed.ts";
import { LiveAlerts } from "../../src/web/live/live-alerts.ts";
import type { WebEnv } from "../../src/web/viewer.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { until } from "../support/until.ts";

const MEGABYTE = 1_000_000;

const EVENT: LiveEvent = {
  version: 1,
  at: "2026-11-28T12:00:00.000Z",
  watch: {
    sentence: "",
    subjects: 0,
    watched: 0,
    rules: 0,
    late_rules: 0,
    last_round: null,
    next_round: null,
    endpoints: 0,
    channels: 0,
    failing: [],
    faults: [],
  },
  counts: {
    alerts: 0,
    firing: 0,
    firing_by: { critical: 0, warning: 0, info: 0 },
    unacknowledged: 0,
    pending: 0,
    recovering: 0,
    no_data: 0,
    held_back: 0,
    ok: 0,
  },
  changed: [],
  fired: [],
  resolved: [],
};

/** The streams alone behind a real server, with what is told through them. */
async function serveEvents(test: TestContext) {
  const listeners = new Set<(event: LiveEvent) => void>();
  const app = new Hono<WebEnv>();
  app.get(
    "/",
    eventStreams({
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
  );
  app.onError((error, c) => c.text(error.message, 503));
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  test.onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    listeners,
    port,
    tell: (event: LiveEvent): void => {
      for (const listener of listeners) listener(event);
    },
    open: async (): Promise<Socket> => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      await once(socket, "connect");
      const before = listeners.size;
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await until(() => listeners.size > before);
      return socket;
    },
  };
}

describe("a stream of events", () => {
  it("ends for who does not read, and goes on for who does", async (test) => {
    const { listeners, tell, open } = await serveEvents(test);
    const reader = await open();
    let read = 0;
    reader.on("data", (bytes: Buffer) => {
      read += bytes.length;
    });
    const slow = await open();
    slow.pause();
    expect(listeners.size).toBe(2);
    const large = { ...EVENT, at: "x".repeat(MEGABYTE) };
    let told = 0;
    // The kernel holds some of it; what the daemon itself holds has a limit.
    while (listeners.size === 2 && told < 200) {
      tell(large);
      told += 1;
      await until(() => read >= told * MEGABYTE);
    }
    expect(told).toBeLessThan(200);
    expect(listeners.size).toBe(1);
    const before = read;
    tell(EVENT);
    await until(() => read > before);
  });

  it("is forgotten once its client is gone", async (test) => {
    const { listeners, open } = await serveEvents(test);
    const socket = await open();
    socket.destroy();
    await until(() => listeners.size === 0);
    expect(listeners.size).toBe(0);
  });

  it("is refused beyond 128, so that pages still find a connection", async (test) => {
    const { port, open } = await serveEvents(test);
    for (let i = 0; i < 128; i += 1) await open();
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("connection")).toBe("close");
    expect(await answer.text()).toMatch(/128 pages listen already/);
  });
});

describe("what is told while anything changes", () => {
  it("comes once a second, however often something does", async () => {
    const clock = createFakeClock(Date.UTC(2026, 10, 28, 12));
    const live = new LiveAlerts({ memory: () => NO_MEMORY, clock, silences: () => [] });
    const events: LiveEvent[] = [];
    const feed = new LiveFeed({
      live,
      clock,
      state: () => Promise.resolve(EVENT),
      show: () => Promise.resolve([]),
      nameOf: () => "",
      onTrouble: (error) => expect(error).toBeUndefined(),
    });
    const leave = feed.listen((event) => events.push(event));
    for (let i = 0; i < 100; i += 1) {
      feed.poke();
      await clock.advance(50);
    }
    for (let i = 0; i < 20; i += 1) await turn();
    expect(events.length).toBeGreaterThanOrEqual(4);
    expect(events.length).toBeLessThanOrEqual(5);
    const before = events.length;
    await clock.advance(5_000);
    feed.poke(true);
    await clock.advance(1);
    for (let i = 0; i < 20; i += 1) await turn();
    // Somebody who acted need not wait.
    expect(events.length).toBeGreaterThan(before);
    leave();
    feed.poke();
    expect(clock.waiting()).toBe(0);
  });
});
