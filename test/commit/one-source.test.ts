import { afterEach, describe, expect, it } from "vitest";
import type { Source } from "../../src/fetch/source.ts";
import type { Family, RawRecord } from "../../src/model/index.ts";
import { closeAll, isEarlier, open, searchOf, sourceAt } from "../fetch/families.ts";
import type { FaultServer } from "../fetch/fault-server.ts";
import { json } from "../fetch/fault-server.ts";
import { failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

afterEach(closeAll);

const TOKEN = `0x${"aa".repeat(20)}`;
const WALLETS = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}`);
const [TREASURY = "", ESCROW = ""] = WALLETS;

/** Two families that need not agree, at one address or at two; a test says what each of them answers. */
class Service {
  /** Balances in whole tokens of six decimals; null: 503; undefined: the wallet is not known. */
  readonly balances: Record<Family, (wallet: string) => number | null | undefined> = {
    current: () => 5_200_000,
    earlier: () => 3_900_000,
  };
  holders: Record<Family, () => readonly [wallet: string, tokens: number][] | null> = {
    current: () => [],
    earlier: () => [],
  };
  supply: Record<Family, () => number | null | undefined> = {
    current: () => 1_000,
    earlier: () => 1_000,
  };
  pool: () => RawRecord = () => poolRecord();
  hours: (now: string) => RawRecord[] = () => [];
  readonly paths: string[] = [];

  async open(): Promise<FaultServer> {
    return await open((request, response) => {
      const { url = "" } = request;
      this.paths.push(url.replace(/[?&]apikey=[^&]*/, ""));
      const family = isEarlier(request) ? "earlier" : "current";
      const search = searchOf(request);
      const answer = this.#answer(family, url, search);
      if (answer === null) json(response, { error: "not now" }, 503);
      else if (answer === undefined) json(response, { error: "not served" }, 404);
      else json(response, answer);
    });
  }

  #answer(family: Family, url: string, search: URLSearchParams): unknown {
    const token = search.get("token") ?? search.get("address") ?? "";
    const chain = Number(search.get("chain_id") ?? search.get("chainid"));
    const of = { token_address: token, chain_id: chain };
    const raw = (tokens: number): string => `${tokens}000000`;
    if (url.includes("/balance?")) {
      const wallets = search.get("wallet") ?? search.get("wallets") ?? "";
      const records: RawRecord[] = [];
      for (const wallet of wallets.split(",")) {
        const tokens = this.balances[family](wallet);
        if (tokens === null) return null;
        if (tokens !== undefined) records.push({ wallet_address: wallet, balance: raw(tokens) });
      }
      if (family === "earlier") return { ...of, balances: records };
      return records.map((record) => ({ ...of, ...record }));
    }
    if (url.includes("/dexv4/pool")) return [this.pool()];
    if (url.includes("/gas/")) return this.hours(search.get("to") ?? "");
    if (url.includes("/holders")) {
      const list = this.holders[family]();
      if (list === null) return null;
      const records = list.map(([wallet_address, tokens]) => ({
        wallet_address,
        balance: raw(tokens),
      }));
      return family === "earlier"
        ? { ...of, total_holders: list.length, holders: records }
        : records.map((record) => ({ ...of, ...record }));
    }
    if (url.includes("/supply?") || url.includes("/tokens/info")) {
      if (family === "current" && chain !== 1) return undefined;
      const tokens = this.supply[family]();
      if (tokens === null || tokens === undefined) return tokens;
      const record = { ...of, total_supply: raw(tokens) };
      return family === "earlier" ? { ...record, symbol: "T", decimals: 6 } : [record];
    }
    return undefined;
  }
}

const watch = (wallets: readonly string[]): string =>
  `{kind: token_balance, chain: 1, token: "${TOKEN}", wallet: [${wallets.map((w) => `"${w}"`).join(", ")}], decimals: 6}`;

/** So many tokens of one wallet are one request to the current family, and two to the earlier one. */
const TWO_TOKENS = `{kind: token_balance, chain: 1, token: ["${TOKEN}", "0x${"bb".repeat(20)}"], wallet: "${TREASURY}", decimals: 6}`;

/** Rules whose rounds need other requests each: the family that needs the fewest is not the same. */
const TWO_RULES = `
rules:
  - {name: treasury-low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 4M tokens}, schedule: 1m, notify: [slack]}
  - {name: escrow-moved, watch: ${watch(WALLETS)}, when: {metric: balance, moves: 1M tokens, since: 30m}, schedule: 5m, notify: [slack]}
`;

async function worldOf(
  service: Service,
  yaml: string,
  bases: "both" | Family = "both",
): Promise<World> {
  const { url } = await service.open();
  const baseUrl = bases === "earlier" ? null : `${url}/a`;
  const legacyBaseUrl = bases === "current" ? null : `${url}/b`;
  return await World.create(yaml, {
    source: sourceAt(baseUrl, legacyBaseUrl, { retryMs: 1 }),
    service: { baseUrl, legacyBaseUrl },
  });
}

/** Starts on the same store with the service at other addresses. */
async function movedTo(
  world: World,
  baseUrl: string | null,
  legacyBaseUrl: string | null,
): Promise<void> {
  await world.stop();
  world.source = sourceAt(baseUrl, legacyBaseUrl);
  world.service = { baseUrl, legacyBaseUrl };
  await world.open();
}

const tell = (world: World): string[] =>
  world.told
    .filter(({ kind }) => kind !== "started" && kind !== "self")
    .map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule ?? ""}`);

const selfLines = (world: World): string[] =>
  world.told.filter(({ kind }) => kind === "self").map(({ notice }) => notice.headline);

describe("a balance that two families can answer", () => {
  it("is asked at one of them, whichever rules are due, however far they are apart", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES);
    await world.minutes(21);
    await world.restart();
    await world.minutes(21);
    // Whatever that family says, it is said once.
    const told = tell(world).map((line) => line.replace(/^\S+ /, ""));
    expect(told.filter((line) => line !== "fired treasury-low")).toEqual([]);
    expect(told.length).toBeLessThan(2);
    const familiesOf = (wallet: string): Set<boolean> =>
      new Set(
        service.paths
          .filter((url) => url.includes("/balance?") && url.includes(wallet))
          .map((url) => isEarlier({ url })),
      );
    // The first plan decides, and later rounds and runs follow it.
    for (const wallet of WALLETS) expect(familiesOf(wallet).size).toBe(1);
    await world.stop();
  });

  it("tells one withdrawal once where one family lags", async () => {
    const service = new Service();
    let now = (): number => 0;
    let at = Number.POSITIVE_INFINITY;
    service.balances.current = () => (now() >= at ? 4_000_000 : 5_200_000);
    service.balances.earlier = () => (now() >= at + 25_000 ? 4_000_000 : 5_200_000);
    const rules = TWO_RULES.replace("below: 4M", "below: 4.5M").replace(
      "schedule: 1m",
      "schedule: 10s",
    );
    const world = await worldOf(service, rules);
    now = () => world.clock.now();
    await world.run(40 * MINUTE);
    at = now() + 5_000;
    await world.run(10 * MINUTE);
    // Both rules, once for each alert.
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "fired treasury-low",
      ...WALLETS.map(() => "fired escrow-moved"),
    ]);
    await world.stop();
  });

  it("goes to the other family once the first has stopped answering, which is no change of value", async () => {
    const service = new Service();
    const world = await worldOf(
      service,
      `rules:
  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 4M tokens}, notify: [slack]}
  - {name: moved, watch: ${watch([TREASURY])}, when: {metric: balance, moves: 10%, since: 30m}, notify: [slack]}
  - {name: crossed, watch: ${watch([TREASURY])}, when: {metric: balance, crosses: 4.5M tokens}, notify: [slack]}
  - {name: sum, across: sum, watch: ${TWO_TOKENS}, when: {metric: balance, falls: 10%, within: 1h}, notify: [slack]}
`,
    );
    await world.minutes(40);
    service.balances.current = () => null;
    await world.minutes(3);
    expect(tell(world)).toEqual([]);
    await world.minutes(4);
    // What is so now fires; nothing has moved, and nobody is without data.
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired low"]);
    expect(selfLines(world)).toEqual([
      expect.stringContaining("The earlier family answers for token balances now"),
    ]);
    // It stays there when the first one is back, over a restart as well.
    service.balances.current = () => 5_200_000;
    await world.minutes(30);
    await world.restart();
    await world.minutes(30);
    expect(tell(world)).toHaveLength(1);
    // And moves are measured from then on.
    service.balances.earlier = () => 3_000_000;
    await world.minutes(5);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "fired low",
      "fired moved",
      "fired sum",
    ]);
    expect(world.refused).toEqual([]);
    await world.stop();
  });

  it("goes there in one notice, however many rounds of other schedules find it", async () => {
    const service = new Service();
    const rule = (name: string, wallet: string, schedule: string): string =>
      `  - {name: ${name}, watch: ${watch([wallet])}, when: {metric: balance, below: 1}, schedule: ${schedule}, missing_after: 10m}\n`;
    const world = await worldOf(
      service,
      `rules:\n${rule("a", TREASURY, "1m")}${rule("b", ESCROW, "2m")}`,
    );
    await world.minutes(20);
    service.balances.earlier = () => null;
    await world.minutes(20);
    const there = expect.stringContaining("The current family answers for token balances now");
    expect(selfLines(world)).toEqual([there]);
    // The way back is news.
    service.balances.earlier = () => 3_900_000;
    service.balances.current = () => null;
    await world.minutes(20);
    const back = expect.stringContaining("The earlier family answers for token balances now");
    expect(selfLines(world)).toEqual([there, back]);
    await world.stop();
  });

  it("stays there over a restart where it is only a part of a sum that is compared with", async () => {
    const service = new Service();
    service.balances.earlier = (wallet) => (wallet === TREASURY ? 5_000_000 : 2_000_000);
    service.balances.current = (wallet) => (wallet === TREASURY ? 5_000_000 : 3_000_000);
    const world = await worldOf(
      service,
      `references:
  others: {across: sum, watch: ${watch(WALLETS.slice(1))}, metric: balance}
rules:
  - {name: less, watch: ${watch([TREASURY])}, when: {metric: balance, below: others}, notify: [slack]}
`,
    );
    await world.minutes(20);
    expect(tell(world)).toEqual([]);
    const { earlier } = service.balances;
    service.balances.earlier = () => null;
    await world.minutes(20);
    service.balances.earlier = earlier;
    await world.minutes(5);
    await world.restart();
    await world.minutes(20);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired less"]);
    await world.stop();
  });

  it("goes there for a rule as well that is only due after a restart", async () => {
    const service = new Service();
    const world = await worldOf(
      service,
      `rules:
  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 1}, schedule: 1m, notify: [slack]}
  - {name: crossed, watch: ${watch([TREASURY])}, when: {metric: balance, crosses: 4.5M tokens}, schedule: 30m, notify: [slack]}
`,
    );
    await world.minutes(31);
    service.balances.current = () => null;
    await world.minutes(15);
    expect(selfLines(world)).toHaveLength(1);
    await world.restart();
    await world.minutes(50);
    expect(tell(world)).toEqual([]);
    service.balances.earlier = () => 5_200_000;
    await world.minutes(31);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["changed crossed"]);
    await world.stop();
  });

  it("goes there in a notice of its own where others went more than an hour before", async () => {
    const service = new Service();
    const rule = (name: string, token: string, wallet: string): string =>
      `  - {name: ${name}, watch: {kind: token_balance, chain: 1, token: "${token}", wallet: "${wallet}", decimals: 6}, when: {metric: balance, below: 1}}\n`;
    const world = await worldOf(
      service,
      `rules:\n${rule("a", TOKEN, TREASURY)}${rule("b", `0x${"bb".repeat(20)}`, ESCROW)}`,
    );
    await world.minutes(5);
    const gone = new Set([TREASURY]);
    service.balances.current = (wallet) => (gone.has(wallet) ? null : 5_200_000);
    await world.minutes(40);
    const there = expect.stringContaining("The earlier family answers for token balances now");
    expect(selfLines(world)).toEqual([there]);
    await world.minutes(40);
    gone.add(ESCROW);
    await world.minutes(40);
    expect(selfLines(world)).toEqual([there, there]);
    await world.stop();
  });

  it("tells of all that go there with the first of them, so that no kill in between loses it", async () => {
    const service = new Service();
    const rule = (name: string, wallet: string, schedule: string): string =>
      `  - {name: ${name}, watch: ${watch([wallet])}, when: {metric: balance, below: 1}, schedule: ${schedule}, missing_after: 10m}\n`;
    const [, , other = ""] = WALLETS;
    const world = await worldOf(
      service,
      `rules:\n${rule("a", TREASURY, "1m")}${rule("b", ESCROW, "2m")}${rule("c", other, "1h")}`,
    );
    await world.minutes(20);
    const commit = world.store.commit.bind(world.store);
    let isKilled = false;
    world.store.commit = async (change) => {
      if (isKilled) throw new Error("killed");
      await commit(change);
      isKilled = change.marks.some(({ subject }) => subject.startsWith("family:"));
    };
    service.balances.earlier = () => null;
    await world.minutes(10);
    expect(isKilled).toBe(true);
    world.store.commit = commit;
    await world.restart();
    await world.minutes(10);
    const told = world.told.filter(({ kind }) => kind === "self").map(({ notice }) => notice);
    expect(told.map(({ headline }) => headline)).toEqual([
      expect.stringContaining("The current family answers for token balances now"),
    ]);
    // The third one is not asked before its hour is over.
    expect(told[0]?.fields.find(({ name }) => name === "Subjects")?.value).toBe("2");
    await world.stop();
  });

  it("tells that it went there with a later round where the store refused the notice", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES);
    await world.minutes(20);
    const commit = world.store.commit.bind(world.store);
    let refusals = 0;
    world.store.commit = async (change) => {
      const isSelf = change.notices.some(({ notice }) => notice.kind === "self");
      if (isSelf && refusals < 2) {
        refusals += 1;
        throw new Error("refused");
      }
      return await commit(change);
    };
    service.balances.earlier = () => null;
    await world.minutes(20);
    expect(refusals).toBe(2);
    expect(selfLines(world)).toEqual([
      expect.stringContaining("The current family answers for token balances now"),
    ]);
    await world.stop();
  });

  /** A rule that looks back, whose past each family tells in its own way. */
  async function lookingBack(
    service: Service,
    past: (family: Family) => Promise<boolean>,
    isSilent: () => boolean = () => false,
  ): Promise<World> {
    const { url } = await service.open();
    const [baseUrl, legacyBaseUrl] = [`${url}/a`, `${url}/b`];
    const source = sourceAt(baseUrl, legacyBaseUrl, { retryMs: 1 });
    const day = (ago: number): string => new Date(START - ago * 24 * 60 * MINUTE).toISOString();
    const fetch: Source["fetch"] = async (request, signal, round) => {
      if (request.record !== "balance_point" && isSilent()) return request.asks.map(() => failed);
      if (request.record !== "balance_point") return source.fetch(request, signal, round);
      const { family = "current" } = request;
      const isTold = await past(family);
      const balance = family === "current" ? "5200000000000" : "3900000000000";
      const points = [5, 4, 3, 2, 1].map((ago) => ({ date: day(ago).slice(0, 10), balance }));
      return request.asks.map(() => (isTold ? ok(...points) : failed));
    };
    return await World.create(
      `rules:\n  - {name: moved, watch: ${watch([TREASURY])}, when: {metric: balance, moves: 10%, within: 2d}, notify: [slack]}\n`,
      { source: { ...source, fetch }, service: { baseUrl, legacyBaseUrl }, backfill: true },
    );
  }

  it("is not given the past of the family that it has left, however late that comes", async () => {
    const service = new Service();
    const asked: Family[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await lookingBack(service, async (family) => {
      asked.push(family);
      if (family === "current") await held;
      return true;
    });
    await world.minutes(3);
    expect(asked).toEqual(["current"]);
    service.balances.current = () => null;
    await world.minutes(15);
    expect(selfLines(world)).toHaveLength(1);
    release();
    await world.rounds.backfilled();
    await world.minutes(5);
    await world.rounds.backfilled();
    expect(tell(world)).toEqual([]);
    expect(asked).toEqual(["current", "earlier"]);
    // What was usual is known there as well.
    service.balances.earlier = () => 4_500_000;
    await world.minutes(2);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired moved"]);
    await world.stop();
  });

  it("is not given the past of a family that was only tried", async () => {
    const service = new Service();
    let isSilent = false;
    const world = await lookingBack(
      service,
      (family) => Promise.resolve(family === "earlier"),
      () => isSilent,
    );
    await world.minutes(3);
    isSilent = true;
    for (let minute = 0; minute < 40; minute += 1) {
      await world.minutes(1);
      await world.rounds.backfilled();
    }
    isSilent = false;
    service.balances.earlier = () => null;
    await world.minutes(40);
    const kinds = tell(world).map((line) => line.split(" ")[1]);
    expect(kinds).toEqual(["source_down", "source_up"]);
    await world.stop();
  });

  it("is asked at the other family at once where the first has never known it", async () => {
    const service = new Service();
    service.balances.current = (wallet) => (wallet === ESCROW ? undefined : 5_200_000);
    const world = await worldOf(
      service,
      `rules:\n  - {name: low, watch: ${watch([ESCROW])}, when: {metric: balance, below: 4M tokens}, notify: [slack]}\n`,
    );
    await world.minutes(1);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert).toMatchObject({ missing: null });
    await world.minutes(3);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert?.state).toBe("firing");
    // It is asked there from then on, and nowhere else.
    service.paths.length = 0;
    await world.minutes(3);
    expect(service.paths.map((url) => isEarlier({ url }))).toEqual([true, true, true]);
    await world.stop();
  });

  it("begins anew where an earlier version did not write down who answered", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES, "current");
    const { source } = world;
    // As that version, which knew of no choice.
    const before: object = { ...source, ways: undefined };
    await world.stop();
    world.source = before as Source;
    await world.open();
    await world.minutes(40);
    const { url } = await service.open();
    await movedTo(world, `${world.service.baseUrl}`, url);
    await world.minutes(40);
    expect(tell(world).filter((line) => line.includes("moved"))).toEqual([]);
    expect(selfLines(world)).toEqual([]);
    await world.stop();
  });

  it("that ends a firing when it comes from elsewhere ends it once, over a restart as well", async () => {
    const service = new Service();
    service.balances.earlier = () => 9_000_000;
    const rule = `rules:\n  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 6M tokens}, notify: [slack]}\n`;
    const world = await worldOf(service, rule, "both");
    const kinds = (): string[] => tell(world).map((line) => line.split(" ")[1] ?? "");
    await world.minutes(20);
    service.balances.current = () => null;
    for (let i = 0; i < 20 && !kinds().includes("resolved"); i += 1) await world.minutes(1);
    await world.restart();
    await world.minutes(3);
    expect(kinds()).toEqual(["fired", "resolved"]);
    await world.stop();
  });

  it.each(["one that knew who answers", "one that did not"])(
    "is compared with what %s measured before a restart, at one family",
    async (version) => {
      const service = new Service();
      const rule = `rules:\n  - {name: fall, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, within: 30m}, notify: [slack]}\n`;
      const world = await worldOf(service, rule, "current");
      const { source } = world;
      if (version === "one that did not") {
        const before: object = { ...source, ways: undefined };
        await world.stop();
        world.source = before as Source;
        await world.open();
      }
      await world.minutes(20);
      await world.stop();
      world.source = source;
      service.balances.current = () => 4_000_000;
      await world.open();
      await world.minutes(1);
      expect(tell(world)).toEqual(["21 fired fall"]);
      await world.stop();
    },
  );

  it("is not taken for moved when both fail for a while", async () => {
    const service = new Service();
    const world = await worldOf(service, TWO_RULES);
    await world.minutes(40);
    const [current, earlier] = [service.balances.current, service.balances.earlier];
    service.balances.current = service.balances.earlier = () => null;
    await world.minutes(22);
    Object.assign(service.balances, { current, earlier });
    await world.minutes(20);
    const rules = tell(world).filter(
      (line) => /fired|resolved|changed/.test(line) && !line.includes("low"),
    );
    expect(rules).toEqual([]);
    await world.stop();
  });
});

describe("an address that was edited", () => {
  const CHANGES = `
rules:
  - {name: since, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, since: 30m}, notify: [slack]}
  - {name: within, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, within: 30m}, notify: [slack]}
  - {name: last, watch: ${watch([TREASURY])}, when: {metric: balance, falls: 20%, since: last}, notify: [slack]}
  - {name: crossed, watch: ${watch([TREASURY])}, when: {metric: balance, crosses: 4M tokens}, notify: [slack]}
  - {name: changed, watch: ${watch([TREASURY])}, when: {metric: balance, changes: true}, notify: [slack]}
  - {name: sum, across: sum, watch: ${watch(WALLETS)}, when: {metric: balance, falls: 20%, within: 30m}, notify: [slack]}
  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 6M tokens}, notify: [slack]}
`;

  it("ends what fired on the values of before, which is no good news", async () => {
    const [service, other] = [new Service(), new Service()];
    other.balances.current = () => 9_000_000;
    const rule = `rules:\n  - {name: low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 6M tokens}, notify: [slack]}\n`;
    const world = await worldOf(service, rule, "current");
    await world.minutes(5);
    await movedTo(world, (await other.open()).url, null);
    await world.minutes(5);
    const over = world.told.findLast(({ kind }) => kind === "resolved")?.notice;
    expect(over?.headline).toMatch(/^⚪ Source changed, no longer firing: /);
    expect(over?.ending).toBe("edited");
    expect(over?.fields).toContainEqual({
      name: "Reason",
      value: "the source was changed; it fired on values of the earlier one",
    });
    await world.stop();
  });

  it.each(["current", "earlier"] as const)(
    "is no change of value, with the %s family alone",
    async (family) => {
      const [service, other] = [new Service(), new Service()];
      other.balances.current = other.balances.earlier = () => 2_100_000;
      const world = await worldOf(service, CHANGES, family);
      const { url } = await other.open();
      await world.minutes(40);
      const before = tell(world);
      const state = () => world.rounds.memory.rules.at(-1)?.alerts[0]?.alert?.state;
      expect(state()).toBe("firing");
      await movedTo(world, family === "current" ? url : null, family === "current" ? null : url);
      await world.minutes(10);
      // The alert on the level is the same one, and fires still.
      expect(tell(world)).toEqual(before);
      expect(state()).toBe("firing");
      // A restart at the same address forgets nothing.
      await world.restart();
      await world.minutes(21);
      other.balances.current = other.balances.earlier = () => 1_000_000;
      await world.minutes(3);
      const news = tell(world)
        .slice(before.length)
        .map((line) => line.replace(/^\S+ /, ""));
      expect(news.toSorted()).toEqual(
        [
          "fired since",
          "fired within",
          "fired last",
          "resolved last",
          "changed changed",
          "fired sum",
        ].toSorted(),
      );
      expect(world.refused).toEqual([]);
      await world.stop();
    },
  );

  it("is no fall of a pool's TVL, and an older block at the new place is no lag", async () => {
    const [service, other] = [new Service(), new Service()];
    service.pool = () =>
      poolRecord({ tvl_usd: 1_000_000, block_number: "2000", timestamp: "2000" });
    other.pool = () => poolRecord({ tvl_usd: 410_000, block_number: "1000", timestamp: "1000" });
    const pool = `{kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}`;
    const world = await worldOf(
      service,
      `rules:
  - {name: fall, watch: ${pool}, when: {metric: tvl_usd, falls: 10%, within: 1h}, notify: [slack]}
  - {name: low, watch: ${pool}, when: {metric: tvl_usd, below: 500_000 usd}, notify: [slack]}
`,
      "current",
    );
    await world.minutes(45);
    const { url } = await other.open();
    await movedTo(world, url, null);
    await world.minutes(10);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired low"]);
    await world.minutes(30);
    other.pool = () => poolRecord({ tvl_usd: 300_000, block_number: "1001", timestamp: "1001" });
    await world.minutes(3);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "fired low",
      "fired fall",
    ]);
    await world.stop();
  });

  it("leaves hours of gas behind: what was usual is learned at the new place", async () => {
    const [service, other] = [new Service(), new Service()];
    const hoursOf = (tip: number) => (): RawRecord[] =>
      Array.from({ length: 30 }, (_, i) => ({
        hour: new Date(START + (i - 26) * 60 * MINUTE).toISOString(),
        block_count: 300,
        tx_count: "100",
        avg_base_fee: "1",
        avg_priority_fee_top10_threshold: `${tip}000000000`,
      }));
    service.hours = hoursOf(10);
    other.hours = hoursOf(3);
    const world = await worldOf(
      service,
      `rules:
  - {name: fall, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, falls: 40%, since: last}, notify: [slack]}
`,
      "current",
    );
    await world.minutes(10);
    const { url } = await other.open();
    await movedTo(world, `${url}/x`, null);
    await world.minutes(10);
    expect(tell(world)).toEqual([]);
    await world.restart();
    await world.minutes(3);
    expect(tell(world)).toEqual([]);
    await world.stop();
  });

  it("is no other source for what is asked at the other address", async () => {
    const [service, other] = [new Service(), new Service()];
    const rule = `rules:\n  - {name: pool, watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}, when: {metric: tvl_usd, changes: true}, notify: [slack]}\n`;
    const world = await worldOf(service, rule);
    await world.minutes(5);
    service.pool = () => poolRecord({ tvl_usd: 900 });
    await movedTo(world, `${world.service.baseUrl}`, (await other.open()).url);
    await world.minutes(1);
    expect(tell(world)).toEqual(["6 changed pool"]);
    await world.stop();
  });

  it("which family answers is kept, and a family taken away is another source", async () => {
    const service = new Service();
    const world = await worldOf(service, CHANGES);
    const { url } = await service.open();
    await world.minutes(40);
    const before = tell(world);
    await movedTo(world, null, `${url}/b`);
    await world.minutes(40);
    expect(tell(world)).toEqual(before);
    await world.stop();
  });

  it("begins the list of holders anew: nobody has come or gone", async () => {
    const [service, other] = [new Service(), new Service()];
    service.holders.current = () => [
      [TREASURY, 600],
      [ESCROW, 400],
    ];
    other.holders.current = () => [
      [ESCROW, 700],
      [WALLETS[2] ?? "", 300],
    ];
    const world = await worldOf(
      service,
      `rules:
  - {name: came, watch: {kind: holders, chain: 1, token: "${TOKEN}", top: 5, decimals: 6}, when: {metric: entered, equals: true}, notify: [slack]}
  - {name: went, watch: {kind: holders, chain: 1, token: "${TOKEN}", top: 5, decimals: 6}, when: {metric: left, equals: true}, notify: [slack]}
`,
      "current",
    );
    await world.minutes(5);
    const { url } = await other.open();
    await movedTo(world, url, null);
    await world.minutes(5);
    expect(tell(world)).toEqual([]);
    other.holders.current = () => [
      [ESCROW, 700],
      [TREASURY, 300],
    ];
    await world.minutes(2);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "changed came",
      "changed went",
    ]);
    await world.stop();
  });
});

describe("the share of the largest holders", () => {
  const rule = (chain: number): string =>
    `rules:\n  - {name: share, watch: {kind: holders, chain: ${chain}, token: "${TOKEN}", top: 2}, when: {metric: top_share, above: 50%}, notify: [slack]}\n`;

  it.each<["both" | Family, number]>([
    ["both", 8453],
    ["earlier", 8453],
    ["earlier", 1],
    ["both", 1],
    ["current", 1],
  ])("has the supply that the service has (%s, chain %i)", async (bases, chain) => {
    const service = new Service();
    const list: [string, number][] = [
      [TREASURY, 400],
      [ESCROW, 300],
      [WALLETS[2] ?? "", 300],
    ];
    service.holders.current = service.holders.earlier = () => list;
    const world = await worldOf(service, rule(chain), bases);
    await world.minutes(6);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert).toMatchObject({
      state: "firing",
      missing: null,
    });
    // In a steady round nothing is asked that is known to be refused, and nothing twice.
    service.paths.length = 0;
    await world.minutes(1);
    expect(service.paths).toHaveLength(2);
    if (chain !== 1) expect(service.paths.every((url) => isEarlier({ url }))).toBe(true);
    await world.stop();
  });

  it("takes the info once the supply has been refused, and does not ask for that again", async () => {
    const service = new Service();
    service.holders.current = service.holders.earlier = () => [
      [TREASURY, 400],
      [ESCROW, 300],
    ];
    service.supply.current = () => null;
    const world = await worldOf(service, rule(1));
    await world.minutes(4);
    expect(world.rounds.memory.rules[0]?.alerts[0]?.alert).toMatchObject({
      state: "firing",
      missing: null,
    });
    service.paths.length = 0;
    await world.minutes(1);
    expect(service.paths.filter((url) => url.includes("/supply?"))).toEqual([]);
    await world.stop();
  });
});

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
