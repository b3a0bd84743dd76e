import { afterEach, describe, expect, it, vi } from "vitest";
import { daemonFiles } from "../cli/daemon-files.ts";
import { blocksOf, pageText } from "../support/page.ts";
import { failed, MINUTE, ok, poolRecord, World } from "../support/world.ts";

/** 30 November, 02:50 UTC. */
const BEGIN = Date.UTC(2026, 10, 30, 2, 50);
const CONFIG = `service: {base_url: "http://localhost:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
store: tickwatch.db
channels: {console: {kind: console}, slack: {kind: console}}
`;

/** The text of each question of the page. */
const QUESTIONS = new Map(
  (pageText("recipes.md").split(/^# Questions$/m)[1] ?? "")
    .split(/^### /m)
    .map((text) => [text.slice(0, text.indexOf("\n")), text]),
);

const SYMBOLS = ["USDC", "USDT"] as const;
const [token0, token1] = SYMBOLS.map((symbol, i) => {
  return { address: `0x${"a0".repeat(19)}a${i}`, symbol, name: symbol, decimals: 6, price: 1 };
});

/** The price by minute: off its peg from 03:07 on, but for 03:09; no answer from 03:30 on. */
function priceAt(date: number): number | null {
  const minute = (date - BEGIN) / MINUTE;
  if (minute >= 40) return null;
  if (minute < 17 || minute === 19) return 0.9962;
  return minute < 30 ? 0.9941 : 0.999;
}

afterEach(() => void vi.useRealTimers());

describe("the sessions of docs/recipes.md", () => {
  const files = daemonFiles(CONFIG, "");

  it.each(["Why did it not fire?", "Why did I get nothing?", "How do I make a test of it?"])(
    "%s is answered as the page shows",
    async (question) => {
      const text = QUESTIONS.get(question) ?? "";
      const [rules = ""] = blocksOf(QUESTIONS.get("Why did it not fire?") ?? "", "yaml");
      await files.write("rules.yaml", rules);
      const store = await files.open();
      const world = await World.create(rules, {
        store,
        start: BEGIN,
        answer: ({ id }, date) => {
          const price = priceAt(date);
          return price === null
            ? failed
            : ok(poolRecord({ pool_id: id, price0: price, chain_id: 137, token0, token1 }));
        },
      });
      await world.minutes(45);
      await world.stop();
      const due = BEGIN + 24 * MINUTE;
      for (let i = 0; i < 2; i += 1) {
        for (const channel of ["console", "slack"]) {
          const claim = await store.claim(channel, due);
          if (claim.kind !== "notices") continue;
          const [notice] = claim.notices;
          const id = `${channel === "slack" ? "5" : "c"}${i}f0a1b2c3d4e5f60718293a`;
          await store.freeze({ id, channel, notices: [notice.id], body: "x", attempts: 1 }, due);
          if (channel === "slack" && i === 1) {
            for (const [at, until] of [
              [1, 3],
              [3, 7],
              [7, 15],
            ] as const) {
              const error = "answered 503: service unavailable";
              await store.settle(id, {
                status: "waiting",
                at: due + at * 1_000,
                until: due + until * 1_000,
                error,
              });
            }
          } else await store.settle(id, { status: "sent", at: due + 1_000 });
        }
      }
      vi.useFakeTimers({ toFake: ["Date"], now: BEGIN + 45 * MINUTE });
      const sessions = blocksOf(text, "console");
      expect(sessions.length).toBeGreaterThan(0);
      for (const session of sessions) {
        const shown: string[] = [];
        for (const [, command = ""] of session.matchAll(/^\$ tickwatch (.+)$/gm)) {
          const args = command.match(/"[^"]*"|\S+/g) ?? [];
          const { out, err } = await files.run(...args.map((one) => one.replaceAll('"', "")));
          // The page has no folder of a test in it.
          const page = `${out}${err}`.replaceAll(
            /"?[./\w-]*tickwatch-cli-\w+\/rules\.yaml"?/g,
            "rules.yaml",
          );
          shown.push(`$ tickwatch ${command}\n${page}`);
        }
        const plain = (lines: string): string => lines.replaceAll(/ +$/gm, "").trimEnd();
        expect(plain(shown.join("\n"))).toBe(plain(session));
      }
    },
  );
});
