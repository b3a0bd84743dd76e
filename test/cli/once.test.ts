import { existsSync } from "node:fs";
import { describe, it } from "vitest";
import { POOL_ID, poolRecord } from "../kinds/records.ts";
import { type DaemonPlace, makePlace } from "../support/daemon-place.ts";
import { type Owner, startHere } from "../support/program.ts";
import {
  type ScriptedService,
  sendJson,
  startScriptedService,
} from "../support/scripted-service.ts";
import { type Ran, runTickwatch } from "./test-command.ts";

const RULES = `
rules:
  - name: small
    watch:
      kind: v4_pool
      pools:
        - {id: "${POOL_ID}", chain: base, name: On Base}
        - {id: "${POOL_ID}", chain: ethereum}
    when: {metric: tvl_usd, below: 900 usd}
  - name: tip
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 5 gwei}
`;

async function makeWorld(owner: Owner): Promise<{ service: ScriptedService; place: DaemonPlace }> {
  const service = await startScriptedService(owner);
  const place = await makePlace(owner, {
    serviceUrl: service.baseUrl,
    slackUrl: "http://127.0.0.1:10009/services/none",
    rules: RULES,
  });
  const ethereum = [poolRecord({ tvl_usd: 17_310_098.44 })];
  const base = [poolRecord({ chain_id: 8453, tvl_usd: 899.5 })];
  // The chain that the rule names first is answered last.
  let done = (): void => {};
  const answered = new Promise<void>((resolve) => {
    done = resolve;
  });
  service.answer(({ endpoint, query }) => {
    if (endpoint !== "pool") return null;
    if (query.get("chain_id") !== "1") {
      return (response) => void answered.then(() => sendJson(response, 200, base));
    }
    return (response) => {
      response.on("finish", done);
      sendJson(response, 200, ethereum);
    };
  });
  return { service, place };
}

function once({ config, env }: DaemonPlace, ...more: string[]): Promise<Ran> {
  return runTickwatch(["once", "--config", config, ...more], { env });
}

describe.concurrent("once", () => {
  it("shows each subject of each rule, in their order, and ends with 0", async (test) => {
    const { expect } = test;
    const { place } = await makeWorld(test);
    const end = await once(place);
    expect(end).toMatchObject({ code: 0, err: "" });
    const rows = end.out.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows.slice(0, 4)).toEqual([
      ["rule", "subject", "metric", "value", "state"],
      ["small", "On Base", "tvl_usd", "$899.50", "firing"],
      ["small", "ETH/USDC 0.05%", "tvl_usd", "$17.3M", "ok"],
      ["tip", "Ethereum", "tip_top10", "2.1 gwei", "ok"],
    ]);
    expect(end.out).toMatch(/\n\n3 subjects, [34] requests, \d+ ms\n$/);
  });

  it("gives programs exact values", async (test) => {
    const { expect } = test;
    const { place } = await makeWorld(test);
    const end = await once(place, "--json");
    expect(end).toMatchObject({ code: 0, err: "" });
    const report = JSON.parse(end.out) as { at: string; alerts: unknown[]; round: object };
    expect(report.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect(report.alerts).toMatchObject([
      { rule: "small", subject: `v4_pool:8453:${POOL_ID}`, value: "899.5", state: "firing" },
      { rule: "small", name: "ETH/USDC 0.05%", value: "17310098.44", state: "ok", trouble: null },
      { rule: "tip", subject: "gas:1", metric: "tip_top10", value: "2100000000", state: "ok" },
    ]);
    expect(report.round).toMatchObject({ subjects: 3, failed: 0, failures: {} });
  });

  it("shows what could be had and why the rest could not, and ends with 1", async (test) => {
    const { expect } = test;
    const { place, service } = await makeWorld(test);
    service.answer(({ endpoint }) =>
      endpoint === "pool" ? (response) => sendJson(response, 500, { error: "boom" }) : null,
    );
    const end = await once(place);
    expect(end).toMatchObject({ code: 1, err: "" });
    expect(end.out).toMatch(/On Base +no data: answered 500: boom\n/);
    expect(end.out).toMatch(/tip_top10 +2\.1 gwei +ok\n/);
    expect(end.out).toMatch(/2 records could not be fetched: answered 500: boom\n$/);
    const json = await once(place, "--json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ round: { failed: 2 } });
  });

  it("makes no database and tells nobody", async (test) => {
    const { expect } = test;
    const { place } = await makeWorld(test);
    await once(place);
    expect(existsSync(place.database)).toBe(false);
  });

  it("that is interrupted before it asks asks nothing", async (test) => {
    const { expect } = test;
    const { place, service } = await makeWorld(test);
    const stop = AbortSignal.abort();
    const ran = await runTickwatch(["once", "--config", place.config], { env: place.env, stop });
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toMatch(/^tickwatch: stopped before [^\n]+\n$/);
    expect(service.asked).toEqual([]);
  });

  it("that is interrupted says so and ends with 1", async (test) => {
    const { expect } = test;
    const { place, service } = await makeWorld(test);
    service.answer(() => () => {});
    const program = startHere(test, ["once", "--config", place.config], { env: place.env });
    await service.requests(1);
    program.kill("SIGINT");
    const end = await program.ended;
    expect(end).toMatchObject({ code: 1, out: "" });
    expect(end.err).toMatch(/^tickwatch: stopped before [^\n]+\n$/);
  });
});
