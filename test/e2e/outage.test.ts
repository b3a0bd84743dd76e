import { describe, it } from "vitest";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import { poolsOf, startScriptedService } from "../support/scripted-service.ts";

describe.concurrent("a service that is down", () => {
  it("at the start is waited for, and then watched as usual", async (test) => {
    const { expect } = test;
    const { place, service, slack } = await makeAlertWorld(test);
    const port = Number(new URL(service.baseUrl).port);
    await service.close();
    const daemon = place.run();
    await daemon.logLine(
      ({ msg, detail }) => msg.includes("API key") && detail === "connection refused",
    );
    await daemon.logLine(
      ({ msg, detail }) => !msg.includes("API key") && detail === "connection refused",
    );
    // Nothing fires for want of answers; what is watched is told once, and that it has no data.
    expect((await slack.first(tells("started"))).body).toContain("1 without data yet");
    const back = await startScriptedService(test, port);
    back.answer(({ endpoint, query }) =>
      endpoint === "pool" ? poolsOf(query, { tvl_usd: 800 }) : null,
    );
    await slack.first(tells("fired"));
    expect(slack.received.map(toldBy)).toEqual(["started", "fired"]);
  });

  it("in the middle loses no state", async (test) => {
    const { expect } = test;
    const { place, service, slack, tvl } = await makeAlertWorld(test);
    const port = Number(new URL(service.baseUrl).port);
    const daemon = place.run();
    await slack.first(tells("started"));
    tvl(800);
    await slack.first(tells("fired"));
    await service.close();
    await daemon.logLine(
      ({ level, detail }) => level === "warn" && detail === "connection refused",
    );
    const back = await startScriptedService(test, port);
    back.answer(({ endpoint, query }) =>
      endpoint === "pool" ? poolsOf(query, { tvl_usd: 800 }) : null,
    );
    await back.requests(2);
    back.answer(null);
    await slack.first(tells("resolved"));
    expect(slack.received.map(toldBy)).toEqual(["started", "fired", "resolved"]);
  });
});
