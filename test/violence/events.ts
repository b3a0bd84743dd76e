import { setTimeout as pause } from "node:timers/promises";
import type { CommitFate, Relay } from "../postgres/support/relay.ts";
import type { Server } from "../postgres/support/server.ts";
import type { Member } from "./daemons.ts";

/** What is done to a daemon, to its way to the server, or to the server. */
export type EventKind =
  | "kill"
  | "stop"
  | "pause"
  | "silence"
  | "cut"
  | "reset"
  | "lost commit"
  | "unsent commit"
  | "held commit"
  | "server restart"
  | "clock"
  | "rollout";

/** By how often each comes. */
const WEIGHTS: Readonly<Record<EventKind, number>> = {
  kill: 5,
  pause: 5,
  stop: 3,
  silence: 3,
  cut: 3,
  reset: 4,
  "lost commit": 3,
  "unsent commit": 2,
  "held commit": 3,
  "server restart": 2,
  clock: 3,
  rollout: 5,
};

/** During these a daemon may be unable to tell whether another one has taken over. */
const BLINDING: ReadonlySet<EventKind> = new Set([
  "silence",
  "cut",
  "reset",
  "lost commit",
  "unsent commit",
  "held commit",
  "server restart",
]);

export interface Violence {
  readonly kind: EventKind;
  /** Index of the daemon that is hit. */
  readonly victim: number;
  /** How long it lasts, in leases. */
  readonly leases: number;
  /** Of a clock. */
  readonly shiftMs: number;
  /** Of new files: what it takes to be together from now on, by indices of pools. */
  readonly joined: readonly number[];
}

export function isBlinding({ kind }: Violence): boolean {
  return BLINDING.has(kind);
}

/** So many are there. */
const POOLS = 12;
const KINDS = Object.keys(WEIGHTS) as readonly EventKind[];

/** Throws Error. */
export function eventKind(text: string): EventKind {
  const kind = KINDS.find((one) => one === text);
  if (kind === undefined) throw new Error(`no such violence: ${text}`);
  return kind;
}

/** `working`: the daemons that work; most of the violence is against these, and all of it where it is `only` some. */
export function draw(
  random: () => number,
  members: number,
  working: readonly number[],
  only?: readonly EventKind[],
): Violence {
  const lots = (only ?? KINDS).flatMap((kind) => Array.from({ length: WEIGHTS[kind] }, () => kind));
  const found = lots[Math.floor(random() * lots.length)];
  const wantsWorking = random() < (only === undefined ? 0.7 : 1);
  const any = Math.floor(random() * members);
  const one = working[Math.floor(random() * working.length)];
  return {
    kind: found ?? "kill",
    victim: wantsWorking ? (one ?? any) : any,
    leases: 0.5 + random() * 3,
    shiftMs: (random() < 0.5 ? -1 : 1) * 3_600_000,
    joined: Array.from({ length: POOLS }, (_, at) => at).filter(() => random() < 0.4),
  };
}

/** Does it, and resolves when it is over. */
export async function commit(
  { kind, leases, shiftMs, joined }: Violence,
  victim: Member,
  server: Server,
  leaseMs: number,
): Promise<void> {
  const { relay } = victim;
  const lasts = leases * leaseMs;
  switch (kind) {
    case "kill":
    case "stop":
      victim.process.kill(kind === "kill" ? "SIGKILL" : "SIGTERM");
      await victim.process.ended;
      await pause(lasts);
      victim.start();
      return;
    case "pause":
      victim.process.kill("SIGSTOP");
      await pause(lasts);
      victim.process.kill("SIGCONT");
      return;
    case "silence":
      relay.swallow();
      await pause(lasts);
      relay.mend();
      return;
    case "cut":
      relay.cut();
      await pause(lasts);
      relay.mend();
      return;
    case "reset":
      relay.cut();
      relay.mend();
      return;
    case "lost commit":
    case "unsent commit":
      await spoilAll(relay, kind === "lost commit" ? "lost" : "unsent", lasts);
      return;
    case "held commit":
      if (await comesTo(relay.spoil("held"), lasts)) await pause(lasts);
      relay.spare();
      relay.mend();
      return;
    case "server restart":
      await server.stop();
      await pause(Math.min(lasts, leaseMs));
      await server.start();
      return;
    case "rollout":
      victim.edit(joiningRule(joined));
      await pause(lasts);
      return;
    case "clock":
      victim.shift(shiftMs);
      await pause(lasts);
      victim.shift(0);
  }
}

/** Tells nothing, and moves pools to one slot, which others may decide still. */
function joiningRule(joined: readonly number[]): string {
  const ids = [0, ...joined].map((at) => `"0x${String(at + 1).padStart(64, "0")}"`);
  return `  - name: joined
    watch: {kind: v4_pool, chain: 1, pools: [${[...new Set(ids)].join(", ")}]}
    across: max
    when: {metric: tvl_usd, below: 1 usd}
`;
}

/** Every commit has that fate for so long; one that does not work commits nothing. */
async function spoilAll(relay: Relay, fate: CommitFate, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (await comesTo(relay.spoil(fate), until - performance.now()));
  relay.spare();
}

/** Whether it does within so long. */
async function comesTo(what: Promise<void>, ms: number): Promise<boolean> {
  return await Promise.race([what.then(() => true), pause(ms, false)]);
}
