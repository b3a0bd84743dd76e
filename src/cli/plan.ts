import { chainName } from "../base/chains.ts";
import { systemClock } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import { countOf, someNames } from "../base/text.ts";
import { createHttpSource } from "../fetch/http.ts";
import { KINDS } from "../kinds/index.ts";
import { withHoldings } from "../kinds/owned.ts";
import type { Holdings, ServiceConfig } from "../model/index.ts";
import { ownerAsks, ownersEveryMs } from "../ops/holdings.ts";
import { type Counts, type Forecast, forecast, type RoundForecast, totalOf } from "./forecast.ts";
import { EXIT, type Io } from "./io.ts";
import { knownHoldings } from "./known-holdings.ts";
import { type ChainCalls, nodeCalls } from "./node-calls.ts";
import { headsOf } from "./own-service.ts";
import { iso, print, reportWarnings, table } from "./report.ts";
import { readSetup } from "./setup.ts";

export interface PlanOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** `tickwatch plan`: the exit code. Throws ConfigError. */
export async function plan(options: PlanOptions, io: Io): Promise<number> {
  const { setup, warnings } = await readSetup(options.config, io);
  if (options.json !== true) reportWarnings(warnings, io);
  const source = createHttpSource({ ...addressed(setup.service), log: () => {} });
  try {
    const now = systemClock().now();
    const known = await knownHoldings(setup);
    const { rules } = withHoldings(setup, known, KINDS);
    const found = forecast(rules, KINDS, source, now - (now % DAY));
    const { requestsPerSecond, rpc } = setup.service;
    const owners = ownerAsks(rules, KINDS);
    const lists = [{ asked: [{ asks: [...owners.values()] }], times: DAY / ownersEveryMs(rules) }];
    const nodes =
      rpc === null || rpc === undefined
        ? []
        : nodeCalls([...found.rounds, ...(owners.size === 0 ? [] : lists)], rpc, headsOf(setup));
    print(options, io, {
      value: () => report(found, nodes),
      page: () =>
        [
          page(found, requestsPerSecond),
          ...ownerLines([...owners.keys()], known),
          ...nodeLines(nodes),
        ].join("\n"),
    });
    return EXIT.fine;
  } finally {
    await source.close();
  }
}

/** A service that the daemon itself is has its address when it runs; here nothing is asked. */
function addressed(service: ServiceConfig): ServiceConfig {
  if (service.rpc === null || service.rpc === undefined) return service;
  const url = "http://127.0.0.1";
  return { ...service, baseUrl: url, legacyBaseUrl: url };
}

function report({ rounds, hour, day, busiest }: Forecast, nodes: readonly ChainCalls[]): unknown {
  return {
    rounds: rounds.map(({ rules, times, first, least, most, extras, once }) => ({
      rules,
      times,
      first_at: iso(first),
      least: countsOf(least),
      most: countsOf(most),
      bad_ids_at_most: countsOf(extras),
      first_round_besides: countsOf(once),
    })),
    hour_at_most: countsOf(hour),
    day_at_most: countsOf(day),
    busiest: busiest === null ? null : { ...busiest, at: iso(busiest.at) },
    // Only where nodes answer.
    ...(nodes.length === 0 ? {} : { node_calls_at_most: nodes.map(callsOf) }),
  };
}

function callsOf({ chainId, blockSeconds, following, reading, first }: ChainCalls): unknown {
  return {
    chain_id: chainId,
    block_seconds: blockSeconds,
    following,
    reading,
    day: following + reading,
    first_start_besides: first,
  };
}

/** Whose positions are in the counts above, and whose are not. */
function ownerLines(keys: readonly string[], known: Holdings): readonly string[] {
  if (keys.length === 0) return [];
  const held = keys.flatMap((key) => [...(known.get(key)?.keys() ?? [])]).length;
  const unknown = keys.filter((key) => !known.has(key)).length;
  const counted = `Rules by owner: ${countOf(held, "position")}, as the daemon was told last`;
  const lines = unknown === keys.length ? [] : [`${counted}.`];
  if (unknown > 0) {
    lines.push(
      `Rules by owner: ${countOf(unknown, "list")} of positions, unknown until the daemon has run, and not counted.`,
    );
  }
  return ["", ...lines];
}

/** Providers count calls, and each of a batch by itself. */
function nodeLines(nodes: readonly ChainCalls[]): readonly string[] {
  if (nodes.length === 0) return [];
  const head = ["chain", "a block every", "to follow blocks", "to read state", "in a day", "once"];
  const rows = nodes.map(({ chainId, blockSeconds, following, reading, first }) => [
    chainName(chainId),
    `${blockSeconds} s`,
    shown(following),
    shown(reading),
    shown(following + reading),
    shown(first),
  ]);
  return [
    "",
    "Calls to your nodes, at most. Each call of a batch counts; once: at the first start.",
    table(head, rows),
  ];
}

function countsOf(counts: Counts): unknown {
  return { total: totalOf(counts), endpoints: Object.fromEntries(counts) };
}

function page(found: Forecast, perSecond: number): string {
  const { rounds, hour, day, busiest } = found;
  const lines = rounds.flatMap((round) => roundLines(round));
  const endpoints = [...day.keys()].toSorted();
  const totals = table(
    ["endpoint", "in the busiest hour", "in a day"],
    [
      ...endpoints.map((name) => [name, shown(hour.get(name) ?? 0), shown(day.get(name) ?? 0)]),
      ["all", shown(totalOf(hour)), shown(totalOf(day))],
    ],
  );
  const last =
    busiest === null
      ? "No rule is due today."
      : `Busiest second: ${timeOf(busiest.at)}, ${requests(busiest.requests)}, sent within ${shown(
          Math.max(1, Math.ceil(busiest.requests / perSecond)),
        )} s at ${shown(perSecond)} a second.`;
  return [...lines, totals, "", last].join("\n");
}

function roundLines(round: RoundForecast): string[] {
  const { rules, times, first, least, most, extras, once } = round;
  const many = `${shown(times)} ${times === 1 ? "round" : "rounds"} a day, the first at ${timeOf(first)}`;
  const surely = totalOf(least);
  const total = totalOf(most);
  const size = surely === total ? requests(total) : `${shown(surely)} to ${requests(total)}`;
  const rows = [...most].map(([name, count]) => {
    const sure = least.get(name) ?? 0;
    const range = sure === count ? shown(count) : `${shown(sure)} to ${shown(count)}`;
    return [name, range, shown(once.get(name) ?? 0), shown(extras.get(name) ?? 0)];
  });
  const others = [...once].filter(([name]) => !most.has(name));
  for (const [name, count] of others) rows.push([name, "0", shown(count), "0"]);
  const head = ["endpoint", "requests", "more in the first round", "more for bad ids, at most"];
  const body = table(head, rows).replaceAll(/^/gm, "  ");
  return [`${many}: ${size}`, `  rules: ${someNames(rules, MOST_NAMED)}`, body, ""];
}

const MOST_NAMED = 6;

function requests(count: number): string {
  return `${shown(count)} ${count === 1 ? "request" : "requests"}`;
}

function shown(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}
