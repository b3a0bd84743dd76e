import { ADDRESS } from "../api/endpoints.ts";
import {
  checkArguments,
  parseSignature,
  resultNames,
  type Signature,
  SignatureError,
  signatureText,
} from "../base/signature.ts";
import { cleanText, shortId } from "../base/text.ts";
import type { Answer, Ask, RawRecord, Subject, Value } from "../model/index.ts";
import { BaseReading, fieldsOf, fieldTroubles, metricsFrom, valueIn } from "./fields.ts";
import type { Metric, OptionTrouble, Row, WatchKind } from "./kind.ts";

const FIELDS = fieldsOf("call");

/** The fields that are results; those about the call itself are not metrics. */
const RESULTS = Object.fromEntries(
  Object.entries(FIELDS).filter(([name]) => /^(?:value|flag)\d?$/.test(name)),
);

/** A sentence says that a flag is true, or not true. */
const LABELS = Object.fromEntries(
  Object.keys(RESULTS).map((name) => {
    const [, place] = /^flag(\d?)$/.exec(name) ?? [];
    if (place === undefined) return [name, name];
    return [name, place === "" ? "true" : `true (${place})`];
  }),
);

type Options = Readonly<Record<string, string>>;

/** What a function of a contract gives, for what no other kind knows. */
export const call: WatchKind = {
  kind: "call",
  aliases: ["view", "contract", "eth_call", "function"],
  words: { subjects: "calls" },
  targets: {
    key: "to",
    id: { pattern: ADDRESS, expected: "an address, 0x and 40 hex digits" },
    protocols: null,
    options: {
      function: {
        kind: "text",
        default: null,
        expected: "a function with its types, such as balanceOf(address)(uint256)",
      },
      args: { kind: "list", expected: "a list of the function's arguments" },
      decimals: { kind: "whole", min: 0, max: 77, default: 0 },
      unit: { kind: "text", default: "", expected: "a short text such as USDC" },
    },
    trouble: (options) => troubleOf(options),
  },
  bucketMs: null,
  records: ["call"],
  metrics: metricsFrom(RESULTS, LABELS),

  ofSubjects: (subjects) => {
    const [first] = subjects;
    const signature = first === undefined ? null : signatureOf(first.ids.function ?? "");
    return signature === null ? call : { ...call, metrics: metricsFor(signature) };
  },

  subject: ({ chainId, id, options = {}, name }) => {
    const signature = signatureOf(options.function ?? "");
    const ids = {
      to: (id ?? "").toLowerCase(),
      function: signature === null ? "" : signatureText(signature),
      args: options.args ?? "[]",
      decimals: options.decimals ?? "0",
      unit: cleanText(options.unit ?? "", LONGEST_UNIT),
    };
    const more = [
      ids.args === "[]" ? "" : ids.args,
      ids.decimals === "0" ? "" : ids.decimals,
      ids.unit,
    ];
    const suffix = more.map((part) => (part === "" ? "" : `:${part}`)).join("");
    const key = `call:${chainId}:${ids.to}:${ids.function}${suffix}`;
    return { key, kind: "call", chainId, ids, name };
  },

  asks: (subject) => [askOf(subject)],

  follow: () => [],

  read: (subject, answers) => new CallReading(subject, answers(askOf(subject))),
};

const LONGEST_UNIT = 20;

/** The metrics of a function's results; only numbers, and true and false, are any. */
function metricsFor(signature: Signature): ReadonlyMap<string, Metric> {
  const names = resultNames(signature);
  return new Map([...call.metrics].filter(([name]) => names.includes(name)));
}

function signatureOf(text: string): Signature | null {
  try {
    return parseSignature(text);
  } catch (error) {
    if (error instanceof SignatureError) return null;
    throw error;
  }
}

/** What is wrong with the function or its arguments, and at which of them. */
function troubleOf(options: Options): OptionTrouble | null {
  let at: readonly (string | number)[] = ["function"];
  try {
    const signature = parseSignature(options.function ?? "");
    at = ["args"];
    checkArguments(signature, argumentsIn(options.args));
    return null;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    const { message, expected, argument } = error;
    return { path: argument === null ? at : [...at, argument], message, expected };
  }
}

function argumentsIn(text = "[]"): readonly string[] {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.map(String) : [];
}

function askOf({ key, chainId, ids }: Subject): Ask {
  const { to: id = "", function: called = "", args = "[]" } = ids;
  const decimals = Number(ids.decimals);
  return { key, record: "call", chainId, id, function: called, args, decimals };
}

class CallReading extends BaseReading {
  readonly rows: readonly Row[];
  readonly #signature: Signature | null;

  constructor(subject: Subject, answer: Answer | undefined) {
    super(subject, "call", answer);
    const { record } = this;
    this.#signature = signatureOf(subject.ids.function ?? "");
    const names = this.#names();
    const value = (name: string): Value | null =>
      names.includes(name) ? valueIn(FIELDS, record, name) : null;
    this.rows = record === null ? [] : [{ date: null, value }];
  }

  #names(): readonly (string | null)[] {
    return this.#signature === null ? [] : resultNames(this.#signature);
  }

  protected troublesOf(record: RawRecord): readonly string[] {
    const problem = valueIn(FIELDS, record, "problem");
    if (typeof problem === "string") return [problem];
    const own = this.#names();
    const fields = Object.entries(FIELDS).filter(([name]) => own.includes(name));
    return fieldTroubles(record, Object.fromEntries(fields));
  }

  protected label(): string {
    return `${this.#signature?.name ?? "function"}() of ${shortId(this.subject.ids.to ?? "")}`;
  }

  protected override page(): string {
    return `/address/${this.subject.ids.to ?? ""}`;
  }

  protected override unit(name: string): string {
    return name.startsWith("value") ? (this.subject.ids.unit ?? "") : "";
  }
}
