import { formatTime } from "../base/clock.ts";
import { parseDuration } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { meantOr } from "../base/nearest.ts";
import { cleanText } from "../base/text.ts";
import type { Silence } from "../model/index.ts";
import { commentOf, type Actor as Doer, deedOf } from "../operate/actor.ts";
import {
  COMMAND_DONE,
  type CommandKind,
  commandFits,
  giveCommand,
  nothingFits,
} from "../operate/alerts.ts";
import { dropDead, dropMessage, retryMany, retryMessage } from "../operate/outbox.ts";
import { aboutSilence, addSilences, endSilence, silenceTimes } from "../operate/silences.ts";
import { isDelivered, openConfigured, outcomeText, sendSample } from "../operate/test-message.ts";
import type { RuleMemory } from "../poll/memory.ts";
import type { OperatorDb } from "../store/operator-db/operator-db.ts";
import type { OutboxEntry } from "../store/operator-db/outbox-entries.ts";
import { type Actions, type Actor, ProblemError } from "./api/api.ts";
import { subjectNamer } from "./api/house-api.ts";
import type { ApiParts } from "./api/parts.ts";
import type { AlertAction, Done } from "./api/schemas/actions.ts";

export interface ActionsParts extends ApiParts {
  /** Carries out at once what was ordered. */
  readonly carryOut: () => Promise<void>;
  /** Looks at once for what may be sent. */
  readonly deliver: () => void;
  readonly log: Log;
}

const LONGEST_AUTHOR = 80;
/** A test that takes longer is broken off. */
const TEST_MS = 15_000;
const ON_A_WALL = {
  length: "`for` or `until`",
  how: "`for`: 2h, or `until` a time",
  force: "give a shorter one",
};

/** What can be done on the page and over the API: the same as with the commands, written down alike. */
export function actionsOf(parts: ActionsParts): Actions {
  const { db, clock, live, log } = parts;
  const nameOf = subjectNamer(parts);

  function doerOf(actor: Actor, by: string | undefined, comment?: string): Doer {
    const named = cleanText(by ?? "", LONGEST_AUTHOR);
    return { by: named === "" ? actor.by : named, via: actor.via, comment: commentOf(comment) };
  }

  function ruleNamed(name: string): RuleMemory {
    const { rules } = parts.memory();
    const found = rules.find(({ rule }) => rule.name === name);
    if (found !== undefined) return found;
    const names = rules.map(({ rule }) => rule.name);
    const hint = meantOr(name, names, "/api/v1/rules lists them");
    throw new ProblemError(404, "No such rule", `there is no rule ${cleanText(name, 80)}; ${hint}`);
  }

  async function command(kind: CommandKind, body: AlertAction, actor: Actor): Promise<Done> {
    const { rule, alerts } = ruleNamed(body.rule);
    const { subject } = body;
    if (subject !== undefined && !alerts.some((one) => one.subject.key === subject)) {
      const detail = `${rule.name} does not watch ${cleanText(subject, 80)}; /api/v1/alerts lists what it does`;
      throw new ProblemError(404, "No such alert", detail);
    }
    const doer = doerOf(actor, body.by, body.comment);
    const about = await db.use(async (open) => {
      const known = (await open.alerts.of(rule.name)).filter((one) => commandFits(kind, one));
      const meant = known
        .filter((one) => subject === undefined || one.subject === subject)
        .map((one) => ({ subject: one.subject, name: nameOf(one.subject) }));
      if (meant.length === 0) {
        const who = subject === undefined ? null : nameOf(subject);
        const detail = `${nothingFits(kind, rule, who)}; nothing was changed`;
        throw new ProblemError(409, "Nothing to do", detail);
      }
      const words = await giveCommand(kind, rule.name, meant, doer, clock.now(), open.alerts);
      return { words, count: meant.length };
    });
    await parts.carryOut();
    live.forget();
    const back = { ack: "unack", unack: "ack", rearm: null } as const;
    const again = back[kind];
    return {
      sentence: `${COMMAND_DONE[kind]}: ${about.words}`,
      count: about.count,
      undo:
        again === null
          ? null
          : {
              action: again,
              body: { rule: rule.name, ...(subject === undefined ? {} : { subject }) },
            },
    };
  }

  /** The entry that an id, or its beginning, means. */
  async function entryOf(open: OperatorDb, id: string): Promise<OutboxEntry> {
    const [found, ...others] = await open.outbox.find(id);
    const said = cleanText(id, 40);
    if (found === undefined) {
      const detail = `there is no message ${said}; /api/v1/outbox lists the ids`;
      throw new ProblemError(404, "No such message", detail);
    }
    if (others.length === 0) return found;
    const detail = `${others.length + 1} messages begin with ${said}; give more of the id`;
    throw new ProblemError(409, "Several messages", detail);
  }

  return {
    ack: (body, actor) => command("ack", body, actor),
    unack: (body, actor) => command("unack", body, actor),
    rearm: (body, actor) => command("rearm", body, actor),

    async silence(body, actor) {
      const { rule, subjects, labels = {}, all } = body;
      const isNarrow =
        rule !== undefined || subjects !== undefined || Object.keys(labels).length > 0;
      if (isNarrow === (all === true)) {
        const detail = isNarrow
          ? "`all` cannot be combined with `rule`, `subjects` or `labels`"
          : "say which alerts to silence: `rule`, `subjects`, `labels` or `all`";
        throw new ProblemError(400, "Bad silence", detail);
      }
      if (rule !== undefined) ruleNamed(rule);
      const unknown = subjects?.find((key) => !parts.memory().subjects.has(key));
      if (unknown !== undefined) {
        const detail = `no rule watches ${cleanText(unknown, 80)}; /api/v1/alerts lists the subjects`;
        throw new ProblemError(404, "No such subject", detail);
      }
      const now = clock.now();
      const length = body.for === undefined ? undefined : parseDuration(body.for);
      if (length === null) {
        throw new ProblemError(400, "Bad silence", "`for` is not a duration such as 30m, 2h or 7d");
      }
      const times = silenceTimes(
        {
          for: length,
          until: body.until === undefined ? undefined : Date.parse(body.until),
          from: body.from === undefined ? undefined : Date.parse(body.from),
        },
        now,
        ON_A_WALL,
      );
      if (typeof times === "string") throw new ProblemError(400, "Bad silence", times);
      const doer = doerOf(actor, body.by, body.comment);
      const planned: Omit<Silence, "id"> = {
        rule: rule ?? null,
        subjects: subjects === undefined ? null : [...new Set(subjects)],
        labels,
        ...times,
        author: doer.by,
        comment: doer.comment,
        createdAt: now,
      };
      const [made] = await db.use((open) => addSilences([planned], doer, nameOf, open.silences));
      if (made === undefined) throw new Error("a silence was not made");
      await parts.silences.refresh(true);
      live.forget();
      const from = times.startsAt > now ? `from ${formatTime(times.startsAt)} ` : "";
      return {
        sentence: `silenced ${aboutSilence(made, nameOf)} ${from}until ${formatTime(made.endsAt)}`,
        count: 1,
        undo: { action: "silence/end", body: { id: made.id } },
        silences: [made.id],
      };
    },

    async endSilence({ id, by }, actor) {
      const now = clock.now();
      const doer = doerOf(actor, by);
      const ended = await db.use(async (open) => {
        const silence = (await open.silences.all()).find((one) => one.id === id);
        if (silence === undefined) {
          const detail = `there is no silence ${id}; /api/v1/silences lists the ids`;
          throw new ProblemError(404, "No such silence", detail);
        }
        if (!(await endSilence(silence, doer, nameOf, now, open.silences))) {
          throw new ProblemError(409, "Nothing to do", `silence ${id} has already ended`);
        }
        return silence;
      });
      await parts.silences.refresh(true);
      live.forget();
      parts.deliver();
      return {
        sentence: `silence of ${aboutSilence(ended, nameOf)} ended; what still fires is sent within a minute`,
        count: 1,
        undo: { action: "silence", body: undoneSilence(ended) },
      };
    },

    async retry({ id, channel, dead, by }, actor) {
      const doer = doerOf(actor, by);
      const now = clock.now();
      const done = await db.use(async (open): Promise<Omit<Done, "undo">> => {
        if (id === undefined) {
          const selection = { channel: channel ?? null, dead: dead === true };
          const { due, revived } = await retryMany(selection, doer, now, open.outbox);
          const revivedWords = revived === 0 ? "" : `, ${revived} dead letters are queued again`;
          return {
            sentence: `${due} waiting messages are due now${revivedWords}`,
            count: due + revived,
          };
        }
        const entry = await entryOf(open, id);
        if (entry.state === "held") {
          const detail = `${entry.id} is held back by a silence or a mute; end the silence instead`;
          throw new ProblemError(409, "Held back", detail);
        }
        if (!(await retryMessage(entry, doer, now, open.outbox))) {
          const detail = `${entry.id} was delivered; it is not sent again`;
          throw new ProblemError(409, "Delivered", detail);
        }
        return { sentence: `${entry.id} for ${entry.channel} is sent again now`, count: 1 };
      });
      parts.deliver();
      live.forget();
      return { ...done, undo: null };
    },

    async drop({ id, channel, by }, actor) {
      const doer = doerOf(actor, by);
      if (id === undefined) {
        if (channel === undefined) {
          const detail = "say which: `id`, or `channel` for its dead letters";
          throw new ProblemError(400, "Bad drop", detail);
        }
        const count = await db.use((open) => dropDead(channel, doer, clock.now(), open.outbox));
        if (count === 0) {
          const detail = `${cleanText(channel, 80)} has no dead letter that is not dropped`;
          throw new ProblemError(409, "Nothing to do", detail);
        }
        live.forget();
        const what = count === 1 ? "1 dead letter" : `${count} dead letters`;
        return { sentence: `${what} of ${channel} dropped`, count, undo: null };
      }
      const entry = await db.use(async (open) => {
        const found = await entryOf(open, id);
        if (await dropMessage(found, doer, clock.now(), open.outbox)) return found;
        const state = found.state === "dead" ? "dropped already" : "delivered, or on its way";
        const detail = `${found.id} is ${state}; nothing was dropped`;
        throw new ProblemError(409, "Nothing to do", detail);
      });
      live.forget();
      return {
        sentence: `${entry.id} for ${entry.channel} was dropped`,
        count: 1,
        undo: { action: "outbox/retry", body: { id: entry.id } },
      };
    },

    async sendTest({ channel, by }, actor) {
      const setup = parts.setup();
      const { channels } = setup;
      const config = channels.find(({ name }) => name === channel);
      if (config === undefined) {
        const names = channels.map(({ name }) => name);
        const hint = meantOr(channel, names, "/api/v1/channels lists them");
        const detail = `no channel is called ${cleanText(channel, 80)}; ${hint}`;
        throw new ProblemError(404, "No such channel", detail);
      }
      const now = clock.now();
      const print = (text: string): void =>
        log.info({ channel, text }, "a test message was printed");
      const open = openConfigured(config, setup, { print, colours: false });
      try {
        const outcome = await sendSample(open, config, "fired", now, AbortSignal.timeout(TEST_MS));
        const said = outcomeText(outcome);
        const about = `${channel}: ${said}`;
        const doer = doerOf(actor, by);
        await db.use(({ audit }) =>
          audit.note(
            deedOf(doer, { action: "send test", about: cleanText(about, 500), count: 1, at: now }),
          ),
        );
        if (!isDelivered(outcome)) {
          throw new ProblemError(409, "Not delivered", `the test through ${channel} was ${said}`);
        }
        return { sentence: `a test was sent through ${channel}`, count: 1, undo: null };
      } finally {
        await open.close();
      }
    },
  };
}

/** The rest of a silence that was ended, to have it again. */
function undoneSilence({
  rule,
  subjects,
  labels,
  endsAt,
  comment,
}: Silence): Record<string, unknown> {
  const isNarrow = rule !== null || subjects !== null || Object.keys(labels).length > 0;
  return {
    ...(rule === null ? {} : { rule }),
    ...(subjects === null ? {} : { subjects }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(isNarrow ? {} : { all: true }),
    until: new Date(endsAt).toISOString(),
    ...(comment === null ? {} : { comment }),
  };
}
