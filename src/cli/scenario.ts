import type { z } from "zod";
import { kindOf } from "../base/settings.ts";
import { Document } from "../config/files/document.ts";
import { ConfigError } from "../config/files/problem.ts";
import { decode, LARGEST_FILE, readFromDisk, readTrouble } from "../config/files/read-text.ts";
import { findingsOf, isMap, unknownKey, type Words } from "../config/files/shape.ts";
import { TextFile } from "../config/files/text-file.ts";
import { refuseErrors } from "../config/settings/read-config.ts";
import { errorAt, type Path } from "../rules/finding.ts";
import type { Fault } from "../serve/faults.ts";
import { createMarket } from "../simulator/market.ts";
import { ScriptError, type ScriptEvent } from "../simulator/script.ts";
import { EVENT, FAULT } from "./scenario-keys.ts";

/** What happens in the market and what the service does wrong, counted from the market's start. */
export interface Scenario {
  readonly script: readonly ScriptEvent[];
  readonly faults: readonly Fault[];
}

export const NO_SCENARIO: Scenario = { script: [], faults: [] };

const KEYS = ["events", "faults"];

/** Reads a scenario file. Throws ConfigError with everything that is wrong with it. */
export async function readScenario(path: string): Promise<Scenario> {
  let bytes: Uint8Array;
  try {
    bytes = await readFromDisk(path, LARGEST_FILE);
  } catch (error) {
    throw new ConfigError([new TextFile(path, "").problem(0, `the file ${readTrouble(error)}`)]);
  }
  const file = decode(path, bytes);
  if (!(file instanceof TextFile)) throw new ConfigError([file]);
  const document = new Document(file);
  const scenario = scenarioIn(document);
  refuseErrors(document);
  return scenario;
}

function scenarioIn(document: Document): Scenario {
  const { root } = document;
  if (root === undefined) return NO_SCENARIO;
  if (!isMap(root)) {
    document.report(
      errorAt([], `the scenario is ${kindOf(root)}`, { expected: "events: and faults:" }),
    );
    return NO_SCENARIO;
  }
  for (const key of Object.keys(root)) {
    if (KEYS.includes(key)) continue;
    document.report(unknownKey(key, [key], { what: "a scenario", keys: KEYS }));
  }
  const script = readItems(EVENT, root.events, ["events"], "an event", document);
  const faults = readItems(FAULT, root.faults, ["faults"], "a fault", document).map(faultOf);
  if (document.errors.length === 0) checkAgainstMarket(script, document);
  return { script, faults };
}

function readItems<T>(
  schema: z.ZodType<T>,
  raw: unknown,
  path: Path,
  what: string,
  document: Document,
): T[] {
  if (raw === undefined) return [];
  if (!Array.isArray(raw)) {
    document.report(
      errorAt(path, raw === null ? "has no value" : `is ${kindOf(raw)}`, { expected: "a list" }),
    );
    return [];
  }
  return raw.flatMap((item: unknown, i) => {
    const read = schema.safeParse(item);
    if (read.success) return [read.data];
    const words: Words = { what, keys: keysOf(isMap(item) ? item.kind : null) };
    for (const finding of findingsOf(read.error, [...path, i], words)) document.report(finding);
    return [];
  });
}

/** The keys of events and faults of a kind, for suggestions. */
function keysOf(kind: unknown): readonly string[] {
  const kinds = [...EVENT.options, ...FAULT.options];
  const found = kinds.find(({ shape }) => shape.kind.value === kind);
  return found === undefined ? [] : Object.keys(found.shape);
}

function faultOf(given: z.infer<typeof FAULT>): Fault {
  switch (given.kind) {
    case "status": {
      const { retry_after: retryAfter = null, ...fault } = given;
      return { ...fault, retryAfter };
    }
    case "slow":
    case "lag": {
      const { by: ms, ...fault } = given;
      return { ...fault, ms };
    }
    case "missing":
      return { ...given, ids: given.ids.map((id) => id.toLowerCase()) };
    default:
      return given;
  }
}

/** Whether the market has what the events name. */
function checkAgainstMarket(script: readonly ScriptEvent[], document: Document): void {
  try {
    createMarket({ seed: 1, start: 0, script });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const [, problem = ""] = error.message.split(/^script event \d+: /);
    document.report(errorAt(["events", error.index], problem));
  }
}
