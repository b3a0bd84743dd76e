import { asMap, textsOf } from "../../base/json.ts";
import type { Fingerprints } from "./fingerprints.ts";

/** The configuration that a daemon runs, as it is written down for those who look from beside it. */
export interface ConfigurationState {
  /** When it was loaded, epoch milliseconds. */
  readonly loadedAt: number;
  /** The address at which people reach the page; null: there is none, or it is not written. */
  readonly page: string | null;
  /** What was wrong with the files when they were read last; null: nothing. */
  readonly failure: LoadFailure | null;
  /** What has changed in the files and applies at the next start only, by its keys. */
  readonly needsRestart: readonly string[];
  /** The daemons for whom it waited to be in force when it had just been loaded. */
  readonly waitsFor: readonly string[];
  /** Its files are older than the configuration of the cluster, which decides. */
  readonly isOlder: boolean;
  /** What the last loading has changed. */
  readonly changes: LoadedChanges;
  /** What it says beside the rules, and what the hashes were made with; empty: that is not known. */
  readonly fingerprints: Fingerprints;
  readonly salt: string;
  /** The request that was answered last; null: there was none yet. */
  readonly answered: string | null;
}

export interface LoadFailure {
  /** Since when the files have not been as they should be, epoch milliseconds. */
  readonly since: number;
  /** So many problems were found. */
  readonly count: number;
  /** The first of them, each on one line, without a secret. */
  readonly problems: readonly string[];
  /** People were told. */
  readonly told: boolean;
}

interface NamedChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface LoadedChanges {
  readonly rules: NamedChanges;
  readonly channels: NamedChanges;
}

const NONE: NamedChanges = { added: [], changed: [], removed: [] };
export const NO_CHANGES: LoadedChanges = { rules: NONE, channels: NONE };

/** For the mark `CONFIGURATION_MARK`. */
export function stateToText(state: ConfigurationState): string {
  return JSON.stringify(state);
}

/** Reads what was written down; null for anything else. */
export function stateFromText(text: string | null): ConfigurationState | null {
  const read: unknown = text === null ? null : JSON.parse(text);
  const map = asMap(read) ?? {};
  const { loadedAt, page, failure, needsRestart, changes, answered, fingerprints, salt } = map;
  if (typeof loadedAt !== "number") return null;
  const { rules, channels } = asMap(changes) ?? {};
  return {
    loadedAt,
    page: typeof page === "string" ? page : null,
    failure: failureFrom(failure),
    needsRestart: textsOf(needsRestart),
    waitsFor: textsOf(map.waitsFor),
    isOlder: map.isOlder === true,
    changes: { rules: changesFrom(rules), channels: changesFrom(channels) },
    fingerprints: Object.fromEntries(
      Object.entries(asMap(fingerprints) ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    salt: typeof salt === "string" ? salt : "",
    answered: typeof answered === "string" ? answered : null,
  };
}

function failureFrom(value: unknown): LoadFailure | null {
  const { since, count, problems, told } = asMap(value) ?? {};
  if (typeof since !== "number" || typeof count !== "number") return null;
  return { since, count, problems: textsOf(problems), told: told === true };
}

function changesFrom(value: unknown): NamedChanges {
  const { added, changed, removed } = asMap(value) ?? {};
  return { added: textsOf(added), changed: textsOf(changed), removed: textsOf(removed) };
}
