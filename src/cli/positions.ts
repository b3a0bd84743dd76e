import { resolve } from "node:path";
import { chainByAlias, chainName } from "../base/chains.ts";
import { groupBy } from "../base/group-by.ts";
import { countOf } from "../base/text.ts";
import { readFromDisk } from "../config/files/read-text.ts";
import { loadNodes } from "../config/settings/read-nodes.ts";
import type { Setup } from "../model/index.ts";
import { EXIT, type Io } from "./io.ts";
import { lookOnce, type Seen, withOwnService } from "./look.ts";
import { print, table } from "./report.ts";
import { readSetup } from "./setup.ts";

export interface PositionsOptions {
  readonly config: string;
  readonly owner: string;
  readonly chain?: string;
  readonly json?: boolean;
}

/** A position as two rules see it, one for each metric. */
interface Listed {
  readonly id: string;
  readonly name: string;
  readonly chainId: number;
  readonly range: Seen | undefined;
  readonly value: Seen | undefined;
}

const KINDS = { v4_position: "V4", v3_position: "V3" } as const;
const METRICS = { in_range: "equals: false", value_usd: "below: 0 usd" } as const;

/**
 * `tickwatch positions`: what an address holds on the chains of the configuration's nodes; the exit code. Throws
 * ConfigError, and an Error when the user stops it.
 */
export async function positions(options: PositionsOptions, io: Io): Promise<number> {
  if (!/^0x[0-9a-fA-F]{40}$/.test(options.owner)) {
    return refuse(
      `--owner "${options.owner.slice(0, 60)}" is no address: 0x and 40 hex digits`,
      io,
    );
  }
  const rpc = await loadNodes(options.config, io.env);
  if (rpc === null) {
    return refuse("positions by owner are read from nodes: service.rpc in the configuration", io);
  }
  const wanted = options.chain === undefined ? undefined : chainOf(options.chain);
  const chains = [...rpc.chains.keys()].filter((one) => wanted === undefined || one === wanted);
  if (chains.length === 0) {
    const known = [...rpc.chains.keys()].map(chainName).join(", ");
    return refuse(`the configuration has no node of that chain, only of ${known}`, io);
  }
  const setup = await withRules(options, io, chains);
  const { seen, unread, round } = await withOwnService(setup, io, (its) =>
    lookOnce(its, io, Number.POSITIVE_INFINITY),
  );
  const listed = listOf(seen);
  print(options, io, {
    value: () => ({
      owner: options.owner,
      positions: listed.map(reportOf),
      ...(unread.length === 0 ? {} : { unread }),
    }),
    page: () => page(listed, unread, options.owner, chains),
  });
  return round.failed > 0 || unread.length > 0 ? EXIT.found : EXIT.fine;
}

function refuse(why: string, io: Io): number {
  io.err(`tickwatch: ${why}\n`);
  return EXIT.usage;
}

function chainOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : (chainByAlias(text)?.id ?? null);
}

/** The configuration with rules of ours in the place of its own: so a position is read and named as by a rule. */
async function withRules(
  { config, owner }: PositionsOptions,
  io: Io,
  chains: readonly number[],
): Promise<Setup> {
  const file = resolve("positions of an owner.yaml");
  const rules = chains.flatMap((chain) =>
    Object.keys(KINDS).flatMap((kind) =>
      Object.entries(METRICS).map(
        ([metric, limit]) =>
          `  - name: positions ${kind} ${metric} ${chain}\n` +
          `    watch: {kind: ${kind}, chain: ${chain}, owner: "${owner}"}\n` +
          `    when: {metric: ${metric}, ${limit}}\n`,
      ),
    ),
  );
  const text = Buffer.from(`rules:\n${rules.join("")}`);
  const { setup } = await readSetup(config, io, {
    rulesFile: file,
    readFile: async (path, most) => (path === file ? text : await readFromDisk(path, most)),
  });
  const ours = setup.rules.filter((rule) => rule.name.startsWith("positions v"));
  return { ...setup, rules: ours };
}

function listOf(seen: readonly Seen[]): readonly Listed[] {
  const bySubject = groupBy(seen, (one) => one.subject);
  return [...bySubject].flatMap(([subject, its]) => {
    const [first] = its;
    if (first === undefined) return [];
    const of = (metric: string): Seen | undefined =>
      its.find(({ rule }) => rule.includes(` ${metric} `));
    const { name, chainId } = first;
    return [{ id: subject, name, chainId, range: of("in_range"), value: of("value_usd") }];
  });
}

function reportOf({ id, name, chainId, range, value }: Listed): unknown {
  const facts = range?.description?.range ?? null;
  return {
    subject: id,
    name,
    chain_id: chainId,
    in_range: range?.value === null || range === undefined ? null : range.value === "true",
    range: facts === null ? null : { lower: facts.lower, upper: facts.upper, price: facts.price },
    value_usd: value?.value ?? null,
  };
}

function page(
  listed: readonly Listed[],
  unread: readonly string[],
  owner: string,
  chains: readonly number[],
): string {
  if (unread.length > 0 && listed.length === 0) return unread.join("\n");
  const where = chains.map(chainName).join(", ");
  if (listed.length === 0) return `${owner} holds no position with liquidity on ${where}`;
  const rows = listed.map(({ name, chainId, range, value }) => {
    const facts = range?.description?.range ?? null;
    const span = facts === null ? "" : `${facts.lower} to ${facts.upper} ${facts.unit}`;
    const shown = range?.trouble ?? (range?.value === "true" ? "in range" : "out of range");
    return [name, chainName(chainId), shown, span, facts?.price ?? "", value?.shown ?? ""];
  });
  const head = ["position", "chain", "state", "range", "price", "value"];
  const found = `${countOf(listed.length, "position")} of ${owner}`;
  return [table(head, rows), "", ...unread, found].join("\n");
}
