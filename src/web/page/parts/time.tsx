import { clockText, exactText, spanText } from "../format/times.ts";

interface TimeProps {
  /** RFC 3339; null: nothing is shown. */
  readonly at: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Words before it. */
  readonly before?: string;
}

/** A moment: in the viewer's zone with a script, in UTC without; UTC with seconds for who points at it. */
export function When(props: TimeProps) {
  return <Time {...props} form="clock" write={clockText} />;
}

/** `12 s ago`; a script counts on. */
export function Ago(props: TimeProps) {
  return <Time {...props} form="ago" write={(at, now) => `${spanText(now - at)} ago`} />;
}

/** How long it is since then: `10 min`. */
export function Since(props: TimeProps) {
  return <Time {...props} form="since" write={(at, now) => spanText(now - at)} />;
}

/** How long it is until then: `48 s`. */
export function Until(props: TimeProps) {
  return <Time {...props} form="until" write={(at, now) => spanText(at - now)} />;
}

interface FormProps extends TimeProps {
  /** How a script writes it in the viewer's zone. */
  readonly form: "clock" | "ago" | "since" | "until";
  readonly write: (at: number, now: number) => string;
}

function Time({ at, now, before = "", form, write }: FormProps) {
  if (at === null) return null;
  const ms = Date.parse(at);
  return (
    <>
      {before}
      <time datetime={at} title={exactText(ms)} data-form={form}>
        {write(ms, now)}
      </time>
    </>
  );
}
