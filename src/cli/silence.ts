import { formatTime, systemClock } from "../base/clock.ts";
import { formatDuration } from "../base/duration.ts";
import { cleanText, countOf } from "../base/text.ts";
import type { Silence } from "../model/index.ts";
import { aboutSilence, addSilences, endSilence } from "../operate/silences.ts";
import { authorOf, EXIT, type Io } from "./io.ts";
import { iso, print, table } from "./report.ts";
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
      const labels = await kept.labels(null);
      const planned = await planSilence(options, setup, (rule) => kept.labels(rule), now, io);
      if (planned === null) return EXIT.usage;
      const { silences, alerts } = planned;
      const nameOf = subjectCaller(setup.rules, labels);
      const [first] = silences;
      const actor = {
        by: first?.author ?? authorOf(options.by),
        via: "command",
        comment: first?.comment ?? null,
      } as const;
      const made = await addSilences(silences, actor, nameOf, kept);
      if (alerts === 0) io.err("warning: no alert matches it now; the silence was added anyway\n");
      const json = made.map((one) => silenceJson(one, now));
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
    const silences = (await kept.all()).filter(
      (silence) => options.all === true || stateOf(silence, now) !== "ended",
    );
    // Only what is about subjects needs the names that the rules give them.
    const named = options.json !== true && silences.some(({ subjects }) => subjects !== null);
    const nameOf = subjectCaller(named ? (await setup()).rules : [], await kept.labels(null));
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
  return await withOperatorDb(options.config, io, "write", async ({ silences: kept }) => {
    const known = new Map((await kept.all()).map((one) => [one.id, one]));
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined) {
      io.err(
        `tickwatch: there is no silence ${unknown}; \`tickwatch silence list\` shows the ids\n`,
      );
      return EXIT.usage;
    }
    const now = systemClock().now();
    const actor = { by: authorOf(undefined), via: "command", comment: null } as const;
    const labels = await kept.labels(null);
    const nameOf = (key: string): string => labels.get(key) ?? key;
    const ended: number[] = [];
    for (const id of ids) {
      const one = known.get(id);
      if (one !== undefined && (await endSilence(one, actor, nameOf, now, kept))) ended.push(id);
    }
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

const WIDEST = 60;

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
