import type { Channel, ChannelKind } from "../../src/channels/channel.ts";
import type { Store } from "../../src/store/store.ts";
import type { Death } from "./life.ts";

/** Counts the steps of a process and ends it, as `kill -9` does, when its time has come. */
export class Reaper {
  readonly counts = new Map<string, number>();
  readonly #death: Death | null;
  #all = 0;

  constructor(death: Death | null) {
    this.#death = death;
  }

  async step<T>(name: string, act: () => T | Promise<T>): Promise<T> {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    this.#all += 1;
    const death = this.#death;
    const due =
      death !== null &&
      (death.step === null
        ? death.count === this.#all
        : death.step === name && death.count === count);
    if (due && death.moment === "before") die();
    const result = await act();
    if (due && death.moment === "after") die();
    return result;
  }
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // Nothing may happen any more until the signal has done its work.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error("a killed process went on");
}

/** The store, each of whose operations is a step; those for one channel are counted by channel. */
export function mortalStore(store: Store, reaper: Reaper): Store {
  const channels = new Map<string, string>();
  return new Proxy(store, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (typeof found !== "function" || typeof key !== "string") return found;
      const act = (args: readonly unknown[]): unknown => Reflect.apply(found, target, args);
      // To look for silences, commands and what may be let go is to read as well.
      if (LOOKS.has(key)) return (...args: readonly unknown[]): unknown => act(args);
      if (key !== "claim") {
        return (...args: readonly unknown[]): Promise<unknown> =>
          reaper.step(nameOf(key, args, channels), () => act(args));
      }
      // To claim is to read. How often there is nothing to claim is a matter of chance: no step.
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const claimed: unknown = await act(args);
        if (isIdle(claimed)) return claimed;
        if (isClaimed(claimed)) channels.set(claimed.message.id, claimed.message.channel);
        return reaper.step(nameOf(key, args, channels), () => claimed);
      };
    },
  });
}

const LOOKS: ReadonlySet<string> = new Set(["silences", "held", "commands"]);

function nameOf(key: string, args: readonly unknown[], channels: Map<string, string>): string {
  const [first] = args;
  if (key === "settle") return `settle ${channels.get(String(first)) ?? "?"}`;
  if (typeof first === "string") return `${key} ${first}`;
  return isMessage(first) ? `${key} ${first.channel}` : key;
}

interface Addressed {
  readonly id: string;
  readonly channel: string;
}

function isMessage(value: unknown): value is Addressed {
  return typeof value === "object" && value !== null && "channel" in value && "id" in value;
}

function isIdle(claim: unknown): boolean {
  return typeof claim === "object" && claim !== null && "kind" in claim && claim.kind === "idle";
}

function isClaimed(value: unknown): value is { readonly message: Addressed } {
  return (
    typeof value === "object" && value !== null && "message" in value && isMessage(value.message)
  );
}

/** The channel kinds, each of whose sends is a step. */
export function mortalKinds(
  kinds: ReadonlyMap<string, ChannelKind>,
  reaper: Reaper,
): ReadonlyMap<string, ChannelKind> {
  return new Map(
    Array.from(kinds, ([name, kind]) => [
      name,
      { ...kind, open: (settings, tools) => mortalChannel(kind.open(settings, tools), reaper) },
    ]),
  );
}

function mortalChannel(channel: Channel, reaper: Reaper): Channel {
  return {
    ...(channel.digests === undefined ? {} : { digests: channel.digests }),
    ...(channel.gapMs === undefined ? {} : { gapMs: channel.gapMs }),
    // Another life may render otherwise, as another version would: what was frozen counts.
    render: (notice) => {
      const body: unknown = JSON.parse(channel.render(notice));
      return JSON.stringify({ ...(body as object), life: process.pid });
    },
    send: (message, signal) =>
      reaper.step(`send ${message.channel}`, () => channel.send(message, signal)),
    close: () => channel.close(),
  };
}
