import { afterEach, describe, expect, it } from "vitest";
import { closeAll } from "../fetch/families.ts";
import { Service, TOKEN, TREASURY, worldOf } from "../support/two-families.ts";

afterEach(closeAll);

describe("a round", () => {
  const HOLDERS = `{kind: holders, chain: 56, token: "${TOKEN}", top: 1}`;
  const twice = (paths: readonly string[]): string[] =>
    paths.filter((path, i) => paths.indexOf(path) !== i);

  it.for([
    { rules: [HOLDERS], bases: "earlier" },
    { rules: [HOLDERS], bases: "both" },
    { rules: [HOLDERS.replace("56", "1")], bases: "both" },
    { rules: [HOLDERS, `{kind: token_info, chain: 56, token: "${TOKEN}"}`], bases: "both" },
    {
      rules: [
        HOLDERS,
        `{kind: token_info, chain: 56, token: "${TOKEN}"}`,
        `{kind: token_balance, chain: 56, token: "${TOKEN}", wallet: "${TREASURY}"}`,
        `{kind: token_price, chain: 56, token: "${TOKEN}"}`,
      ],
      bases: "both",
    },
  ] as const)("of $rules with $bases sends no request twice", async ({ rules, bases }) => {
    const service = new Service();
    service.holders = { current: () => [[TREASURY, 900]], earlier: () => [[TREASURY, 900]] };
    // The current family never knows the supply, which is asked for at the other one in the same round.
    service.supply.current = () => undefined;
    const metrics: Record<string, string> = {
      holders: "{metric: top_share, above: 1}",
      token_info: "{metric: total_supply, below: 1 tokens}",
      token_balance: "{metric: balance, below: 1 tokens}",
      token_price: "{metric: price_usd, below: 1}",
    };
    const world = await worldOf(
      service,
      `rules:\n${rules
        .map((rule, i) => {
          const when = metrics[/kind: (\w+)/.exec(rule)?.[1] ?? ""];
          return `  - {name: rule-${i}, watch: ${rule}, when: ${when}, schedule: 1m}\n`;
        })
        .join("")}`,
      bases,
    );
    for (let minute = 0; minute < 12; minute += 1) {
      service.paths.length = 0;
      await world.minutes(1);
      expect(twice(service.paths)).toEqual([]);
    }
    await world.stop();
  });
});
