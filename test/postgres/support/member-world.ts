import { setTimeout as delay } from "node:timers/promises";
import { vi } from "vitest";
import { createLogger } from "../../../src/base/log.ts";
import { Member } from "../../../src/cluster/member.ts";
import { memberStore } from "../../../src/cluster/member-store.ts";
import { Sharing } from "../../../src/cluster/sharing.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { placeOf } from "./place.ts";
import type { Server } from "./server.ts";

/** A process that stands still for so long on a busy machine would be buried. */
export const LEASE_MS = 4_000;
const log = createLogger({
  level: "silent",
  stream: { write: () => true },
  pretty: false,
  secrets: [],
});

interface JoinOptions {
  readonly port?: number;
  readonly onOutage?: "continue" | "suspend";
  readonly weight?: number;
}

interface ShareOptions extends JoinOptions {
  readonly hash?: string;
  readonly text?: string | null;
}

/** Members of clusters on a server, whose daemons do nothing; `close` ends them all. */
export function memberWorld(server: () => Server) {
  const members: Member[] = [];
  const stops: (() => Promise<void>)[] = [];

  async function join(
    schema: string,
    name: string,
    { port, onOutage = "continue", weight = 1 }: JoinOptions = {},
    hash = () => "same",
  ): Promise<Member> {
    const member = await Member.join({
      place: placeOf(server().url(schema, port === undefined ? {} : { port })),
      cluster: { name, onOutage, weight },
      version: "1",
      config: () => hash(),
      log,
      leaseMs: LEASE_MS,
    });
    members.push(member);
    return member;
  }

  /** A member whose daemon does nothing but note what it holds. */
  async function share(
    schema: string,
    name: string,
    { hash = "same", text = null, ...options }: ShareOptions = {},
  ) {
    const seat = {
      hash,
      holding: new Map<string, number>() as ReadonlyMap<string, number>,
      /** By hash: what it can decide by. */
      can: new Set([hash]),
      /** By which configurations others decided when it went over to another one. */
      waitedFor: new Array<string>(),
      /** Those of its slots of which it was told, when it went over, that their state is that of the configuration. */
      upThen: 0,
      /** It is no time to go over to another part. */
      isBusy: false,
      /** What it has given away though it still held it. */
      lost: new Array<string>(),
      /** The slots in which something waits for others. */
      waiting: new Set<string>(),
      /** How often it has heard that all slots are decided by one configuration. */
      settled: 0,
    };
    const member = await join(schema, name, options, () => seat.hash);
    const release = member.release.bind(member);
    vi.spyOn(member, "release").mockImplementation(async (names) => {
      seat.lost.push(...names.filter((one) => seat.holding.has(one)));
      await release(names);
    });
    const buried: string[] = [];
    const sharing = new Sharing(
      {
        member,
        channels: () => ["slack"],
        hash: () => seat.hash,
        own: { hash, text },
        log,
        leaseMs: LEASE_MS,
      },
      {
        hold: async ({ held }) => {
          if (seat.isBusy) throw new Error("busy");
          seat.holding = held;
        },
        prepare: async (config) => (seat.can.has(config.hash) ? null : "a mistake"),
        adopt: async (next, { held, current, behind }) => {
          if (seat.isBusy) throw new Error("busy");
          seat.hash = next;
          seat.upThen += current.size;
          seat.holding = held;
          seat.waitedFor.push(...behind.keys());
        },
        waiting: () => seat.waiting,
        heldUp: () => {},
        settled: () => {
          seat.settled += 1;
        },
        noticed: () => {},
        buried: (who) => void buried.push(who),
        subjects: () => 0,
      },
    );
    sharing.start();
    stops.push(() => sharing.stop());
    const place = placeOf(server().url(schema));
    const store = async () =>
      memberStore(await openPostgresStore(place, { id: member.id, held: () => seat.holding }), () =>
        member.mayWork(),
      );
    const slots = (): string[] => [...seat.holding.keys()].filter((one) => /^s\d/.test(one));
    return { member, sharing, seat, buried, store, slots };
  }

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await delay(20);
  };

  return {
    join,
    share,
    until,
    close: async () => {
      await Promise.all(stops.splice(0).map((stop) => stop()));
      await Promise.all(members.splice(0).map((one) => one.leave()));
    },
  };
}
