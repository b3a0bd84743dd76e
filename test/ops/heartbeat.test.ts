import { createServer } from "node:http";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import { httpClient } from "../../src/channels/http-channel.ts";
import { startHeartbeat } from "../../src/ops/heartbeat.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { until } from "../support/until.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function setUp(status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, { location: "/elsewhere" }).end("ok");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const clock = createFakeClock(0);
  const state = { trouble: null as string | null };
  const url = new Secret(`http://127.0.0.1:${address.port}/ping/s3cret-path`);
  const client = httpClient();
  closing.push(() => client.close());
  const heart = startHeartbeat({
    client,
    url,
    everyMs: 60_000,
    clock,
    log,
    trouble: () => state.trouble,
  });
  closing.push(() => heart.stop());
  return { asked, clock, state, lines, heart };
}

describe("the heartbeat", () => {
  it("asks the monitor at every interval", async () => {
    const { asked, clock } = await setUp();
    await clock.advance(59_999);
    expect(asked).toEqual([]);
    await clock.advance(1);
    await until(() => asked.length === 1);
    await clock.advance(60_000);
    await until(() => asked.length === 2);
    expect(asked[0]).toBe("GET /ping/s3cret-path");
  });

  it("is silent while something is wrong, says why once, and goes on", async () => {
    const { asked, clock, state, lines } = await setUp();
    state.trouble = "3 rules had no round";
    await clock.advance(60_000);
    await clock.advance(60_000);
    expect(lines.filter((line) => line.includes("3 rules had no round"))).toHaveLength(1);
    state.trouble = null;
    await clock.advance(60_000);
    await until(() => asked.length === 1);
  });

  it.each([404, 503, 302])("follows nothing and names no address after HTTP %i", async (status) => {
    const { asked, clock, lines } = await setUp(status);
    await clock.advance(60_000);
    await until(() => lines.length === 1);
    expect(lines[0]).toContain(`HTTP ${status}`);
    expect(lines.join("")).not.toContain("s3cret");
    expect(asked).toHaveLength(1);
  });

  it("ends at once", async () => {
    const { asked, clock, heart } = await setUp();
    await heart.stop();
    await clock.advance(600_000);
    expect(asked).toEqual([]);
  });
});
