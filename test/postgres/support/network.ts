import { spawnSync } from "node:child_process";
import { MAIN, type Owner } from "../../support/program.ts";
import { startRelay } from "./relay.ts";

/** A network of its own, with one cable to this machine: whatever is in it reaches nothing else. */
export interface Network {
  /** The address of this machine at the other end of the cable. */
  readonly host: string;
  /** What `ip` is to be given to run the program with these arguments in it. */
  inside(args: readonly string[]): readonly string[];
  /** An origin on loopback as it is reached from inside. */
  wayTo(origin: string): Promise<string>;
  /** Pulls the cable out: nothing arrives, in either direction, and nobody is told. */
  cut(): void;
  mend(): void;
}

/** Makes it, by a network namespace; the end of the test removes it. Null, with a word: this machine does not let us. */
export function makeNetwork(owner: Owner): Network | null {
  const name = `tickwatch-${process.pid}`;
  const [near, far] = [`tw${process.pid}a`, `tw${process.pid}b`];
  const [third, fourth] = [process.pid % 254, ((process.pid >> 8) % 63) * 4];
  const [host, guest] = [1, 2].map((at) => `10.222.${third}.${fourth + at}`);
  const inside = ["-n", name];
  const commands = [
    ["netns", "add", name],
    ["link", "add", near, "type", "veth", "peer", "name", far, "netns", name],
    ["addr", "add", `${host}/30`, "dev", near],
    ["link", "set", near, "up"],
    [...inside, "addr", "add", `${guest}/30`, "dev", far],
    [...inside, "link", "set", "lo", "up"],
    [...inside, "link", "set", far, "up"],
  ];
  // Its end of the cable goes with it.
  owner.onTestFinished(() => void ip(["netns", "del", name]));
  for (const one of commands) {
    const trouble = ip(one);
    if (trouble === null) continue;
    process.stderr.write(`skipped: no network namespace can be made: ${trouble}\n`);
    return null;
  }
  return {
    host: host ?? "",
    inside: (args) => ["netns", "exec", name, process.execPath, MAIN, ...args],
    async wayTo(origin) {
      const relay = await startRelay(Number(new URL(origin).port), host);
      owner.onTestFinished(() => relay.close());
      return `http://${host}:${relay.port}`;
    },
    cut: () => must([...inside, "link", "set", far, "down"]),
    mend: () => must([...inside, "link", "set", far, "up"]),
  };
}

/** What is wrong; null: it was done. */
function ip(args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync("ip", args, { encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? stderr.trim();
}

function must(args: readonly string[]): void {
  const trouble = ip(args);
  if (trouble !== null) throw new Error(`ip ${args.join(" ")}: ${trouble}`);
}
