import { writeFile } from "node:fs/promises";
import { describe, it } from "vitest";
import { POOL_ID } from "../kinds/records.ts";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import { startReceiver } from "../support/receiver.ts";
import { poolsOf } from "../support/scripted-service.ts";
import { WHOLE } from "../support/tier.ts";

/** Far longer than what is measured, so that nobody waited for it. */
const HANGS = "60s";

const CHAINS = [1, 137, 143, 13371, 43114, 747474];
const TIP = `{name: tip, watch: {kind: gas, chain: [${CHAINS.join()}]}, when: {metric: tip_top10, above: 0 wei}, schedule: 1s}`;
const SUPPLY = `{name: supply, watch: {kind: token_supply, chain: [${CHAINS.join()}], token: "0x${"ab".repeat(20)}", decimals: 6}, when: {metric: total_supply, above: 1 tokens}, schedule: 1s}`;

describe.concurrent("what hangs holds up nobody else", () => {
  // Each takes most of a minute, for a start waits so long for its first answers.
  it.runIf(WHOLE).for([
    { hanging: ["gas"], rules: [TIP] },
    { hanging: ["gas", "supply"], rules: [TIP, SUPPLY] },
  ])(
    "$hanging: rules on other endpoints are polled every second, start and fire",
    async ({ hanging, rules }, test) => {
      const { expect } = test;
      const { place, service, slack } = await makeAlertWorld(test, {
        timeout: HANGS,
        rules: `
rules:
${rules.map((rule) => `  - ${rule}\n`).join("")}  - {name: tvl-low, watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}, when: {metric: tvl_usd, below: 900 usd}, schedule: 1s}
`,
      });
      let usd = 1_000;
      service.answer(({ endpoint, query }) =>
        hanging.includes(endpoint)
          ? () => {}
          : endpoint === "pool"
            ? poolsOf(query, { tvl_usd: usd })
            : null,
      );
      const daemon = place.runHere();
      await slack.first(tells("started"));
      usd = 800;
      await slack.first(tells("fired"));
      usd = 1_000;
      await slack.first(tells("resolved"));
      expect(slack.received.map(toldBy)).toEqual(["started", "fired", "resolved"]);
      const asked = service.asked.filter(({ endpoint }) => hanging.includes(endpoint)).length;
      // Those that hang are not asked again before they have answered.
      expect(asked).toBeLessThanOrEqual(6 * hanging.length);
      daemon.kill("SIGTERM");
      expect((await daemon.ended).code).toBe(0);
    },
  );

  // In real time, with seconds to spare for a busy machine.
  it.runIf(WHOLE)("positions: rules on the pools that both ask for miss no round", async (test) => {
    const { expect } = test;
    const { place, service, slack } = await makeAlertWorld(test, {
      timeout: "7s",
      rules: `
rules:
  - {name: range, watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}, when: {metric: in_range, equals: false}, schedule: 20s, for: 1m, resolve_after: 1m}
  - {name: tvl-low, watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}, when: {metric: tvl_usd, below: 900 usd}, schedule: 20s}
`,
    });
    service.answer(({ endpoint, query }) =>
      endpoint === "position" ? () => {} : endpoint === "pool" ? poolsOf(query, {}) : null,
    );
    const daemon = place.runHere();
    await slack.first(tells("started"));
    // A third try of the position would end after the next round is due.
    await service.requests(2, ({ endpoint }) => endpoint === "pool");
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    const said = daemon.log().map(({ msg }) => msg);
    expect(said).toContain("watching");
    expect(said.filter((msg) => msg.includes("skipped"))).toEqual([]);
  });

  it("a channel: others are told at once", async (test) => {
    const { expect } = test;
    const { place, service, slack, tvl } = await makeAlertWorld(test);
    const hanging = await startReceiver();
    test.onTestFinished(() => hanging.close());
    hanging.answer(() => {});
    await writeFile(
      place.config,
      `
service: {base_url: "${service.baseUrl}", api_key: key_0123456789, requests_per_second: 100}
rules: [rules.yaml]
store: ${place.database}
group_wait: 0s
channels:
  dead: {kind: webhook, url: "${hanging.origin}/hook"}
  slack: {kind: slack, url: "${slack.origin}/services/T0TEAM/B0HOOK/Zx9SecretTail"}
`,
    );
    const daemon = place.runHere();
    await slack.first(tells("started"));
    tvl(800);
    await slack.first(tells("fired"));
    tvl(1_000);
    await slack.first(tells("resolved"));
    expect(slack.received.map(toldBy)).toEqual(["started", "fired", "resolved"]);
    // One send, and it has not ended.
    expect(hanging.received).toHaveLength(1);
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});
