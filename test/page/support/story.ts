import type { Alert, Compared } from "../../../src/web/api/schemas/alerts.ts";
import type { Overview } from "../../../src/web/api/schemas/overview.ts";
import { rangeDistance } from "../../../src/web/live/range-distance.ts";

/** Alerts as the API tells them, for pages without a daemon: all of one evening, 28 Nov 2026, 21:39 UTC. */

export const NOW = Date.parse("2026-11-28T21:39:12.000Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const iso = (ms: number): string => new Date(ms).toISOString();
const ago = (ms: number): string => iso(NOW - ms);

interface Wanted extends Partial<Omit<Alert, "compared">> {
  readonly rule: string;
  readonly name: string;
  readonly compared?: Partial<Compared> & { readonly fires: string; readonly text: string };
  /** The values of the last day, oldest first. */
  readonly values?: readonly (number | null)[];
  readonly spanMs?: number;
}

/** An alert with the usual in every member that is not given. */
export function alert(wanted: Wanted): Alert {
  const { compared, values, spanMs = 24 * HOUR, ...rest } = wanted;
  const state = rest.state ?? "ok";
  const last = values?.findLast((value) => value !== null) ?? 0;
  return {
    subject: `kind:1:${wanted.name}`,
    kind: "v4_pool",
    chain: { id: 1, name: "Ethereum" },
    severity: "warning",
    labels: {},
    state,
    since: ago(3 * HOUR),
    fired_at: state === "firing" || state === "recovering" ? (rest.since ?? ago(HOUR)) : null,
    sentence: `${wanted.name} is ok`,
    event: false,
    no_data: null,
    window_known: true,
    held: null,
    compared:
      compared === undefined
        ? null
        : {
            metric: "tvl_usd",
            label: "TVL",
            op: "above",
            limits: [],
            base: null,
            base_at: null,
            change: null,
            distance: null,
            value: { exact: String(last), text: compared.text },
            ...without(compared),
          },
    last: null,
    range: null,
    entries: null,
    ack: null,
    can_ack: state === "firing",
    spent: false,
    held_back: [],
    told: [],
    decided_at: ago(12_000),
    link: null,
    recent:
      values === undefined
        ? null
        : {
            metric: rest.range === undefined ? "tvl_usd" : "current_tick",
            from: ago(spanMs),
            to: iso(NOW),
            step_ms: Math.round(spanMs / values.length),
            bucket_ms: null,
            resolve: [],
            points: values.map((value) => (value === null ? null : [String(value), String(value)])),
            firing: state === "firing" ? [{ from: rest.since ?? ago(HOUR), to: null }] : [],
          },
    ...rest,
  };
}

function without(compared: NonNullable<Wanted["compared"]>): Partial<Compared> & { fires: string } {
  const { text: _, ...more } = compared;
  return more;
}

/** Values that wander a little around `level`, always the same ones, with the last `end` in place of them. */
function wander(level: number, share: number, end: readonly number[] = [], count = 96): number[] {
  const values = Array.from({ length: count - end.length }, (_, i) => {
    const wave = Math.sin(i / 7) * 0.6 + Math.sin(i / 2.3) * 0.25 + Math.sin(i * 1.7) * 0.15;
    return level * (1 + share * wave);
  });
  return [...values, ...end];
}

const shown = (exact: number | string, text: string) => ({ exact: String(exact), text });

const range = (lower: number, upper: number, tick: number, texts: [string, string, string]) => ({
  lower: texts[0],
  upper: texts[1],
  price: texts[2],
  unit: "USDC per ETH",
  lower_tick: lower,
  upper_tick: upper,
  tick,
  inverted: false,
  in_range: tick >= lower && tick < upper,
  ...edgeOf(lower, upper, tick),
  closed: false,
});

const edgeOf = (lowerTick: number, upperTick: number, tick: number) => {
  const facts = { lower: "", upper: "", price: "", unit: "", inverted: false };
  const { edge, text } = rangeDistance({ ...facts, lowerTick, upperTick, tick });
  return { edge, distance: text };
};

const fell = Array.from({ length: 9 }, () => 15.6e6);

export const FIRING: readonly Alert[] = [
  alert({
    rule: "tvl-drop",
    name: "ETH/USDC 0.05%",
    severity: "critical",
    state: "firing",
    since: ago(10 * MINUTE),
    sentence: "TVL -32% in 1 h: ETH/USDC 0.05% lost $7.23M, now $15.6M. Ethereum",
    told: ["lp-slack", "on-call"],
    compared: {
      fires: "falls 10% in 1 h",
      text: "$15.6M",
      op: "falls",
      base: shown(22_802_023.73, "$22.8M"),
      base_at: ago(HOUR),
      change: { exact: "-7227667.76", text: "-$7.23M", percent: "-32%" },
      distance: { ratio: 3.2, past: true, text: "22% past" },
    },
    spanMs: HOUR,
    values: [...wander(22.8e6, 0.002, [], 20), ...wander(21.9e6, 0.001, [], 30), 18.7e6, ...fell],
  }),
  alert({
    rule: "treasury-low",
    name: "Treasury",
    severity: "critical",
    state: "firing",
    since: ago(17 * MINUTE),
    sentence: "Balance of Treasury 3.84M tokens, below 4M. Ethereum",
    told: ["lp-slack", "on-call"],
    ack: { by: "anna", since: ago(12 * MINUTE), comment: "top-up of 2.5M on its way, 22:00" },
    can_ack: false,
    compared: {
      fires: "below 4M",
      text: "3.84M tokens",
      limits: [shown(4e6, "4M")],
      distance: { ratio: 1.04, past: true, text: "160,000 past" },
    },
    spanMs: HOUR,
    values: [...wander(6.24e6, 0, [], 43), ...wander(3.84e6, 0, [], 17)],
  }),
  alert({
    rule: "my-range",
    name: "Treasury ETH/USDC",
    subject: "v4_position:1:dexa:128404",
    kind: "v4_position",
    state: "firing",
    since: ago(32 * MINUTE),
    sentence: "Out of range: Treasury ETH/USDC. 1,938.59 < 2,012.28 USDC/ETH. Now all ETH",
    told: ["lp-slack", "lp-mail"],
    compared: {
      fires: "not in range",
      text: "no",
      distance: { ratio: 1.4, past: true, text: "3.66% out" },
    },
    range: range(-200_250, -199_530, -200_624, ["2,012.28", "2,162.5", "1,938.59"]),
    values: wander(-199_900, -0.0004, [-200_500, -200_600, -200_624, -200_624]),
  }),
  alert({
    rule: "tip-spike",
    name: "Ethereum",
    kind: "gas",
    subject: "gas:1",
    state: "firing",
    since: ago(34 * MINUTE),
    sentence: "Ethereum tip 11.4 gwei, limit 5. Top 10%, average of 21:00-22:00 UTC",
    told: ["lp-slack"],
    compared: {
      metric: "tip_top10",
      label: "tip (top 10%)",
      fires: "above 5 gwei",
      text: "11.4 gwei",
      limits: [shown(5e9, "5 gwei")],
      distance: { ratio: 2.28, past: true, text: "6.38 gwei past" },
    },
    values: [...wander(1.4e9, 0.5, [], 90), 2e9, 4e9, 8e9, 11e9, 11.4e9, 11.4e9],
  }),
  alert({
    rule: "full-blocks",
    name: "Polygon",
    severity: "info",
    state: "firing",
    since: ago(63 * MINUTE),
    sentence: "Polygon utilization 97.2%, above 95% for 2 h",
    told: ["lp-slack"],
    compared: {
      fires: "above 95%",
      text: "97.2%",
      limits: [shown(0.95, "95%")],
      distance: { ratio: 1.02, past: true, text: "2.2% past" },
    },
    spanMs: 10 * HOUR,
    values: [...wander(0.9, 0.02, [], 62), 0.93, 0.951, 0.96, ...wander(0.97, 0.003, [], 31)],
  }),
];

export const WAITING: readonly Alert[] = [
  alert({
    rule: "peg",
    name: "USDC/USDT",
    severity: "critical",
    state: "recovering",
    since: ago(2 * MINUTE),
    fired_at: ago(25 * MINUTE),
    sentence: "USDC/USDT back inside 0.997 to 1.003: 0.9984 USDT0/USDC. Polygon",
    held: { ms: 2 * MINUTE, of_ms: 5 * MINUTE, until: iso(NOW + 3 * MINUTE) },
  }),
  alert({
    rule: "other-ranges",
    name: "WBTC/WETH",
    state: "pending",
    since: ago(3 * MINUTE),
    sentence: "WBTC/WETH out of range: 38.71 > 38.6 WETH/WBTC",
    held: { ms: 3 * MINUTE, of_ms: 5 * MINUTE, until: iso(NOW + 2 * MINUTE) },
  }),
];

export const NO_DATA: readonly Alert[] = [
  alert({
    rule: "holders-leave",
    name: "AUSD on Katana",
    no_data: { since: ago(15 * MINUTE), rounds: 15, told: true, reason: "holder_count: HTTP 503" },
    compared: { fires: "falls 1% in 1 h", text: "8,816", label: "holders" },
    last: {
      metric: "holders",
      label: "holders",
      value: shown(8816, "8,816"),
      at: ago(15 * MINUTE),
    },
  }),
];

export const HELD: readonly Alert[] = [
  alert({
    rule: "my-range",
    name: "High ETH/USDC",
    subject: "v4_position:1:dexa:45120",
    kind: "v4_position",
    state: "firing",
    since: ago(9 * 24 * HOUR),
    sentence: "Out of range: High ETH/USDC. 1,938.59 < 2,397.1 USDC/ETH. Now all ETH",
    held_back: [
      {
        by: "silence",
        why: "by anna: closing it on Monday",
        until: iso(NOW + 34 * HOUR),
        channel: null,
        silence: 3,
      },
    ],
    range: range(-198_500, -196_900, -200_624, ["2,397.1", "2,813", "1,938.59"]),
    values: wander(-199_900, -0.0004, [-200_500, -200_624]),
  }),
];

export const OK: readonly Alert[] = [
  ...["Polygon", "Katana", "Ethereum", "Monad", "Immutable zkEVM"].map((chain, i) =>
    alert({
      rule: "chain-outflow",
      name: `AUSD on ${chain}`,
      kind: "token_supply",
      compared: {
        metric: "supply",
        label: "supply",
        fires: "falls 0.08% in 1 h",
        text: ["612M AUSD", "152M AUSD", "9.41B AUSD", "384M AUSD", "58.3M AUSD"][i] ?? "",
        distance: {
          ratio: [0.61, 0.2, 0.025, 0, 0][i] ?? 0,
          past: false,
          text:
            ["0.049% of 0.08%", "0.016% of 0.08%", "0.002% of 0.08%", "unchanged", "unchanged"][
              i
            ] ?? "",
        },
      },
      values: wander(6e8 - i * 1e8, i > 2 ? 0 : 0.002),
    }),
  ),
  alert({
    rule: "my-range",
    name: "Wide ETH/USDC",
    subject: "v4_position:1:dexa:91777",
    kind: "v4_position",
    compared: {
      fires: "not in range",
      text: "yes",
      distance: { ratio: 0.6, past: false, text: "21.2% left" },
    },
    range: range(-203_000, -197_000, -200_624, ["1,528.49", "2,785.01", "1,938.59"]),
    values: wander(-199_900, -0.0004, [-200_500, -200_624]),
  }),
  alert({
    rule: "position-moved",
    name: "Wide ETH/USDC",
    event: true,
    compared: {
      fires: "changes",
      text: "0xfac58b…b23774",
      distance: { ratio: null, past: false, text: "unchanged for 118 d" },
    },
  }),
];

export function overviewOf(lists: {
  firing: readonly Alert[];
  waiting?: readonly Alert[];
  no_data?: readonly Alert[];
  held_back?: readonly Alert[];
  ok?: number;
  groups?: Overview["groups"];
  groupsTotal?: number;
  faults?: Overview["watch"]["faults"];
  rules?: number;
}): Overview {
  const {
    firing,
    waiting = [],
    no_data: missing = [],
    held_back: held = [],
    ok = 0,
    groups = [],
    groupsTotal,
    faults = [],
    rules = 19,
  } = lists;
  const by = (severity: string) => firing.filter((one) => one.severity === severity).length;
  const whole = { critical: by("critical"), warning: by("warning"), info: by("info") };
  const grouped = (severity: string) =>
    groups.filter((one) => one.severity === severity).reduce((sum, one) => sum + one.firing, 0);
  const counts =
    groups.length === 0
      ? whole
      : { critical: grouped("critical"), warning: grouped("warning"), info: grouped("info") };
  const fires = counts.critical + counts.warning + counts.info;
  return {
    version: 7,
    at: iso(NOW),
    watch: {
      sentence:
        faults.length > 0
          ? `Not everything is watched: ${faults.length} faults`
          : missing.length === 0
            ? rules === 0
              ? "No subjects"
              : "All 27 subjects watched"
            : "26 of 27 subjects watched",
      subjects: rules === 0 ? 0 : 27,
      watched: rules === 0 ? 0 : 27 - missing.length,
      rules,
      late_rules: 0,
      last_round: rules === 0 ? null : ago(12_000),
      next_round: rules === 0 ? null : iso(NOW + 48_000),
      endpoints: 8,
      channels: 4,
      failing: [],
      faults: [...faults],
    },
    counts: {
      alerts: 37,
      firing: fires,
      firing_by: counts,
      unacknowledged:
        groups.length === 0 ? firing.filter((one) => one.ack === null).length : fires - 38,
      pending: waiting.filter((one) => one.state === "pending").length,
      recovering: waiting.filter((one) => one.state === "recovering").length,
      no_data: missing.length,
      held_back: held.length,
      ok,
    },
    ribbon: {
      from: ago(24 * HOUR),
      step_ms: 15 * MINUTE,
      steps: Array.from({ length: 96 }, (_, i) => ({
        critical: i > 94 ? counts.critical : i > 26 && i < 30 ? 1 : 0,
        warning: fires === 0 ? (i > 60 && i < 70 ? 1 : 0) : i > 92 ? counts.warning : 2,
        info: i > 91 ? counts.info : i > 66 && i < 71 ? 1 : 0,
      })),
    },
    firing: { total: firing.length, first: [...firing] },
    groups: [...groups],
    groups_total: groupsTotal ?? groups.length,
    waiting: { total: waiting.length, first: [...waiting] },
    no_data: { total: missing.length, first: [...missing] },
    held_back: { total: held.length, first: [...held] },
    ok,
  };
}
