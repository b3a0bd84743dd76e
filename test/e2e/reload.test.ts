import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, it } from "vitest";
import type { Overview } from "../../src/web/api/schemas/overview.ts";
import { runTickwatch } from "../cli/test-command.ts";
import { POOL_ID } from "../kinds/records.ts";
import { firstLine, makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import type { Program } from "../support/program.ts";
import type { Received } from "../support/receiver.ts";
import { WHOLE } from "../support/tier.ts";

const rule = (name: string, below: number): string =>
  `  - {name: ${name}, watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}, when: {metric: tvl_usd, below: ${below} usd}, schedule: 1s}\n`;

const fires =
  (name: string) =>
  (one: Received): boolean =>
    toldBy(one) === "fired" && one.body.includes(name);

const reloaded = (daemon: Program) =>
  daemon.logLine(({ msg }) => msg === "the configuration was reloaded");

describe.concurrent("a daemon whose files are edited", () => {
  it("loads them by itself, keeps an alert that fires, and tells of what is gone", async (test) => {
    const { expect } = test;
    const { place, slack, service, tvl } = await makeAlertWorld(test);
    tvl(800);
    const daemon = place.run();
    await slack.first(tells("fired"));
    // As an editor saves it.
    await writeFile(
      join(place.folder, ".rules.yaml.swp"),
      `rules:\n${rule("tvl-low", 900)}${rule("deep", 850)}`,
    );
    await rename(join(place.folder, ".rules.yaml.swp"), join(place.folder, "rules.yaml"));
    await slack.first(fires("deep"));
    await place.writeRules(`rules:\n${rule("deep", 850)}`);
    await slack.first((one) => firstLine(one).includes("No longer watched"));
    await service.requests(3);
    expect(slack.received.filter(fires("tvl-low"))).toHaveLength(1);
    expect(slack.received.filter(fires("deep"))).toHaveLength(1);
    // Killed as it begins to load, or before: the whole pass has other moments.
    await place.writeRules(`rules:\n${rule("deep", 850)}${rule("more", 700)}`);
    daemon.kill("SIGHUP");
    daemon.kill("SIGKILL");
    await daemon.ended;
    const next = place.runHere();
    await next.logLine(({ msg }) => msg === "watching");
    await service.requests(2);
    tvl(1_000);
    await slack.first(tells("resolved"));
    const bodies = slack.received.filter(fires("deep")).map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    expect(slack.received.filter(tells("resolved"))).toHaveLength(1);
    next.kill("SIGTERM");
    expect((await next.ended).code).toBe(0);
  });

  it("loads them when `tickwatch reload` says so, and says what came of it", async (test) => {
    const { expect } = test;
    const { place, slack } = await makeAlertWorld(test);
    await appendFile(place.config, 'reload: signal\nweb: {listen: "127.0.0.1:0"}\n');
    const daemon = place.run();
    const { url } = await daemon.logLine(({ msg }) =>
      msg.includes("metrics and health are served"),
    );
    await slack.first(tells("started"));
    // The page is there, and the start told, before it can be asked to reload.
    await daemon.logLine(({ msg }) => msg === "watching");
    // A terminal that is closed does not end it.
    daemon.kill("SIGHUP");
    await daemon.logLine(
      ({ level, msg }) => level === "info" && msg.startsWith("the configuration was read again"),
    );
    const reload = () => runTickwatch(["reload", "--config", place.config], { env: place.env });
    await place.writeRules(`rules:\n${rule("tvl-low", 800)}${rule("more", 700)}`);
    const first = await reload();
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toBe("reloaded\n  rules added: more\n  rules changed: tvl-low\n");
    await place.writeRules("rules:\n  - {name: tvl-low}\n");
    const second = await reload();
    expect(second.code).toBe(2);
    expect(second.err).toContain("rules.yaml:2:");
    expect(second.err).toContain("The configuration from before stays in force.");
    const status = await runTickwatch(["status", "--config", place.config], { env: place.env });
    expect(status.out).toContain("edited configuration not loaded");
    const faults = async (): Promise<string> => {
      const answer = await fetch(new URL("/api/v1/overview", String(url)));
      return JSON.stringify(((await answer.json()) as Overview).watch.faults);
    };
    await expect.poll(faults).toContain("Edited files are not loaded: ");
    expect(await faults()).toContain("rules.yaml:2:");
    daemon.kill("SIGTERM");
    await daemon.ended;
    if (!WHOLE) return;
    // Without a daemon nobody answers, and what was asked for is taken back.
    const asked = reload();
    const restarted = delay(1_000)
      .then(() => place.writeRules(`rules:\n${rule("more", 700)}`))
      .then(() => place.run());
    expect((await asked).code).toBe(0);
    await restarted;
  });

  it.runIf(WHOLE)(
    "delivers to another address under the same name after SIGHUP, what is queued as well",
    async (test) => {
      const { expect } = test;
      const { place, slack, tvl } = await makeAlertWorld(test);
      slack.answer((response) => response.writeHead(404).end());
      const daemon = place.run();
      await slack.first(tells("started"));
      tvl(800);
      await daemon.logLine(({ channel, msg }) => channel === "slack" && msg.includes("rejecting"));
      slack.answer((response) => response.end("ok"));
      const text = await readFile(place.config, "utf8");
      const url = `${slack.origin}/services/T0TEAM/B0HOOK/AnotherTail`;
      await writeFile(place.config, text.replace('"${env:SLACK_URL}"', url));
      daemon.kill("SIGHUP");
      await reloaded(daemon);
      const fired = await slack.first(
        (one) => toldBy(one) === "fired" && one.path.endsWith("AnotherTail"),
      );
      expect(fired).toBeDefined();
      daemon.kill("SIGTERM");
      expect((await daemon.ended).code).toBe(0);
      expect(daemon.err()).not.toContain("AnotherTail");
    },
  );

  it.runIf(WHOLE)(
    "and that is killed while it loads them goes on as one that was not",
    async (test) => {
      const { expect } = test;
      const { place, slack, service, tvl } = await makeAlertWorld(test);
      tvl(800);
      let daemon = place.run();
      await slack.first(tells("fired"));
      for (let kill = 0; kill < 20; kill += 1) {
        const extra = kill % 2 === 0 ? rule("extra", 100 + kill) : rule("other", 100 + kill);
        await place.writeRules(`rules:\n${rule("tvl-low", 900)}${extra}`);
        daemon.kill("SIGHUP");
        // Anywhere from before it begins until after it is over.
        await delay(kill * 3);
        daemon.kill("SIGKILL");
        await daemon.ended;
        daemon = place.run();
        await daemon.logLine(({ msg }) => msg === "watching");
        await service.requests(1);
      }
      tvl(1_000);
      await slack.first(tells("resolved"));
      await service.requests(2);
      // What Slack has taken and a kill kept from being written down comes once more, the same.
      const bodies = (fits: (one: Received) => boolean): Set<string> =>
        new Set(slack.received.filter(fits).map(({ body }) => body));
      expect(bodies(fires("tvl-low")).size).toBe(1);
      expect(bodies(tells("resolved")).size).toBe(1);
      const status = await runTickwatch(["status", "--json", "--config", place.config], {
        env: place.env,
      });
      const { rules } = JSON.parse(status.out) as { rules: { rule: string }[] };
      expect(rules.map((one) => one.rule)).toEqual(["other", "tvl-low"]);
      daemon.kill("SIGTERM");
      expect((await daemon.ended).code).toBe(0);
    },
  );
});
