import { afterEach, describe, expect, it } from "vitest";
import { MINUTE } from "../../src/base/duration.ts";
import { createMemory } from "../../src/commit/load.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { PlanCache } from "../../src/poll/plan.ts";
import { NOTHING_LOADED } from "../../src/store/store.ts";
import { setupOf } from "../support/world-setup.ts";

const setup = setupOf(`
rules:
  - {name: gas, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}
  - name: pool
    watch: {kind: v4_pool, chain: 1, pools: ["0x${"ab".repeat(32)}"]}
    when: {metric: tvl_usd, below: 900}
  - {name: other, watch: {kind: gas, chain: 137}, when: {metric: tip_top10, above: 5 gwei}}
`);
const MIDNIGHT = Date.UTC(2026, 10, 29);

describe("the plans of rounds", () => {
  const source = createHttpSource({ ...setup.service, log: () => {}, warn: () => {} });
  afterEach(() => source.close());

  const { rules, facts } = createMemory(setup.rules, KINDS, () => "1", NOTHING_LOADED);
  const [gas, pool, other] = rules;
  if (gas === undefined || pool === undefined || other === undefined) throw new Error("no rules");
  for (const [index, rule] of [gas, other, pool].entries()) rule.group = index === 2 ? 1 : 0;

  it("are kept for the same rules, and with them their list of names", () => {
    const plans = new PlanCache(source, facts);
    const both = plans.plan([gas, other], MIDNIGHT);
    const one = plans.plan([gas], MIDNIGHT);
    expect(both.names).toEqual(["gas", "other"]);
    expect(one.works).toHaveLength(1);
    expect(plans.plan([gas, other], MIDNIGHT + MINUTE)).toBe(both);
    expect(plans.plan([gas], MIDNIGHT + MINUTE)).toBe(one);
    plans.forget([gas]);
    expect(plans.plan([gas, other], MIDNIGHT + MINUTE)).not.toBe(both);
  });

  it("are made anew on the next day where that is asked for, and only there", () => {
    const plans = new PlanCache(source, facts);
    const [today, kept] = [[gas], [pool]].map((of) => plans.plan(of, MIDNIGHT - MINUTE));
    const tomorrow = plans.plan([gas], MIDNIGHT);
    expect(today?.requests.flatMap(({ request }) => request.asks)).toMatchObject([
      { from: "2026-11-27", to: "2026-11-29" },
    ]);
    expect(tomorrow.requests.flatMap(({ request }) => request.asks)).toMatchObject([
      { from: "2026-11-28", to: "2026-11-30" },
    ]);
    expect(plans.plan([pool], MIDNIGHT)).toBe(kept);
    expect(plans.plan([gas], MIDNIGHT - MINUTE)).not.toBe(tomorrow);
  });
});
