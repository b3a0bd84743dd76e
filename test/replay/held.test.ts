import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import { loadTests } from "../../src/replay/load-tests.ts";
import { runCase } from "../../src/replay/run-case.ts";
import { createMemoryStore } from "../support/memory-store.ts";

const RULES = `rules:
  - name: v4
    watch: {kind: v4_position, chain: 1, owner: {id: "0x${"11".repeat(20)}", name: Treasury}}
    when: {metric: liquidity, below: 10}
  - name: v3
    watch: {kind: v3_position, chain: 1, owner: "0x${"22".repeat(20)}"}
    when: {metric: liquidity, below: 10}
  - name: gas
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
cases:
`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-held-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(one: string) {
  const file = join(folder, "held.test.yaml");
  await writeFile(file, `${RULES}  - {name: case, expect: [], until: 5m, ${one}}\n`);
  return await loadTests(file, { kinds: KINDS });
}

async function story(one: string): Promise<readonly string[]> {
  const { cases, problems } = await load(one);
  expect(problems).toEqual([]);
  const [test] = cases;
  if (test === undefined) throw new Error("no case");
  const { seen } = await runCase(test, { kinds: KINDS, createStore: createMemoryStore });
  return seen
    .filter(({ notice }) => notice.kind !== "started")
    .map(({ elapsed, notice }) => `${elapsed / 60_000} ${notice.kind} ${notice.subject}`);
}

async function faults(one: string): Promise<readonly string[]> {
  const { problems } = await load(one);
  return problems.map(({ message, code }) => `${message} [${code}]`);
}

describe("rules by owner in a rule test", () => {
  it("watch what owners hold, and tell of what comes and what leaves", async () => {
    const low = 'values: {"*": {liquidity: 5}}';
    expect(await story(`rule: [v4, v3], held: {Treasury: [42]}, ${low}`)).toEqual([
      "0 fired v4_position:1:dexa:42",
    ]);
    const steps = `steps: [{at: 2m, held: {Treasury: [43], "0x${"22".repeat(20)}": [7]}}]`;
    const told = await story(`rule: [v4, v3], held: {Treasury: [42]}, ${steps}, ${low}`);
    expect(told.toSorted()).toEqual(
      [
        "0 fired v4_position:1:dexa:42",
        "2 resolved v4_position:1:dexa:42",
        "2 changed v4_position:1:dexa:43",
        "2 changed v3_position:1:7",
        "3 fired v4_position:1:dexa:43",
        "3 fired v3_position:1:7",
      ].toSorted(),
    );
  });

  it("need it to be said what is held, by owners that they have", async () => {
    const high = 'values: {"*": {liquidity: 50}}';
    expect(await faults(`rule: v4, ${high}`)).toEqual([
      "held is missing: the case has a rule by owner [missing-key]",
    ]);
    expect(await faults(`rule: v4, held: {Somebody: [1]}, ${high}`)).toEqual([
      'no rule of the case is by the owner "Somebody" [unknown-subject]',
    ]);
    expect(await faults(`rule: v4, held: [x1], ${high}`)).toEqual([
      '"x1" is no id of a position [bad-id]',
    ]);
    expect(await faults("rule: gas, held: [1], values: {'*': {tip_top10: 5}}")).toEqual([
      "no rule of the case watches positions by owner [misplaced-key]",
    ]);
  });
});
