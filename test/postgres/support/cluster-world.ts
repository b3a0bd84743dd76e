import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { poolRecord } from "../../kinds/records.ts";
import { makeAlertWorld } from "../../support/alert-world.ts";
import { type LogLine, type Owner, type Program, startProgram } from "../../support/program.ts";
import { sendJson } from "../../support/scripted-service.ts";
import type { Network } from "./network.ts";
import { freshSchema } from "./place.ts";
import type { Server } from "./server.ts";

/** The longest that people are told a takeover takes, and as much again for a busy machine. */
export const TAKEOVER_MS = 2 * 20_000;

export const POOLS = Array.from(
  { length: 24 },
  (_, at) => `0x${(at + 1).toString(16).padStart(64, "0")}`,
);
/** What people call a pool. */
export const nameOf = (id: string): string => `Pool ${id.slice(-4)}`;
export const listed = (ids: readonly string[]): string =>
  ids.map((id) => `{id: "${id}", name: ${nameOf(id)}}`).join(", ");

/** That a machine is too busy for a round a second is not what a test is about. */
export const RULES = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [${listed(POOLS)}]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1s
    missing_after: 5m
  - name: tvl-sum
    watch: {kind: v4_pool, chain: 1, pools: [${listed(POOLS.slice(0, 4))}]}
    across: sum
    when: {metric: tvl_usd, below: 3000 usd}
    schedule: 1s
    missing_after: 5m
`;

const PART = "this daemon's part of the work";

/** How many slots a daemon says that it has. */
function partOf({ slots }: LogLine): number {
  return Number(slots ?? 0);
}

export function isPart({ msg }: LogLine): boolean {
  return msg === PART;
}

/** The first time, past or to come, that a daemon says that it has such a part. */
export function shares(program: Program, fits: (slots: number) => boolean): Promise<LogLine> {
  return program.logLine((line) => isPart(line) && fits(partOf(line)));
}

export interface Start {
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onOutage?: "continue" | "suspend";
  /** It reaches the server by this port. */
  readonly port?: number;
  /** It runs in this network of its own. */
  readonly network?: Network;
}

interface WorldOptions {
  readonly rules?: string;
  /** Some daemons run in it. All must ask the service at the same address. */
  readonly network?: Network | null;
}

/** Daemons with the same rules on one store, a service whose values a test sets, and a Slack that notes what it is told. */
export async function makeClusterWorld(
  owner: Owner,
  server: Server,
  { rules = RULES, network: around = null }: WorldOptions = {},
) {
  const world = await makeAlertWorld(owner, { rules });
  const { place, service, slack } = world;
  const schema = freshSchema();
  const env = { ...place.env, DATABASE_URL: server.url(schema) };
  const origin = (await around?.wayTo(service.baseUrl)) ?? service.baseUrl;
  const written = (await readFile(place.config, "utf8")).replace(service.baseUrl, origin);
  const text = `${written}self: {notify: [slack]}\nreload: signal\n`;
  const configOf = (name: string): string => join(place.folder, `${name}.yaml`);
  /** Each has a key of its own, by which the service knows who asks. */
  const start = async (name: string, how: Start = {}): Promise<Program> => {
    const { onOutage = "continue", port, network } = how;
    const store = `store: "\${env:DATABASE_URL}"\ncluster: {name: ${name}, on_outage: ${onOutage}}`;
    const its: Record<string, string> = {
      ...env,
      ...how.env,
      KEY: `key of ${name}`,
      ...(port === undefined ? {} : { DATABASE_URL: server.url(schema, { port }) }),
    };
    if (network !== undefined) {
      its.SLACK_URL = await network.wayTo(slack.origin);
      its.DATABASE_URL = server.url(schema).replace("127.0.0.1", network.host);
    }
    await writeFile(configOf(name), text.replace(/^store: .*$/m, store));
    const args = ["run", "--config", configOf(name)];
    const program =
      network === undefined
        ? startProgram(owner, args, { env: its })
        : startProgram(owner, network.inside(args), { file: "ip", env: its });
    await program.logLine(({ msg }) => msg === "watching");
    return program;
  };
  const values = new Map<string, number>();
  /** As a good service does, but for those whom `refuses` names by their keys. */
  const answers = (refuses: (key: string) => boolean = () => false): void =>
    service.answer(({ endpoint, query, key = "" }) => {
      if (refuses(key)) return (response) => sendJson(response, 500, { error: "down" });
      return endpoint === "pool"
        ? query
            .getAll("pool_ids")
            .map((id) => poolRecord({ pool_id: id, tvl_usd: values.get(id) ?? 1_000 }))
        : null;
    });
  answers();
  /** The TVL of every pool from now on, or of some. */
  const tvl = (usd: number, ids = POOLS): void => {
    for (const id of ids) values.set(id, usd);
  };
  /** How often each pool was told of in such words, by all messages. */
  const told = (word: string): number[] =>
    POOLS.map(
      (id) =>
        slack.received.filter(({ body }) => body.includes(word) && body.includes(nameOf(id)))
          .length,
    );
  const command = async (...args: readonly string[]) =>
    await startProgram(owner, [...args, "--config", configOf("one")], { env }).ended;
  return { ...world, start, tvl, told, command, answers, schema };
}
