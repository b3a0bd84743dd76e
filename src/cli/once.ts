import { EXIT, type Io } from "./io.ts";
import { type Look, lookOnce, withOwnService } from "./look.ts";
import { iso, print, reportWarnings, roundWords, table } from "./report.ts";
import { readSetup } from "./setup.ts";

export interface OnceOptions {
  readonly config: string;
  readonly json?: boolean;
}

/** `tickwatch once`: the exit code. Throws ConfigError, and an Error when the user stops it. */
export async function once(options: OnceOptions, io: Io): Promise<number> {
  const { setup, warnings } = await readSetup(options.config, io);
  if (options.json !== true) reportWarnings(warnings, io);
  const look = await withOwnService(setup, io, (own) => lookOnce(own, io));
  print(options, io, { value: () => report(look), page: () => page(look) });
  return look.round.failed > 0 || look.unread.length > 0 ? EXIT.found : EXIT.fine;
}

function report({ seen, unread, round }: Look): unknown {
  const { date, requests, subjects, failed, failures } = round;
  return {
    at: iso(date),
    alerts: seen.map(({ rule, subject, name, metric, value, state, trouble }) => ({
      rule,
      subject,
      name,
      metric,
      value,
      state,
      trouble,
    })),
    round: { requests, subjects, failed, failures },
    ...(unread.length === 0 ? {} : { unread }),
  };
}

function page({ seen, unread, round }: Look): string {
  const rows = seen.map(({ rule, name, metric, shown, state, trouble }) => [
    rule,
    name,
    metric ?? "",
    shown,
    trouble === null ? state : `${state}: ${trouble}`,
  ]);
  const head = ["rule", "subject", "metric", "value", "state"];
  return [table(head, rows), "", ...unread, roundWords(round)].join("\n");
}
