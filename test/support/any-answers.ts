import fc from "fast-check";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";

/** Answers of every sort for the rules of any-rules.ts, by minute since a start. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const POOLS = [
  { id: `0x${"ab".repeat(32)}`, chain: 1 },
  { id: `0x${"9d".repeat(32)}`, chain: 1 },
  { id: `0x${"ef".repeat(32)}`, chain: 137 },
] as const;
export const SUPPLY_TOKEN = `0x${"1f".repeat(20)}`;
export const HOLDERS_TOKEN = `0x${"2e".repeat(20)}`;

/** A level from which all values are made, or what comes in its place. */
export type State = number | "null" | "absent" | "failed" | "old";

/** What is answered of one thing, minute by minute; after the end its last state goes on. */
export type Track = readonly State[];

/** By its name: `v4_pool ID`, `gas_hour 1`, `supply 137`, `holder_count`, `v4_position`. */
export type Tracks = ReadonlyMap<string, Track>;

export const TRACKS: readonly string[] = [
  ...POOLS.map(({ id }) => `v4_pool ${id}`),
  "gas_hour 1",
  "gas_hour 137",
  "supply 1",
  "supply 137",
  "holder_count",
  "v4_position",
];

const state: fc.Arbitrary<State> = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 6, max: 12 }) },
  { weight: 3, arbitrary: fc.constantFrom<State>("null", "absent", "failed", "old") },
);

/** Stretches of one to nine minutes, `minutes` long together. */
function anyTrack(minutes: number, states = state): fc.Arbitrary<Track> {
  const least = Math.ceil(minutes / 5);
  return fc
    .array(fc.tuple(states, fc.constantFrom(1, 1, 1, 2, 3, 5, 9)), {
      minLength: least,
      maxLength: least + 15,
    })
    .map((all) =>
      all.flatMap(([one, n]) => Array.from({ length: n }, () => one)).slice(0, minutes),
    );
}

export function anyTracks(minutes: number, states = state): fc.Arbitrary<Tracks> {
  const all = TRACKS.map((name) => anyTrack(minutes, states).map((one) => [name, one] as const));
  return fc.tuple(...all).map((entries) => new Map(entries));
}

/** The track of a record that is asked for. */
function trackOf({ record, chainId, id }: Ask): string {
  if (record === "v4_pool") return `v4_pool ${id}`;
  return record === "holder_count" || record === "v4_position" ? record : `${record} ${chainId}`;
}

export function stateAt(tracks: Tracks, name: string, minute: number): State {
  const track = tracks.get(name) ?? [];
  return track[Math.max(0, Math.min(minute, track.length - 1))] ?? "absent";
}

/** The fields of a record in that state; `start` and the minute since then give its own time. */
export function fieldsIn(
  record: Ask["record"],
  given: number | "null" | "old",
  minute: number,
  start: number,
): RawRecord {
  const old = given === "old";
  const value = given === "null" ? null : old ? 3 : given;
  const times = (scale: number): number | null => (value === null ? null : value * scale);
  // Its own time stands still for up to eight minutes; an older record is older by both.
  const own = start / 1_000 + Math.floor(minute / 8) * 8 * 60;
  const mark = {
    block_number: String(old ? 5 : 1_000 + Math.floor(minute / 8)),
    timestamp: String(old ? own - 86_400 : own),
  };
  switch (record) {
    case "v4_pool":
      return {
        tvl_usd: times(100),
        swap_count: times(10),
        current_tick: times(1_000),
        ...mark,
      };
    case "v4_position":
      return {
        pool_id: POOLS[0].id,
        lower_tick: 8_000,
        upper_tick: 10_500,
        liquidity: value === 12 ? "0" : "5000",
        core_total_usd: times(100),
        ratio: 0.5,
        ...mark,
      };
    case "gas_hour":
      return { avg_priority_fee_top10_threshold: value === null ? null : `${value}000000000` };
    case "supply":
      return { total_supply: value === null ? null : `${value * 10}` };
    default:
      return { holder_count: times(10) };
  }
}

/** What the service says at `date`, where the tracks begin at `start`. */
export function answersOf(tracks: Tracks, start: number): (ask: Ask, date: number) => Answer {
  return (ask, date) => {
    const name = trackOf(ask);
    const minute = Math.floor((date - start) / MINUTE);
    const now = stateAt(tracks, name, minute);
    if (now === "failed") {
      return { status: "failed", failure: { reason: "timeout", detail: "timed out after 10 s" } };
    }
    if (ask.record === "gas_hour")
      return { status: "ok", records: hoursOf(tracks, name, start, date) };
    if (!tracks.has(name) || now === "absent") return { status: "absent" };
    const identity = identityOf(ask);
    return {
      status: "ok",
      records: [{ ...identity, ...fieldsIn(ask.record, now, minute, start) }],
    };
  };
}

function identityOf({ record, chainId, id }: Ask): RawRecord {
  if (record === "v4_pool") return { pool_id: id, chain_id: chainId };
  if (record === "v4_position") return { nft_id: id, chain_id: chainId, protocol: "dexa" };
  return { token_address: id, chain_id: chainId };
}

/** The hours since the start, each as it was last answered within it. */
function hoursOf(tracks: Tracks, name: string, start: number, date: number): RawRecord[] {
  const hours: RawRecord[] = [];
  for (let hour = start - (start % HOUR); hour <= date; hour += HOUR) {
    const end = Math.min(date, hour + HOUR - 1);
    let last: State = "failed";
    for (let at = Math.max(start, hour); at <= end; at += MINUTE) {
      const one = stateAt(tracks, name, Math.floor((at - start) / MINUTE));
      if (one !== "failed") last = one;
    }
    if (last === "failed" || last === "absent") continue;
    const fields = fieldsIn("gas_hour", last, 0, start);
    hours.push({ hour: new Date(hour).toISOString().replace(".000Z", "Z"), ...fields });
  }
  return hours;
}
