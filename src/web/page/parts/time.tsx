import { clockText, exactText, spanText } from "../format/times.ts";

interface WhenProps {
  /** RFC 3339. */
  readonly at: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A moment: in the viewer's zone with a script, in UTC without; UTC with seconds for who points at it. */
export function When({ at, now }: WhenProps) {
  const ms = Date.parse(at);
  return (
    <time datetime={at} title={exactText(ms)} data-form="clock">
      {clockText(ms, now)}
    </time>
  );
}

/** `12 s ago`; a script counts on. */
export function Ago({ at, now }: WhenProps) {
  const ms = Date.parse(at);
  return (
    <time datetime={at} title={exactText(ms)} data-form="ago">
      {spanText(now - ms)} ago
    </time>
  );
}

/** How long it is since then: `10 min`. */
export function Since({ at, now }: WhenProps) {
  const ms = Date.parse(at);
  return (
    <time datetime={at} title={exactText(ms)} data-form="since">
      {spanText(now - ms)}
    </time>
  );
}

/** How long it is until then: `48 s`. */
export function Until({ at, now }: WhenProps) {
  const ms = Date.parse(at);
  return (
    <time datetime={at} title={exactText(ms)} data-form="until">
      {spanText(ms - now)}
    </time>
  );
}
