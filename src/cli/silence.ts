import { systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { cleanText } from "../base/text.ts";
import { formatTime } from "../base/times.ts";
import type { Silence } from "../model/index.ts";
import { EXIT, type Io } from "./io.ts";
import { countOf, iso, print, table } from "./report.ts";
import { subjectCaller } from "./rule-argument.ts";
import { planSilence, type SilenceRequest } from "./silence-request.ts";
import { withOperatorDb } from "./with-operator-db.ts";

export interface SilenceOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

/** `tickwatch silence add`: the exit code. Throws, as the two below, ConfigError and StoreError. */
export async function add(options: SilenceOptions & SilenceRequest, io: Io): Promise<number> {
  return await withOperatorDb(
    options.config,
    io,
    "write",
    async ({ silences: kept }, configuration) => {
      const setup = await configuration.setup();
      const now = systemClock().now();
      const planned = planSilence(options, setup, (rule) => kept.labels(rule), now, io);
      if (planned === null) return EXIT.usage;
      const { silences, alerts } = planned;
      const made = silences.map((silence) => ({ ...silence, id: kept.add(silence) }));
      if (alerts === 0) io.err("warning: no alert matches it now; the silence was added anyway\n");
      const json = made.map((one) => silenceJson(one, now));
      const nameOf = subjectCaller(setup.rules, kept.labels(null));
      print(options, io, {
        value: () => (json.length === 1 ? { ...json[0], alerts } : { silences: json, alerts }),
        page: () => addedPage(made, (one) => aboutSilence(one, nameOf), alerts, now),
      });
      return EXIT.fine;
    },
  );
}

/** `tickwatch silence list`: the exit code. */
export async function list(options: SilenceOptions, io: Io): Promise<number> {
  return await withOperatorDb(options.config, io, "read", async ({ silences: kept }, { setup }) => {
    const now = systemClock().now();
    const silences = kept
      .all()
      .filter((silence) => options.all === true || stateOf(silence, now) !== "ended");
    // Only what is about subjects needs the names that the rules give them.
    const named = options.json !== true && silences.some(({ subjects }) => subjects !== null);
    const nameOf = subjectCaller(named ? (await setup()).rules : [], kept.labels(null));
    print(options, io, {
      value: () => ({ silences: silences.map((silence) => silenceJson(silence, now)) }),
      page: () => silencesPage(silences, nameOf, now),
    });
    return EXIT.fine;
  });
}

/** `tickwatch silence expire`: the exit code. */
export async function expire(
  ids: readonly number[],
  options: SilenceOptions,
  io: Io,
): Promise<number> {
  return await withOperatorDb(options.config, io, "write", ({ silences: kept }) => {
    const known = new Set(kept.all().map(({ id }) => id));
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined) {
      io.err(
        `tickwatch: there is no silence ${unknown}; \`tickwatch silence list\` shows the ids\n`,
      );
      return EXIT.usage;
    }
    const now = systemClock().now();
    const ended = ids.filter((id) => kept.expire(id, now));
    for (const id of ids) {
      if (!ended.includes(id)) io.err(`tickwatch: silence ${id} has already ended\n`);
    }
    if (ended.length > 0) {
      const line = (id: number): string =>
        `silence ${id} ended; suppressed alerts that still fire are sent within a minute`;
      print(options, io, {
        value: () => ({ expired: ended.length === 1 ? ended[0] : ended }),
        page: () => ended.map(line).join("\n"),
      });
    }
    return ended.length === ids.length ? EXIT.fine : EXIT.found;
  });
}

type About = Pick<Silence, "rule" | "subjects" | "labels">;

/** More subjects than this are counted. */
const MOST_NAMED = 3;
const WIDEST = 60;

/** What a silence is about: `rule my-range, subject Treasury, team=lp`. */
function aboutSilence({ rule, subjects, labels }: About, nameOf: (key: string) => string): string {
  const keys = subjects ?? [];
  const named = keys.slice(0, MOST_NAMED).map((key) => cleanText(nameOf(key), WIDEST));
  const more = keys.length - named.length;
  const whom = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const parts = [
    ...(rule === null ? [] : [`rule ${cleanText(rule)}`]),
    ...(subjects === null ? [] : [`${keys.length === 1 ? "subject" : "subjects"} ${whom}`]),
    ...Object.entries(labels).map(([name, value]) => cleanText(`${name}=${value}`, WIDEST)),
  ];
  return parts.length === 0 ? "every alert of every rule" : parts.join(", ");
}

function stateOf({ startsAt, endsAt }: Silence, now: number): "active" | "planned" | "ended" {
  if (endsAt <= now) return "ended";
  return startsAt <= now ? "active" : "planned";
}

/** The list for people. */
function silencesPage(
  silences: readonly Silence[],
  nameOf: (key: string) => string,
  now: number,
): string {
  if (silences.length === 0) return "no silences";
  const rows = silences.map((silence) => [
    String(silence.id),
    stateOf(silence, now),
    whenOf(silence, now),
    aboutSilence(silence, nameOf),
    `${cleanText(silence.author)}${silence.comment === null ? "" : `: ${cleanText(silence.comment, WIDEST)}`}`,
  ]);
  return table(["id", "state", "when", "what", "by"], rows);
}

function whenOf(silence: Silence, now: number): string {
  const { startsAt, endsAt } = silence;
  switch (stateOf(silence, now)) {
    case "active":
      return `until ${formatTime(endsAt)}, ${formatDuration(endsAt - now)} left`;
    case "planned":
      return `${formatTime(startsAt)} to ${formatTime(endsAt)}`;
    case "ended":
      return `ended ${formatDuration(now - endsAt)} ago`;
  }
}

/** What one sees of silences that were just written down, and begin and end together. */
function addedPage(
  silences: readonly Silence[],
  about: (silence: Silence) => string,
  alerts: number,
  now: number,
): string {
  const [first] = silences;
  if (first === undefined) return "no silence";
  const { startsAt, endsAt } = first;
  const from = startsAt > now ? `from ${formatTime(startsAt)} ` : "";
  const length = formatDuration(endsAt - Math.max(startsAt, now));
  const ids = silences.map(({ id }) => id).join(" ");
  const one = silences.length === 1;
  return [
    ...silences.map(
      (silence) =>
        `silence ${silence.id} by ${silence.author}: ${about(silence)}${one ? `; ${countOf(alerts, "alert")}` : ""}`,
    ),
    ...(one ? [] : [countOf(alerts, "alert")]),
    `${from}until ${formatTime(endsAt)} (${length}); \`tickwatch silence expire ${ids}\` ends ${one ? "it" : "them"}`,
  ].join("\n");
}

function silenceJson(silence: Silence, now: number): Readonly<Record<string, unknown>> {
  const { id, rule, subjects, labels, startsAt, endsAt, author, comment, createdAt } = silence;
  return {
    id,
    state: stateOf(silence, now),
    rule,
    subjects,
    labels,
    starts_at: iso(startsAt),
    ends_at: iso(endsAt),
    by: author,
    comment,
    created_at: iso(createdAt),
  };
}
