import { describe, it } from "vitest";
import { loadDriver } from "../../src/store/sqlite/driver.ts";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";

describe.concurrent("a daemon whose database another program holds", () => {
  it("ends in time while receivers hang, and says with its code what is lost", async (test) => {
    const { expect } = test;
    const { place, slack, service, tvl } = await makeAlertWorld(test, { timeout: "60s" });
    const daemon = place.run();
    await slack.first(tells("started"));
    await daemon.logLine(({ channel, msg }) => channel === "slack" && msg.includes("delivered"));
    slack.answer(() => {});
    const driver = await loadDriver();
    const other = new driver(place.database);
    test.onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    tvl(800);
    // The alert, or first that the database cannot be written, if a round before it was about to be.
    await slack.first((one) => toldBy(one) !== "started");
    await service.requests(1);
    const asked = performance.now();
    daemon.kill("SIGTERM");
    const { code, err } = await daemon.ended;
    // Less than five seconds and what a busy machine adds to them; the poll would hang for a minute.
    expect(performance.now() - asked).toBeLessThan(30_000);
    expect(code).toBe(4);
    expect(err).toMatch(/^tickwatch: .*what was kept in memory is lost$/m);
  });

  it("ends with code 0 once the other is done, and has lost nothing", async (test) => {
    const { expect } = test;
    const { place, slack, tvl } = await makeAlertWorld(test);
    const daemon = place.runHere();
    await slack.first(tells("started"));
    const driver = await loadDriver();
    const other = new driver(place.database);
    test.onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    tvl(800);
    await slack.first(tells("fired"));
    other.exec("COMMIT");
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    const { count } = other
      .prepare<[], { count: number }>("SELECT count(*) AS count FROM notices WHERE kind = 'fired'")
      .get() ?? { count: 0 };
    expect(count).toBe(1);
  });
});
