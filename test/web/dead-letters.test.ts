import { describe, expect, it } from "vitest";
import { startReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { type Got, startWebDaemon } from "../support/web-daemon.ts";

const OPEN = "{listen: 127.0.0.1:0, actions: true}";

/** Real time, in which receivers live. */
async function eventually<T>(look: () => Promise<T>, fits: (found: T) => boolean): Promise<T> {
  let found = await look();
  await until(
    async () => {
      found = await look();
      return fits(found);
    },
    () => JSON.stringify(found),
  );
  return found;
}

describe("dead letters", () => {
  it("are dropped and retried over the page and the API, alone and all of a channel", async (test) => {
    const receiver = await startReceiver();
    test.onTestFinished(() => receiver.close());
    receiver.answer((response) => {
      response.statusCode = 400;
      response.end("no");
    });
    const channels = `{hook: {kind: webhook, url: "${receiver.origin}/x"}, terminal: {kind: console}}`;
    const daemon = await startWebDaemon(test, OPEN, channels);
    daemon.tvl = 450;
    await daemon.minutes(3);
    daemon.tvl = 1_000;
    await daemon.minutes(2);
    const dead = async (): Promise<readonly { id: string; error: string }[]> =>
      (await daemon.ask("/api/v1/outbox?state=dead")).body.entries as {
        id: string;
        error: string;
      }[];
    const count = async (): Promise<number> => (await dead()).length;
    // What was told at the start, of the firing and of its end.
    const first = await eventually(dead, (found) => found.length === 3);

    const { csrf } = (await daemon.ask("/api/v1/session")).body as { csrf: string };
    const headers = { "x-csrf-token": csrf, origin: daemon.url };
    const post = (path: string, body: unknown): Promise<Got> =>
      daemon.ask(`/api/v1${path}`, { method: "POST", headers, body });
    const form = (action: string, fields: Record<string, string>): Promise<Got> =>
      daemon.ask(`/actions/${action}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", origin: daemon.url },
        body: new URLSearchParams({ csrf, back: "/channels", ...fields }).toString(),
      });
    const shown = async (got: Got): Promise<string> =>
      (await daemon.ask(String(got.headers.location))).text;

    const one = first[0]?.id ?? "";
    expect(await shown(await form("outbox-drop", { id: one }))).toContain("was dropped");
    expect((await post("/outbox/drop", { id: one })).status).toBe(409);
    expect((await post("/outbox/drop", {})).status).toBe(400);
    expect((await post("/outbox/drop", { channel: "terminal" })).status).toBe(409);

    const asked = await daemon.ask("/channels/dead-letters?channel=hook");
    expect(asked.text).toContain("3 dead letters");
    expect(asked.text).toMatch(/Retry all[\s\S]*Drop all/);
    expect((await daemon.ask("/channels/dead-letters?channel=%3Cscript%3E")).status).toBe(404);

    receiver.answer((response) => {
      response.end("ok");
    });
    const sent = receiver.received.length;
    await form("outbox-retry", { channel: "hook", dead: "true" });
    // One was dropped, and is left alone.
    await eventually(count, (left) => left === 1);
    expect(receiver.received.length - sent).toBe(2);
    expect((await dead())[0]).toMatchObject({ id: one, error: "dropped by hand" });
    expect((await post("/outbox/retry", { id: one })).body).toMatchObject({ count: 1 });
    await eventually(count, (left) => left === 0);
    const { entries } = (await daemon.ask("/api/v1/audit")).body;
    expect(entries).toMatchObject([
      { action: "retry" },
      { action: "retry", about: "0 waiting and 2 dead messages of hook" },
      { action: "drop", via: "page" },
    ]);
  });
});
