import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdingsChange } from "../../src/commit/holdings.ts";
import { createMemory } from "../../src/commit/load.ts";
import { openingChanges, versionOf } from "../../src/commit/startup.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { acrossSubject } from "../../src/decide/across.ts";
import { KINDS } from "../../src/kinds/index.ts";
import {
  HOLDINGS_MARK,
  holdingsFromText,
  holdingsToText,
  ownerKey,
  withHoldings,
} from "../../src/kinds/owned.ts";
import type { Alert, Holdings, Setup } from "../../src/model/index.ts";
import { NO_MEMORY } from "../../src/poll/memory.ts";
import { NOTHING_LOADED } from "../../src/store/store.ts";
import { propertyRuns } from "../support/tier.ts";
import { setupOf } from "../support/world-setup.ts";

const OWNER = `0x${"11".repeat(20)}`;
const OTHER = `0x${"22".repeat(20)}`;
const NOW = Date.UTC(2026, 10, 28, 12);
const CHANNELS = ["slack", "mail"];

/** Rules by owner: two of one owner, of which the second tells one channel only. */
const YAML = `rules:
  - {name: range, watch: {kind: v4_position, chain: 1, owner: "${OWNER}"}, when: {metric: in_range, equals: false}, for: 5m, resolve_after: 5m, notify: [slack, mail]}
  - {name: value, watch: {kind: v4_position, chain: 1, owner: "${OWNER}", invert: true}, when: {metric: value_usd, below: 5}, notify: [slack]}
  - {name: other, watch: {kind: v3_position, chain: 1, owner: {id: "${OTHER}", name: Vault}}, when: {metric: fees_usd, above: 5}, notify: [mail]}
`;
const { rules } = parseRules(YAML, "r.yaml", { watches: KINDS, channels: CHANNELS });
const V4 = ownerKey("v4_position", {
  chainId: 1,
  protocol: "dexa",
  address: OWNER,
  name: null,
  options: {},
});

function setup(holdings: Holdings): Setup {
  const channels = CHANNELS.map((name) => ({
    name,
    kind: "console",
    settings: {},
    timezone: "UTC",
  }));
  return withHoldings({ ...setupOf("rules: []"), rules, channels }, holdings, KINDS);
}

function held(...nfts: readonly string[]): Holdings {
  return new Map([[V4, new Map(nfts.map((nft) => [nft, `ETH/USDC 0.05% #${nft}`]))]]);
}

function change(before: Holdings | null, now: Holdings, removed: readonly Alert[] = []) {
  const marks = new Map(before === null ? [] : [[HOLDINGS_MARK, holdingsToText(before)]]);
  return holdingsChange(setup(now), KINDS, removed, marks, NOW);
}

function told(before: Holdings | null, now: Holdings, removed: readonly Alert[] = []) {
  return change(before, now, removed).notices.map(
    ({ notice, channels }) => `${notice.kind} ${channels.join()} ${notice.headline}`,
  );
}

function firing(rule: string, nft: string, channels: readonly string[]): Alert {
  const subject = `v4_position:1:dexa:${nft}`;
  const lastNotified = { state: "firing", value: "false", channels };
  const rest = { state: "firing", label: "Alpha", life: null, started: true };
  return { rule, subject, lastNotified, ...rest } as unknown as Alert;
}

describe("what owners hold", () => {
  it("makes the subjects of their rules, by their kind and options", () => {
    const [range, value, other] = setup(held("7", "8")).rules;
    expect(range?.subjects.map(({ key }) => key)).toEqual([
      "v4_position:1:dexa:7",
      "v4_position:1:dexa:8",
    ]);
    expect(value?.subjects[0]?.key).toBe("v4_position:1:dexa:7:inverted");
    expect(other?.subjects).toEqual([]);
  });

  it("is no news when it is first known", () => {
    expect(told(null, held("7", "8"))).toEqual([]);
    expect(change(null, held("7")).marks).toHaveLength(1);
    expect(change(held("7"), held("7"))).toMatchObject({ notices: [], marks: [] });
  });

  it("is told once to each channel when a position came", () => {
    expect(told(held("7"), held("7", "8"))).toEqual([
      "changed slack,mail 🔵 New position of 0x111111…1111: ETH/USDC 0.05% #8. Ethereum",
    ]);
  });

  it("is told once to each channel when a position left that was quiet", () => {
    expect(told(held("7", "8"), held("8"))).toEqual([
      "changed slack,mail ⚪ Left 0x111111…1111: ETH/USDC 0.05% #7. Ethereum",
    ]);
  });

  it("ends what people believe to fire, with its reason, and tells the others of a change", () => {
    const alert = firing("range", "7", ["mail"]);
    const { notices, ended } = change(held("7"), held(), [alert]);
    expect(notices.map(({ notice, channels }) => [notice.kind, channels, notice.headline])).toEqual(
      [
        ["resolved", ["mail"], "⚪ Left 0x111111…1111: Alpha. It was firing. Ethereum"],
        ["changed", ["slack"], "⚪ Left 0x111111…1111: Alpha. Ethereum"],
      ],
    );
    const [first] = notices;
    expect(first?.notice).toMatchObject({ ending: "left", rule: "range", subject: alert.subject });
    expect(first?.notice.fields).toContainEqual({ name: "Reason", value: `left ${OWNER}` });
    expect([...ended]).toEqual([`range\n${alert.subject}`]);
  });

  it("tells the end of what left once, and not also that it is watched no more", () => {
    const [left, removed] = [firing("range", "7", ["mail"]), firing("gone", "8", ["mail"])];
    const removedAlerts = [left, removed];
    const [first] = openingChanges(
      { ...NO_MEMORY, removedAlerts },
      setup(held()),
      NOW,
      [],
      change(held("7"), held(), removedAlerts),
    );
    expect(first?.notices.map(({ notice }) => `${notice.kind} ${notice.rule}`)).toEqual([
      "rule_removed gone",
      "resolved range",
      "changed range",
    ]);
  });

  it("ends the alert on all of it together when nothing of it is left", async () => {
    const yaml = `rules:
  - {name: sum, watch: {kind: v4_position, chain: 1, owner: "${OWNER}"}, across: sum, when: {metric: value_usd, below: 5}, notify: [mail]}
`;
    const { rules: sums } = parseRules(yaml, "r.yaml", { watches: KINDS, channels: CHANNELS });
    const of = (holdings: Holdings): Setup =>
      withHoldings({ ...setup(holdings), rules: sums }, holdings, KINDS);
    const [rule] = of(held("7", "8")).rules;
    const { key } = acrossSubject("v4_position", "sum", rule?.subjects ?? []);
    const alerts = [{ ...firing("sum", "7", ["mail"]), subject: key }];
    const memory = createMemory(of(held()).rules, KINDS, versionOf, { ...NOTHING_LOADED, alerts });
    const [first] = openingChanges(memory, of(held()), NOW);
    expect(first?.notices.map(({ notice }) => notice.kind)).toEqual(["rule_removed"]);
    expect(first?.removedAlerts).toEqual([{ rule: "sum", subject: key }]);
    expect(first?.alerts).toEqual([]);
  });

  it("tells each that came and left once, whatever came before", () => {
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 9 }).map(String), { maxLength: 6 });
    fc.assert(
      fc.property(some, some, (before, after) => {
        const lines = told(held(...before), held(...after));
        const came = after.filter((nft) => !before.includes(nft));
        const left = before.filter((nft) => !after.includes(nft));
        const about = (word: string, nft: string) =>
          lines.filter((line) => line.includes(word) && line.includes(`#${nft}.`));
        for (const nft of came) expect(about("New position", nft)).toHaveLength(1);
        for (const nft of left) expect(about("Left", nft)).toHaveLength(1);
        expect(lines).toHaveLength(came.length + left.length);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("is read back as it was written, and anything else as nothing", () => {
    const holdings = held(
      "7",
      "115792089237316195423570985008687907853269984665640564039457584007913",
    );
    expect(holdingsFromText(holdingsToText(holdings))).toEqual(holdings);
    for (const text of [null, undefined, "[]", "5", '{"a":5}']) {
      expect([...holdingsFromText(text).values()].flatMap((one) => [...one])).toEqual([]);
    }
  });
});
