import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { replay } from "../../src/cli/backtest-run.ts";
import { openRecorded } from "../../src/store/operator-db/recorded.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { ok, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const HOUR = 3_600_000;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-backtest-run-"));
});
afterAll(() => rm(folder, { recursive: true }));

const rulesOf = (keys: string): string => `rules:
  - {name: tips, watch: {kind: gas, chain: 1}, schedule: 30m, ${keys}}
  - {name: busy, watch: {kind: gas, chain: 1}, schedule: 30m, when: {metric: tx_count, above: 5}, notify: []}
`;

/** What a daemon records of 60 hours with these tips; from the 45th to the 57th there are many transactions. */
async function recordedOf(gwei: (hour: number) => number): Promise<string> {
  const path = join(folder, "tips.db");
  const store = await openSqliteStore(path);
  const world = await World.create(rulesOf("when: {metric: tip_top10, above: 1000 gwei}"), {
    store,
    answer: (_ask, date) => {
      const newest = Math.floor((date - START) / HOUR) - 1;
      const hours = [newest - 1, newest].map((hour) => ({
        hour: new Date(START + hour * HOUR).toISOString(),
        block_count: 1,
        tx_count: hour >= 45 && hour < 58 ? "9" : "1",
        avg_priority_fee_top10_threshold: String(gwei(hour) * 1e9),
      }));
      return ok(...hours);
    },
  });
  await world.run(60 * HOUR);
  await world.stop();
  await store.close();
  return path;
}

/** What a backtest tells that begins at an hour, by hours. */
async function toldOf(path: string, keys: string, fromHour: number): Promise<readonly string[]> {
  const setup = setupOf(rulesOf(keys));
  const recorded = await openRecorded(path);
  const { worlds } = await replay({
    worlds: [setup.rules],
    from: START + fromHour * HOUR,
    to: START + 60 * HOUR,
    setup,
    recorded,
    told: {
      histories: new Map(),
      facts: new Map(),
      lists: new Map(),
      untold: new Map(),
      failures: [],
    },
    onDate: () => {},
    stop: new AbortController().signal,
  });
  recorded?.close();
  return (worlds[0]?.result.notices ?? []).map(
    ({ notice }) => `${(notice.at - START) / HOUR} ${notice.kind}`,
  );
}

it("counts the hours before its start for which a condition held while a gate was closed", async () => {
  const path = await recordedOf((hour) => (hour >= 4 && hour <= 50 ? 9 : 3));
  const keys = "when: {metric: tip_top10, above: 5 gwei}, for: 20h, only_while: busy";
  const told = ["46 fired", "52 resolved"];
  expect(await toldOf(path, keys, 1)).toEqual(told);
  expect(await toldOf(path, keys, 40)).toEqual(told);
});
