import { z } from "zod";

/** What the answers of the API are made of. Each schema is also a part of its OpenAPI document. */

/** An object under a name of its own in the OpenAPI document; what else it has is dropped. */
export function part<Shape extends z.core.$ZodLooseShape>(
  id: string,
  shape: Shape,
  description?: string,
): z.ZodObject<z.core.util.Writeable<Shape>> {
  return z.object(shape).meta({ id, ...(description === undefined ? {} : { description }) });
}

/** The same of what is sent: what else it has is refused. */
export function strictPart<Shape extends z.core.$ZodLooseShape>(
  id: string,
  shape: Shape,
): z.ZodObject<z.core.util.Writeable<Shape>, z.core.$strict> {
  return z.strictObject(shape).meta({ id });
}

/** A moment, RFC 3339 in UTC with milliseconds. */
export const Time = z.iso.datetime({ precision: 3 }).meta({
  id: "Time",
  description: "A moment in UTC with milliseconds, such as 2026-11-29T03:10:00.000Z.",
});

/** A duration in whole milliseconds. */
export const Milliseconds = z.int().min(0).meta({ description: "A duration in milliseconds." });

/** A value as it is: numbers with all of their digits, in the metric's own unit. */
export const Exact = z.string().meta({
  id: "Exact",
  description:
    "A value with all of its digits, in the metric's own unit (wei, raw units of a token, dollars); true or false; or text.",
});

/** A value for programs and for people. */
export const Shown = part(
  "Shown",
  {
    exact: Exact,
    /** As notices write it: `$15.6M`, `7.4 gwei`. */
    text: z.string(),
  },
  "A value, exact and as notices write it.",
);
export type Shown = z.infer<typeof Shown>;

export const Severity = z.enum(["info", "warning", "critical"]).meta({ id: "Severity" });

export const Labels = z
  .record(z.string(), z.string())
  .meta({ id: "Labels", description: "The labels of the rule." });

/** The chain that a subject is on. */
export const Chain = part("Chain", { id: z.int(), name: z.string() });

/** The place to go on from; null: this was the last page. */
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: "Give it as `cursor` for the next page; null: there is none." });

/** An error as RFC 9457 has it. */
export const ProblemDetails = part(
  "Problem",
  {
    type: z.string().meta({ description: "`about:blank`, or what kind of problem it is." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "What is wrong and what to do, in one line." }),
    /** The parameters or members that are wrong. */
    errors: z.array(z.object({ at: z.string(), problem: z.string() })).optional(),
  },
  "An error, RFC 9457.",
);
export type ProblemDetails = z.infer<typeof ProblemDetails>;
