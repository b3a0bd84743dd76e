import type { Owner } from "../support/program.ts";
import { startReceiver } from "../support/receiver.ts";

/** One time that somebody was told of an alert. */
export interface Told {
  /** Of the message: the same where it was sent again. */
  readonly message: string;
  /** What was said: of which alert, that it fired or resolved, and at which value. */
  readonly what: string;
}

/** A receiver that is never down. */
export interface Sink {
  readonly url: string;
  /** In the order in which it came. */
  told(): readonly Told[];
  /** How many messages came, whatever they are about. */
  count(): number;
}

interface Body {
  readonly kind: string;
  readonly rule: string | null;
  readonly subject: string | null;
  readonly values: readonly { readonly value: string | null }[];
}

export async function startSink(owner: Owner): Promise<Sink> {
  const receiver = await startReceiver();
  owner.onTestFinished(() => receiver.close());
  const known: Told[] = [];
  let read = 0;
  return {
    url: `${receiver.origin}/hook`,
    count: () => receiver.received.length,
    told() {
      for (const { headers, body } of receiver.received.slice(read)) {
        read += 1;
        const { kind, rule, subject, values } = JSON.parse(body) as Body;
        if (kind !== "fired" && kind !== "resolved") continue;
        const what = `${rule} ${subject} ${kind} ${values[0]?.value}`;
        known.push({ message: String(headers["idempotency-key"]), what });
      }
      return known;
    },
  };
}
