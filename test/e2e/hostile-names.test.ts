import { describe, it } from "vitest";
import { ETH, poolRecord, USDC } from "../kinds/records.ts";
import { firstLine, makeAlertWorld, toldBy } from "../support/alert-world.ts";
import { HOSTILE } from "../support/notices.ts";

const POOLS = HOSTILE.map((_, index) => `0x${index.toString(16).padStart(64, "0")}`);

const RULES = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOLS.join(", ")}]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1s
`;

/** Control and format characters, and a piece that Slack would read as a mention or a link. */
const HARMFUL = /[\p{Cc}\p{Cf}\u2028\u2029]|<(?!https:\/\/[\w./]+\|Block explorer>)/u;

/** Every text of a Slack payload. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** What a reader sees of Slack's escapes. */
function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp);/g, "*");
}

describe("a chain whose tokens have hostile names", () => {
  it("is told of harmlessly on Slack, on the terminal and in the log", async (test) => {
    const { expect } = test;
    const { service, slack, place } = await makeAlertWorld(test, { rules: RULES });
    const answer = (usd: number): void =>
      service.answer(({ endpoint, query }) =>
        endpoint === "pool"
          ? query.getAll("pool_ids").map((id) => {
              const text = HOSTILE[POOLS.indexOf(id)];
              const token0 = { ...ETH, symbol: text, name: text };
              return poolRecord({
                pool_id: id,
                tvl_usd: usd,
                token0,
                token1: { ...USDC, symbol: text },
              });
            })
          : null,
      );
    answer(1_000);
    const daemon = place.runHere();
    await slack.first((one) => toldBy(one) === "started");
    answer(800);
    // The last of them, in the order in which they were made.
    await slack.first(() => slack.received.length > POOLS.length);
    const told = slack.received.map(toldBy);
    expect(told).toEqual(["started", ...POOLS.map(() => "fired")]);
    for (const one of slack.received) {
      expect([...unescaped(firstLine(one))].length).toBeLessThanOrEqual(80);
      expect(one.body.length).toBeLessThan(4_000);
      for (const text of textsIn(JSON.parse(one.body))) {
        expect(text.replace(/^```\n|\n/g, "")).not.toMatch(HARMFUL);
      }
    }
    daemon.kill("SIGTERM");
    const { out, err, code } = await daemon.ended;
    expect(code).toBe(0);
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    // A busy machine may not be done with a round when the next one is due.
    const troubles = daemon
      .log()
      .filter(
        ({ level, msg }) => /^(?:warn|error)$/.test(level) && !msg.startsWith("round skipped"),
      );
    expect(troubles).toEqual([]);
  });
});
