import { compare, Decimal, parseDecimal } from "../base/decimal.ts";
import { DAY } from "../base/duration.ts";
import { fieldsOf } from "../kinds/fields.ts";
import type { Metric } from "../kinds/kind.ts";
import type { RawRecord } from "../model/index.ts";
import { bucketName, identityOf } from "./identity.ts";
import type { NamedSubject } from "./subjects.ts";

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
