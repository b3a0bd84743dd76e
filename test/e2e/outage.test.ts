import { describe, it } from "vitest";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import {
  poolsOf,
  type ScriptedService,
  startScriptedService,
} from "../support/scripted-service.ts";

describe("a service that is down", () => {
  it("is waited for at the start, and loses no state in the middle", async (test) => {
    const { expect } = test;
    const { place, service, slack } = await makeAlertWorld(test);
    const port = Number(new URL(service.baseUrl).port);
    const comesBack = async (usd: number): Promise<ScriptedService> => {
      const back = await startScriptedService(test, port);
      back.answer(({ endpoint, query }) =>
        endpoint === "pool" ? poolsOf(query, { tvl_usd: usd }) : null,
      );
      return back;
    };
    await service.close();
    const daemon = place.runHere();
    await daemon.logLine(
      ({ msg, detail }) => msg.includes("API key") && detail === "connection refused",
    );
    await daemon.logLine(
      ({ msg, detail }) => !msg.includes("API key") && detail === "connection refused",
    );
    // Nothing fires for want of answers; what is watched is told once, and that it has no data.
    expect((await slack.first(tells("started"))).body).toContain("1 without data yet");
    const first = await comesBack(800);
    await slack.first(tells("fired"));
    expect(slack.received.map(toldBy)).toEqual(["started", "fired"]);

    const before = daemon.log().length;
    await first.close();
    await daemon.logLine(
      (line) =>
        line.level === "warn" &&
        line.detail === "connection refused" &&
        daemon
          .log()
          .slice(before)
          .some(({ time }) => time === line.time),
    );
    const again = await comesBack(800);
    await again.requests(2);
    again.answer(null);
    await slack.first(tells("resolved"));
    expect(slack.received.map(toldBy)).toEqual(["started", "fired", "resolved"]);
  });
});
