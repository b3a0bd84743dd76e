import { readFile, writeFile } from "node:fs/promises";
import { describe, it } from "vitest";
import { loadDriver } from "../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Ran, runTickwatch } from "../cli/test-command.ts";
import { firstLine, makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import type { DaemonPlace } from "../support/daemon-place.ts";
import { WHOLE } from "../support/tier.ts";

describe.concurrent("a daemon that is killed", () => {
  it.runIf(WHOLE)(
    "sends after its restart what it owed, word for word, and repeats nothing else",
    async (test) => {
      const { expect } = test;
      const { place, slack, service, tvl } = await makeAlertWorld(test);
      const first = place.run();
      await slack.first(tells("started"));
      // The message is settled once the daemon says so.
      await first.logLine(({ channel, msg }) => channel === "slack" && msg.includes("delivered"));
      slack.answer((response) => response.writeHead(500).end());
      tvl(800);
      const refused = await slack.first(tells("fired"));
      await first.logLine(
        ({ channel, msg }) => channel === "slack" && msg.includes("will be retried"),
      );
      first.kill("SIGKILL");
      expect((await first.ended).signal).toBe("SIGKILL");

      slack.answer((response) => response.end("ok"));
      const before = slack.received.length;
      const second = place.run();
      const arrived = await slack.next();
      expect(arrived.body).toBe(refused.body);
      await service.requests(3);
      expect(slack.received.slice(before).map(toldBy)).toEqual(["fired"]);
      expect(second.out()).not.toMatch(/Watching|below/);
      second.kill("SIGTERM");
      expect((await second.ended).code).toBe(0);
    },
  );

  it("before Slack's answer came sends that message once more, the same, and later repeats nothing and forgets no end", async (test) => {
    const { expect } = test;
    const { place, slack, service, tvl } = await makeAlertWorld(test);
    const first = place.run();
    await slack.first(tells("started"));
    slack.answer(() => first.kill("SIGKILL"));
    tvl(800);
    const fired = await slack.first(tells("fired"));
    await first.ended;
    slack.answer((response) => response.end("ok"));
    const before = slack.received.length;
    const second = place.run();
    await slack.next();
    // It is settled: what Slack took just before a kill may come once more.
    await second.logLine(({ channel, msg }) => channel === "slack" && msg.includes("delivered"));
    await service.requests(3);
    expect(slack.received.slice(before).map(({ body }) => body)).toEqual([fired.body]);
    second.kill("SIGKILL");
    await second.ended;
    place.runHere();
    await service.requests(3);
    tvl(1_000);
    const resolved = await slack.first(tells("resolved"));
    expect(firstLine(resolved)).toContain("back to $1,000");
    await service.requests(2);
    expect(slack.received.map(toldBy)).toEqual(["started", "fired", "fired", "resolved"]);
  });

  it("just after Slack's answer sends that message at most once more, the same", async (test) => {
    const { expect } = test;
    const { place, slack, service, tvl } = await makeAlertWorld(test);
    const first = place.run();
    await slack.first(tells("started"));
    slack.answer((response) => response.end("ok", () => first.kill("SIGKILL")));
    tvl(800);
    const fired = await slack.first(tells("fired"));
    await first.ended;
    slack.answer((response) => response.end("ok"));
    const before = slack.received.length;
    place.runHere();
    await service.requests(4);
    const repeats = slack.received.slice(before).map(({ body }) => body);
    expect(repeats.length).toBeLessThanOrEqual(1);
    expect(new Set([fired.body, ...repeats]).size).toBe(1);
  });
});

describe.concurrent("a daemon that is told to stop", () => {
  it("while a poll and a send hang waits for neither, and ends with code 0", async (test) => {
    const { expect } = test;
    const { place, slack, service } = await makeAlertWorld(test, { timeout: "60s" });
    const daemon = place.run();
    slack.answer(() => {});
    await slack.first(tells("started"));
    service.answer(({ endpoint }) => (endpoint === "verify" ? null : () => {}));
    await service.requests(1);
    const asked = performance.now();
    daemon.kill("SIGTERM");
    expect(await daemon.ended).toMatchObject({ code: 0, signal: null });
    // Three seconds and what a busy machine adds to them; the poll would hang for a minute.
    expect(performance.now() - asked).toBeLessThan(30_000);
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
    // What was interrupted is owed: it comes after the next start, and is started only once.
    slack.answer((response) => response.end("ok"));
    service.answer(null);
    place.runHere();
    await slack.next();
    await service.requests(2);
    expect(slack.received.map(toldBy)).toEqual(["started", "started"]);
    expect(slack.received[1]?.body).toBe(slack.received[0]?.body);
  });

  const signals = [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const;
  it.runIf(WHOLE).for(signals)(
    "by a second %s ends at once with code %i",
    async ([signal, code], test) => {
      const { expect } = test;
      const { place, slack } = await makeAlertWorld(test);
      const daemon = place.run();
      slack.answer(() => {});
      await slack.first(tells("started"));
      daemon.kill(signal);
      await daemon.logLine(({ msg }) => msg === "stopping");
      daemon.kill(signal);
      const ended = await daemon.ended;
      // While one of its threads is at work the signal itself ends it, which a shell calls the same.
      expect(ended.signal === signal ? code : ended.code).toBe(code);
    },
  );
});

/** One line on standard error that names the database, and nothing else anywhere. */
function oneLine(database: string): RegExp {
  return new RegExp(`^tickwatch: [^\n]*${database}[^\n]*\n$`);
}

/** `run` in this process, which comes to an end before it asks or tells anything. */
const attempt = ({ config, env }: DaemonPlace): Promise<Ran> =>
  runTickwatch(["run", "--config", config], { env });

describe.concurrent("a database that cannot be used", () => {
  it("because another daemon has it ends the second one with code 4", async (test) => {
    const { expect } = test;
    const { place, slack, service } = await makeAlertWorld(test);
    const first = place.run();
    await slack.first(tells("started"));
    const end = await attempt(place);
    expect(end).toMatchObject({ code: 4, out: "" });
    expect(end.err).toMatch(oneLine(place.database));
    expect(end.err).toContain(`process ${first.pid}`);
    await service.requests(2);
    expect(first.log().filter(({ level }) => level === "error")).toEqual([]);
  });

  it.runIf(WHOLE)("because it is damaged is left as it is", async (test) => {
    const { expect } = test;
    const { place, slack } = await makeAlertWorld(test);
    const bytes = Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8_192, 0xa5)]);
    await writeFile(place.database, bytes);
    const end = await attempt(place);
    expect(end).toMatchObject({ code: 4, out: "" });
    expect(end.err).toMatch(oneLine(place.database));
    expect(bytes.equals(await readFile(place.database))).toBe(true);
    expect(slack.received).toEqual([]);
  });

  it.runIf(WHOLE)("because a newer version made it is left as it is", async (test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test);
    await (await openSqliteStore(place.database)).close();
    const db = new (await loadDriver())(place.database);
    db.pragma("user_version = 999");
    db.close();
    const bytes = await readFile(place.database);
    const end = await attempt(place);
    expect(end).toMatchObject({ code: 4, out: "" });
    expect(end.err).toMatch(oneLine(place.database));
    expect(bytes.equals(await readFile(place.database))).toBe(true);
  });

  it.runIf(WHOLE)("because its folder is not there says so", async (test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test, { databaseFolder: "/nowhere/at/all" });
    const end = await attempt(place);
    expect(end).toMatchObject({ code: 4, out: "" });
    expect(end.err).toMatch(oneLine(place.database));
  });
});
