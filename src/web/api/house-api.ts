import type { Silence as Kept } from "../../model/index.ts";
import { aboutSilence } from "../../operate/silences.ts";
import { DROPPED } from "../../store/operator-db/outbox.ts";
import type { OutboxEntry as Entry } from "../../store/operator-db/outbox-entries.ts";
import { iso, nameOf } from "../live/alert-view.ts";
import { sourceFaults } from "../live/watch.ts";
import { attemptView, isoOrNull } from "../read/notice-view.ts";
import type { Api } from "./api.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { ApiParts } from "./parts.ts";
import type { Channel, OutboxEntry, Silence } from "./schemas/operations.ts";

/** The part of the API that says how the daemon itself fares. */
export type HouseApi = Pick<Api, "silences" | "channels" | "outbox" | "source" | "audit">;

export function houseApi(parts: ApiParts): HouseApi {
  const { db, clock, self, setup, requests } = parts;

  return {
    async silences({ all }) {
      const now = clock.now();
      const found = await db.use(({ silences }) => silences.all());
      const shown = found.filter(({ endsAt }) => all === "true" || endsAt > now);
      const name = subjectNamer(parts);
      return { silences: shown.toReversed().map((one) => silenceView(one, name, now)) };
    },

    async channels() {
      const { counts, last } = await db.use(async ({ outboxPages }) => ({
        counts: await outboxPages.counts(),
        last: await outboxPages.lastAttempts(),
      }));
      const troubles = self.channelTroubles();
      return {
        channels: setup().channels.map(({ name, kind, timezone }): Channel => {
          const trouble = troubles.get(name) ?? null;
          const { owed = 0, held = 0, dead = 0 } = counts.get(name) ?? {};
          const attempt = last.get(name) ?? null;
          const since = trouble?.since ?? null;
          return {
            name,
            kind,
            timezone,
            state: stateOf(trouble, attempt?.outcome ?? null),
            since: isoOrNull(since),
            reason: trouble === null ? (attempt?.answer ?? null) : trouble.reason,
            owed,
            held,
            dead,
            last: attempt === null ? null : attemptView(attempt),
          };
        }),
      };
    },

    async outbox({ channel, state, limit, cursor }) {
      const [after = 0] = cursor === undefined ? [0] : decodeCursor(cursor, 1);
      const { entries, total } = await db.use(async ({ outboxPages }) => {
        const counts = [...(await outboxPages.counts())].filter(
          ([name]) => channel === undefined || name === channel,
        );
        return {
          entries: await outboxPages[state](channel ?? null, after, limit + 1),
          total: counts.reduce((sum, [, one]) => sum + (state === "open" ? one.owed : one.dead), 0),
        };
      });
      return {
        entries: entries.slice(0, limit).map(entryView),
        total,
        next: entries.length > limit ? encodeCursor([after + limit]) : null,
      };
    },

    async audit({ rule, subject, limit, cursor }) {
      const [before] = cursor === undefined ? [] : decodeCursor(cursor, 1);
      const found = await db.use(({ audit }) =>
        audit.find({ rule, subject, before, most: limit + 1 }),
      );
      const page = found.slice(0, limit);
      const name = subjectNamer(parts);
      const last = page.at(-1);
      return {
        entries: page.map((deed) => ({
          id: deed.id,
          at: new Date(deed.at).toISOString(),
          by: deed.author,
          via: deed.via,
          action: deed.action,
          rule: deed.rule,
          subject: deed.subject,
          name: deed.subject === null ? null : name(deed.subject),
          about: deed.about,
          comment: deed.comment,
        })),
        next: last === undefined || found.length <= limit ? null : encodeCursor([last.id]),
      };
    },

    async source() {
      const endpoints = requests.view(parts.lags());
      return {
        endpoints,
        requests_per_second: setup().service.requestsPerSecond,
        requests_1h: endpoints.reduce((sum, one) => sum + one.requests_1h, 0),
        down: sourceFaults(parts.memory(), clock.now()).flatMap(({ name, since }) =>
          since === null ? [] : [{ what: name, since }],
        ),
      };
    },
  };
}

function stateOf(
  trouble: { readonly rejects: boolean } | null,
  last: string | null,
): Channel["state"] {
  if (trouble !== null) return trouble.rejects ? "rejecting" : "unreachable";
  if (last === null) return "idle";
  return last === "retry" ? "unreachable" : "answers";
}

/** What people call subjects, as alerts are called. */
export function subjectNamer({ memory, live }: ApiParts): (key: string) => string {
  return (key) => {
    const [first] = memory().subjects.get(key)?.alerts ?? [];
    if (first === undefined) return key;
    return nameOf(first, live.find(first.watched.rule.name, key)?.seen ?? null);
  };
}

function entryView(entry: Entry): OutboxEntry {
  const { id, channel, state, sends, since, until, settledAt, error, notices } = entry;
  return {
    id,
    channel,
    state,
    dropped: state === "dead" && error === DROPPED,
    sends,
    since: new Date(since).toISOString(),
    until: isoOrNull(until),
    settled_at: isoOrNull(settledAt),
    error,
    notices: notices.map(({ id: notice, kind, rule, subject, at, severity, headline }) => ({
      id: notice,
      kind,
      rule,
      subject,
      headline,
      severity: severity === "critical" || severity === "warning" ? severity : "info",
      at: new Date(at).toISOString(),
    })),
  };
}

/** `called`: what people call a subject, by its key. */
function silenceView(silence: Kept, called: (key: string) => string, now: number): Silence {
  const { id, rule, subjects, labels, startsAt, endsAt, author, comment, createdAt } = silence;
  return {
    id,
    state: endsAt <= now ? "ended" : startsAt <= now ? "active" : "planned",
    rule,
    subjects: subjects?.map((subject) => ({ subject, name: called(subject) })) ?? null,
    labels: { ...labels },
    starts_at: iso(startsAt),
    ends_at: iso(endsAt),
    by: author,
    comment,
    created_at: iso(createdAt),
    about: aboutSilence(silence, called),
  };
}
