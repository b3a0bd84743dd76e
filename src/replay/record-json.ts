import { createHash } from "node:crypto";
import {
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointSpec,
  type FieldSpec,
  type Fields,
} from "../api/endpoints.ts";
import { compare, Decimal, decimalFromNumber, parseDecimal } from "../base/decimal.ts";
import { DAY } from "../base/duration.ts";
import { nearest } from "../base/nearest.ts";
import { fieldsOf } from "../kinds/fields.ts";
import type { Metric, WatchKind } from "../kinds/kind.ts";
import type { Ask, RawRecord } from "../model/index.ts";
import { errorAtKey, type Path, type Report } from "../rules/finding.ts";
import type { NamedSubject } from "./subjects.ts";

/** What stands for null where a value is expected. */
const NULL = "_";

/**
 * The text of a value as JSON has it in such a field: a number where the contract says number and a
 * double holds it exactly, else a string. `true` and `false` are booleans where it says boolean.
 */
export function jsonOf(text: string, spec: FieldSpec | undefined): unknown {
  if (spec?.type === "boolean" && (text === "true" || text === "false")) return text === "true";
  if (spec?.type !== "number") return text;
  const exact = parseDecimal(text);
  const double = exact === null ? null : decimalFromNumber(Number(text));
  return exact !== null && double !== null && compare(exact, double) === 0 ? Number(text) : text;
}

/**
 * A record as a file gives it, with its values as JSON has them. Names that the contract does not know
 * are reported: the service sends no such field.
 */
export function recordJson(
  raw: Readonly<Record<string, unknown>>,
  fields: Fields,
  path: Path,
  report: Report,
): RawRecord {
  const entries = Object.entries(raw).map(([name, value]) => {
    const spec = fields[name];
    const at = [...path, name];
    if (spec === undefined) report(unknownField(name, fields, at));
    return [name, valueJson(value, spec, at, report)] as const;
  });
  return Object.fromEntries(entries);
}

function valueJson(
  value: unknown,
  spec: FieldSpec | undefined,
  path: Path,
  report: Report,
): unknown {
  if (value === NULL || value === null) return null;
  if (typeof value === "string") return jsonOf(value, spec);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, i) => nested(item, spec, [...path, i], report));
  }
  return nested(value, spec, path, report);
}

function nested(value: unknown, spec: FieldSpec | undefined, path: Path, report: Report): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = spec?.fields;
  const map = Object.fromEntries(Object.entries(value));
  return fields === undefined ? map : recordJson(map, fields, path, report);
}

function unknownField(name: string, fields: Fields, path: Path) {
  const near = nearest(name, Object.keys(fields));
  const hint = near === null ? { expected: Object.keys(fields).join(", ") } : { suggestion: near };
  return errorAtKey("unknown-field", path, `unknown field "${name}" of this record`, hint);
}

/** What makes asks be for the same record, whichever days or page of it they want. */
export function recordKey(ask: Ask): string {
  const { record, chainId, id, wallet, owner, spender, function: called, args, protocol } = ask;
  const parts = [wallet, owner, spender, called, args, ask.decimals, protocol];
  return [record, chainId, id, ...parts.map((part) => part ?? "")].join(":");
}

/** The fields by which the service says of what a record is, as an answer to this ask has them. */
export function identityOf(ask: Ask): RawRecord {
  const fields = fieldsOf(ask.record);
  const { batch }: EndpointSpec = ENDPOINTS[ENDPOINTS_OF[ask.record][0]];
  const known: RawRecord = {
    chain_id: ask.chainId,
    token_address: ask.id,
    ...(ask.wallet === undefined ? {} : { wallet_address: ask.wallet }),
    ...(ask.owner === undefined ? {} : { owner_address: ask.owner }),
    ...(ask.spender === undefined ? {} : { spender_address: ask.spender }),
    ...(ask.protocol === undefined ? {} : { protocol: ask.protocol }),
    ...(ask.record === "v4_position" ? { pool_id: madeUpPool(ask) } : {}),
    ...(batch === undefined ? {} : { [batch.field]: ask.id }),
  };
  return Object.fromEntries(Object.entries(known).filter(([name]) => name in fields));
}

/** A position that names no pool lies in one of its own. */
function madeUpPool({ key }: Ask): string {
  return `0x${createHash("sha256").update(key).digest("hex")}`;
}

/** The field that names the bucket which begins at `start`; none for kinds without buckets. */
export function bucketName({ bucketMs, ownTime }: WatchKind, start: number): RawRecord {
  if (bucketMs === null || ownTime === undefined) return {};
  return { [ownTime]: new Date(start).toISOString().replace(".000Z", "Z") };
}

/** What a metric must give back to be the field that holds it; no arithmetic does so with both. */
const PROBES = ["3", "7"];

/**
 * The field of a kind's own record that a metric is: the one of its name, or the one that it is another
 * name for (`tip_top10`, `price`). Null: it is derived from several, or from other records.
 */
export function fieldBehind(metric: Metric, { kind, subject }: NamedSubject): string | null {
  const [record] = kind.records;
  if (record === undefined || metric.entry === true) return null;
  const fields = fieldsOf(record);
  if (fields[metric.name]?.quantity !== undefined) return metric.name;
  const own = kind.asks(subject, DAY, null).find((ask) => ask.record === record);
  if (own === undefined) return null;
  const isHeldBy = (field: string): boolean =>
    PROBES.every((text) => {
      const given: RawRecord = { ...identityOf(own), ...bucketName(kind, 0), [field]: text };
      const { rows } = kind.read(
        subject,
        (ask) => (ask.key === own.key ? { status: "ok", records: [given] } : undefined),
        DAY,
        null,
      );
      const value = rows.at(-1)?.value(metric.name);
      const wanted = parseDecimal(text);
      return value instanceof Decimal && wanted !== null && compare(value, wanted) === 0;
    });
  const alike = Object.entries(fields).filter(([, { quantity }]) => quantity === metric.quantity);
  return alike.find(([field]) => isHeldBy(field))?.[0] ?? null;
}
