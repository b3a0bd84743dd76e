import { SECOND } from "../base/duration.ts";
import { type PostgresPlace, targetOf } from "../base/postgres-url.ts";
import { storeFailure, unusable } from "../store/postgres/failure.ts";
import { SLOT_COUNT } from "../store/postgres/member-access.ts";
import { NEWEST_NUMBER, numberOf } from "../store/postgres/schema.ts";
import { connect } from "../store/postgres/session.ts";

/** What nobody has for so long is not watched, or not delivered to: a takeover is over by then. */
const LONGEST_TAKEOVER_MS = 20 * SECOND;

/** A daemon of a cluster as the others see it. */
export interface MemberView {
  readonly name: string;
  readonly version: string;
  /** The same text for those with the same rules. */
  readonly config: string;
  /** It has the configuration that is in force. */
  readonly isCurrent: boolean;
  /** Of 256 parts of the work. */
  readonly slots: number;
  /** The channels that it delivers to. */
  readonly channels: readonly string[];
  /** It does what one of them does for all. */
  readonly keeps: boolean;
  /** What it watches. */
  readonly subjects: number;
  /** Why it has no part of the work; null: it has, or is about to. */
  readonly why: string | null;
  /** Why it could not decide by the newest configuration; null: it could, or does. */
  readonly problem: string | null;
  /** Its own files say something older than what it decides by. */
  readonly hasOlderFiles: boolean;
  /** How far the clock of its machine is ahead of the server's, in milliseconds, to the second. */
  readonly clockMs: number;
  /** Epoch milliseconds, by the server's clock. */
  readonly joinedAt: number;
  /** For so long, in milliseconds, the others count it as alive if it does not renew that; negative: that is over. */
  readonly leftMs: number;
}

/** Work that nobody has. */
export interface FreeWork {
  /** Of 256. */
  readonly slots: number;
  readonly channels: readonly string[];
  /** For longer than a takeover takes. */
  readonly isOverdue: boolean;
}

export interface ClusterState {
  /** Those that are alive, in the order in which they joined. */
  readonly members: readonly MemberView[];
  readonly free: FreeWork;
  /** The newest configuration, while it is not in force everywhere; null: it is. */
  readonly rollout: RolloutView | null;
}

/** A configuration on its way. */
export interface RolloutView {
  /** The daemon that has loaded it. */
  readonly by: string;
  /** When, in epoch milliseconds. */
  readonly at: number;
  /** It has begun to go into force. */
  readonly isBegun: boolean;
  /** Of 256 parts of the work those that are decided by it. */
  readonly slots: number;
  /** The names of those that cannot decide by it, or have not looked at it yet. */
  readonly lacking: readonly string[];
}

const NOBODY: ClusterState = {
  members: [],
  free: { slots: SLOT_COUNT, channels: [], isOverdue: true },
  rollout: null,
};

const MEMBERS = `
SELECT name, version, config, joined_at AS joined, "leftMs", slots, keeps, subjects, why,
  problem, "hasOlderFiles", "clockMs",
  floor(extract(epoch FROM joined_at) * 1000)::float8 AS "joinedAt", channels,
  config IS NOT DISTINCT FROM (SELECT hash FROM configs WHERE begun_at IS NOT NULL
    ORDER BY number DESC LIMIT 1) AS "isCurrent"
FROM (
  SELECT members.*, floor(extract(epoch FROM until - now()) * 1000)::float8 AS "leftMs",
    (SELECT count(*) FROM leases WHERE owner = members.id AND leases.name ~ '^s[0-9]{3}$') AS slots,
    EXISTS (SELECT FROM leases WHERE owner = members.id AND leases.name = 'keeper') AS keeps,
    ARRAY(SELECT substr(leases.name, 9) FROM leases
      WHERE owner = members.id AND leases.name LIKE 'channel:%' ORDER BY 1) AS channels,
    coalesce((status ->> 'subjects')::bigint, 0) AS subjects, status ->> 'why' AS why,
    status ->> 'problem' AS problem,
    coalesce((status ->> 'hasOlderFiles')::boolean, false) AS "hasOlderFiles",
    coalesce((status ->> 'clockMs')::float8, 0) AS "clockMs"
  FROM members WHERE NOT dead
) AS alive ORDER BY joined_at, name`;

/** A channel that no configuration has any more is nobody's: its lease stays free. */
const FREE = `
SELECT leases.name, now() - coalesce(dead.until, freed_at) > $1 * interval '1 millisecond' AS overdue
FROM leases LEFT JOIN members AS dead ON dead.id = owner
WHERE (owner IS NULL OR dead.id IS NULL OR dead.dead OR dead.until < now())
  AND (leases.name NOT LIKE 'channel:%' OR EXISTS (
    SELECT FROM owed WHERE owed.message IS NULL AND owed.channel = substr(leases.name, 9)))`;

const ROLLOUT = `
SELECT by, floor(extract(epoch FROM at) * 1000)::float8 AS at, begun_at IS NOT NULL AS "isBegun",
  (SELECT count(*) FROM leases WHERE name ~ '^s[0-9]{3}$' AND decides >= number) AS slots,
  ARRAY(SELECT name FROM members WHERE NOT dead
    AND coalesce((status ->> 'passed')::integer, 0) < number ORDER BY name) AS lacking
FROM configs ORDER BY number DESC LIMIT 1`;

/** Throws StoreError. */
export async function readCluster(place: PostgresPlace): Promise<ClusterState> {
  const where = `the PostgreSQL schema ${place.schema}`;
  try {
    const session = await connect(targetOf(place));
    try {
      const number = await numberOf((...asked) => session.query(...asked), place.schema);
      if (number === null) return NOBODY;
      if (number < NEWEST_NUMBER) {
        throw unusable(where, "an older tickwatch wrote it: start a daemon of this version first");
      }
      const members = await session.query<MemberView>(MEMBERS);
      const free = await session.query<{ name: string; overdue: boolean }>(FREE, [
        LONGEST_TAKEOVER_MS,
      ]);
      const [newest] = await session.query<RolloutView>(ROLLOUT);
      const isOver = newest === undefined || (newest.isBegun && newest.slots === SLOT_COUNT);
      return {
        members,
        rollout: isOver ? null : newest,
        free: {
          slots: free.filter(({ name }) => /^s\d{3}$/.test(name)).length,
          channels: free.flatMap(({ name }) =>
            name.startsWith("channel:") ? [name.slice("channel:".length)] : [],
          ),
          isOverdue: members.length === 0 || free.some(({ overdue }) => overdue),
        },
      };
    } finally {
      await session.end();
    }
  } catch (error) {
    throw storeFailure(error, where);
  }
}
