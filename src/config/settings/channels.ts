import { z } from "zod";
import { isMap } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { kindOf } from "../../base/settings.ts";
import { Secret } from "../../base/text.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { ChannelConfig } from "../../model/index.ts";
import {
  errorAt,
  errorAtKey,
  type Path,
  type Report,
  shown,
  warningAt,
  wrongType,
} from "../../rules/finding.ts";
import { isKindWord } from "../files/excerpt.ts";
import { findingsOf, readKeys } from "../files/shape.ts";
import { timezone } from "../rules/rule-keys.ts";
import { checkPort } from "./addresses.ts";

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const PATH: Path = ["channels"];

export interface ChannelsRead {
  readonly channels: readonly ChannelConfig[];
  /** Also of channels whose settings are wrong, so that rules that name them are right. */
  readonly names: readonly string[];
}

/** The keys of every channel, whatever its kind. */
export const COMMON = z.strictObject({ timezone: timezone() }).partial();

/**
 * Reads `channels`; each kind's own schema says what its settings are. `zone` is that of the configuration,
 * for channels that have none of their own.
 */
export function readChannels(
  raw: unknown,
  zone: string | undefined,
  kinds: ReadonlyMap<string, ChannelKind>,
  report: Report,
): ChannelsRead {
  if (!isMap(raw) || Object.keys(raw).length === 0) {
    const empty = raw === undefined || raw === null || isMap(raw);
    const message = empty
      ? "no channel is configured: nobody would be notified"
      : `is ${kindOf(raw)}`;
    report(
      errorAt(
        empty ? "tells-nobody" : "wrong-type",
        PATH,
        message,
        "channels: {console: {kind: console}}",
      ),
    );
    return { channels: [], names: [] };
  }
  const channels: ChannelConfig[] = [];
  for (const [name, value] of Object.entries(raw)) {
    const path = [...PATH, name];
    if (!NAME.test(name)) {
      const expected = "letters, digits, '-', '_' and '.'";
      report(
        errorAtKey(
          "bad-name",
          path,
          "the channel name has characters that are not allowed",
          expected,
        ),
      );
    }
    const kind = readKind(value, path, kinds, report);
    if (kind === null || !isMap(value)) continue;
    const settings = readSettings(value, kind, path, report);
    const own = readTimezone(value, path, report);
    if (!settings.success || own === null) continue;
    const inherited = kind.forPrograms === true ? undefined : zone;
    channels.push({
      name,
      kind: kind.kind,
      settings: settings.data,
      timezone: own ?? inherited ?? "UTC",
    });
  }
  return { channels, names: Object.keys(raw) };
}

function readKind(
  raw: unknown,
  path: Path,
  kinds: ReadonlyMap<string, ChannelKind>,
  report: Report,
): ChannelKind | null {
  const known = [...kinds.keys()];
  const expected = `kind: ${known.join(", ")}`;
  if (!isMap(raw)) {
    report(wrongType(path, raw, "a map such as {kind: console}"));
    return null;
  }
  const name = raw.kind;
  if (typeof name !== "string") {
    // `lp-slack` says it already.
    const told = known.find((one) => String(path.at(-1)).toLowerCase().includes(one));
    const hint = told === undefined ? { expected } : { expected, suggestion: `kind: ${told}` };
    report(errorAt("missing-key", [...path, "kind"], "the channel has no kind", hint));
    return null;
  }
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  const at = [...path, "kind"];
  const near = nearest(name, known);
  const hint = { expected, suggestion: near };
  // An address or a token that was put there must not be repeated.
  const what = isKindWord(name) ? ` ${shown(name)}` : "";
  report(errorAt("unknown-kind", at, `unknown kind of channel${what}`, hint));
  return null;
}

/** Undefined: the channel has none of its own; null after reporting that what it has is none. */
function readTimezone(
  { timezone: raw }: Readonly<Record<string, unknown>>,
  path: Path,
  report: Report,
): string | undefined | null {
  if (raw === undefined) return undefined;
  const keys = readKeys(COMMON, { timezone: raw }, path, "a channel", report);
  return keys?.timezone ?? null;
}

const SYNONYMS = { tz: "timezone", zone: "timezone", time_zone: "timezone" } as const;

function readSettings(
  raw: Readonly<Record<string, unknown>>,
  kind: ChannelKind,
  path: Path,
  report: Report,
) {
  const rest = Object.fromEntries(
    Object.entries(raw).filter(([key]) => key !== "kind" && key !== "timezone"),
  );
  const settings = kind.settings.safeParse(rest, { reportInput: true });
  if (settings.success) {
    lintLiterals(rest, settings.data, path, report);
    checkPorts(settings.data, path, report);
    return settings;
  }
  const keys = kind.settings instanceof z.ZodObject ? Object.keys(kind.settings.shape) : [];
  const words = {
    what: `${/^[aeiou]/.test(kind.kind) ? "an" : "a"} ${kind.kind} channel`,
    keys: ["kind", ...keys, "timezone"],
    synonyms: SYNONYMS,
  };
  for (const finding of findingsOf(settings.error, path, words)) report(finding);
  return settings;
}

/** Addresses are settings of their own, secret or not. */
function checkPorts(settings: unknown, path: Path, report: Report): void {
  if (!isMap(settings)) return;
  for (const [key, value] of Object.entries(settings)) {
    const text = value instanceof Secret ? value.reveal() : value;
    if (typeof text === "string" && /^(?:https?|smtps?):\/\//i.test(text)) {
      checkPort(text, "fetch", [...path, key], report);
    }
  }
}

/** Of the headers, whose values are all kept as secrets, only these are surely meant to be. */
const SECRET_HEADER = /auth|token|key|secret|cookie|password|signature/i;

/** A secret that stands in the file itself works, and is said. */
function lintLiterals(raw: unknown, settings: unknown, path: Path, report: Report): void {
  if (!isMap(raw) || typeof settings !== "object" || settings === null) return;
  for (const [key, value] of Object.entries(settings)) {
    if (!(value instanceof Secret)) {
      if (isMap(value)) lintLiterals(raw[key], value, [...path, key], report);
    } else if (path.at(-1) === "headers" && !SECRET_HEADER.test(key)) continue;
    else if (typeof raw[key] === "string") {
      report(
        warningAt(
          "secret-in-file",
          [...path, key],
          "the file itself holds a secret",
          `"\${env:NAME}" or "\${file:PATH}"`,
        ),
      );
    }
  }
}
