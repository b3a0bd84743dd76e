import { z } from "zod";
import { kindOf, refuse, secretText } from "../base/settings.ts";
import { addressTrouble, headerTrouble } from "../base/slips.ts";
import { Secret } from "../base/text.ts";

/** The settings that all channels over HTTP share. */

/**
 * An http or https address that is a secret as a whole, since whoever knows it may post there.
 * `instead` is what to write in place of a user name or password in it.
 */
export function secretUrl(expected: string, instead = expected): z.ZodType<Secret> {
  return secretText(expected).superRefine((url, context) => {
    const text = url.reveal();
    const unseen = addressTrouble(text);
    if (unseen !== null) refuse(context, "strange-character", unseen, expected);
    else if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
      refuse(context, "bad-url", "the value is not an http or https address", expected);
    } else if (new URL(text).username !== "" || new URL(text).password !== "") {
      refuse(context, "bad-url", "the address holds a user name or password", instead);
    }
  });
}

/** Headers that the channel or HTTP itself sets. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-tickwatch-signature",
]);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const MOST_HEADERS = 20;

/** A map of header names to values, each kept as a secret. */
export function headers(): z.ZodType<Readonly<Record<string, Secret>>> {
  const expected = 'a map such as {Authorization: "Bearer ${env:TOKEN}"}';
  const text = secretText("the header's value");
  return z
    .unknown()
    .transform((raw, context) => {
      if (typeof raw !== "object" || raw === null || Array.isArray(raw) || raw instanceof Secret) {
        return refuse(
          context,
          "wrong-type",
          raw === null ? "has no value" : `is ${kindOf(raw)}`,
          expected,
        );
      }
      const read: Record<string, Secret> = {};
      const seen = new Set<string>();
      const wrong = (name: string, message: string): void =>
        context.addIssue({ code: "custom", path: [name], message, params: {} });
      for (const [name, raw_] of Object.entries(raw)) {
        const key = name.toLowerCase();
        const value = text.safeParse(raw_);
        if (!HEADER_NAME.test(name))
          wrong(name, "a header name has letters, digits and hyphens only");
        else if (OWN_HEADERS.has(key)) wrong(name, "this header is set by tickwatch itself");
        else if (seen.has(key)) wrong(name, "duplicate header");
        else if (!value.success) wrong(name, value.error.issues[0]?.message ?? "is not text");
        else {
          const trouble = headerTrouble(value.data.reveal());
          if (trouble === null) read[name] = value.data;
          else wrong(name, trouble);
        }
        seen.add(key);
      }
      if (seen.size > MOST_HEADERS) {
        return refuse(context, "too-long", `has ${seen.size} headers`, `at most ${MOST_HEADERS}`);
      }
      return read;
    })
    .meta({
      type: "object",
      additionalProperties: { type: ["string", "number"] },
      maxProperties: MOST_HEADERS,
      description: expected,
    });
}

/** The same as they are sent. */
export function revealed(given: Readonly<Record<string, Secret>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.reveal()]));
}
