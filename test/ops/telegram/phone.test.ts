import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, type TestContext } from "vitest";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { Secret } from "../../../src/base/text.ts";
import { telegramKind } from "../../../src/channels/telegram.ts";
import { NO_CHANGE, type Setup } from "../../../src/model/index.ts";
import { stateOf } from "../../../src/ops/daemon-view.ts";
import { SelfNotices } from "../../../src/ops/self-notices.ts";
import { type Phone, startPhone } from "../../../src/ops/telegram/phone.ts";
import { openOperatorDb } from "../../../src/store/operator-db/operator-db.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { noticeOf } from "../../support/notices.ts";
import { type BotMessage, startTelegram } from "../../support/telegram-server.ts";
import { ok, POOL_ID, poolRecord, World } from "../../support/world.ts";

const RULES = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: "The *pool* @evil t.me/x /ack"}]}
    when: {metric: tvl_usd, below: 900}
  - name: tvl-high
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}
    when: {metric: tvl_usd, above: 5000}
`;
const NOTICE = "0123456789abcdef";

/** Waits are a five-hundredth as long. */
function quickClock(): Clock {
  const real = systemClock();
  return {
    ...real,
    after: (ms, wake) => real.after(ms / 500, wake),
  };
}

async function setUp(test: TestContext) {
  const telegram = await startTelegram(test);
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-phone-"));
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const disk = join(folder, "tickwatch.db");
  const store = await openSqliteStore(disk);
  const world = await World.create(RULES, {
    store,
    answer: () => ok(poolRecord({ tvl_usd: 800 })),
  });
  await world.minutes(1);
  const about = { rule: "tvl-low", subject: `v4_pool:1:${POOL_ID}` };
  await store.commit({
    ...NO_CHANGE,
    notices: [{ notice: noticeOf({ id: NOTICE, ...about }), channels: ["phone"] }],
  });
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const setup = (users: readonly number[] | null, chat = "-100777"): Setup => {
    const settings = {
      token: new Secret(telegram.token),
      chat_id: chat,
      base_url: telegram.url,
      ...(users === null ? {} : { commands: { users: users.map(String) } }),
    };
    const channel = { name: "phone", kind: "telegram", timezone: "UTC" };
    const parsed = telegramKind.settings.parse(settings);
    const rules = world.rounds.memory.rules.map(({ rule }) => rule);
    return { rules, channels: [{ ...channel, settings: parsed }] } as unknown as Setup;
  };
  const self = new SelfNotices({
    setup: () => setup([42]),
    clock: world.clock,
    store,
    delivery: {
      poke: () => {},
      idle: async () => {},
      follow: async () => {},
      stop: async () => {},
    },
    log,
  });
  const state = stateOf({
    memory: () => world.rounds.memory,
    channels: () => ["phone"],
    source: () => ({}) as never,
    configuration: () => null,
    store,
    clock: world.clock,
    self,
  });
  let phone: Phone | null = null;
  const start = (given = setup([42])): void => {
    const parts = {
      setup: () => given,
      carryOut: () => world.rounds.lookForCommands(),
      memory: () => world.rounds.memory,
      state,
      store,
      place: disk,
      clock: world.clock,
      log,
    };
    phone = startPhone(given, { ...parts, real: quickClock() });
  };
  const stop = async (): Promise<void> => {
    await phone?.stop();
    phone = null;
  };
  test.onTestFinished(async () => {
    await stop();
    await world.stop();
    await store.close();
  });
  const beside = async <T>(
    look: (db: NonNullable<Awaited<ReturnType<typeof openOperatorDb>>>) => T,
  ): Promise<T> => {
    const db = await openOperatorDb(disk, false);
    if (db === null) throw new Error("no database");
    try {
      return look(db);
    } finally {
      db.close();
    }
  };
  return {
    telegram,
    world,
    store,
    lines,
    start,
    stop,
    setup,
    follow: async (given: Setup) => phone?.follow(given),
    deeds: () => beside((db) => db.audit.find({ most: 100 })),
    silences: () => beside((db) => db.silences.all()),
    says: (part: string): Promise<BotMessage> => telegram.first(({ text }) => text.includes(part)),
  };
}

describe("a Telegram chat", () => {
  it("asks how things are", async (test) => {
    const { telegram, start, says } = await setUp(test);
    start();
    telegram.write("/status");
    const status = await says("healthy");
    expect(status).toMatchObject({ chat_id: "-100777", reply_parameters: { message_id: 9_001 } });
    expect(status.text).toContain("2 rules");
    expect(status.text).toContain("1 alert firing");
    telegram.write("/firing@tickwatch_bot");
    const firing = await says("tvl-low: ");
    telegram.write("/why low");
    const why = await says("Tells console and slack when TVL of");
    expect(why.text).toContain("It fired at 12:01 because TVL was $800, below $900.");
    telegram.write("/range");
    await says("no rule watches a position");
    telegram.write("/help");
    await says("/silence RULE");
    telegram.write("/why nothing");
    await says("there is no rule nothing");
    // A chain's name is no mention, no link and no command.
    expect(firing.text).not.toMatch(/@|t\.me|(?:^|\s)\/ack/);
    expect(firing).not.toHaveProperty("parse_mode");
  });

  it("acknowledges what fires, and nothing else", async (test) => {
    const { telegram, start, says, deeds } = await setUp(test);
    start();
    telegram.write("/ack tvl-low");
    await says("acknowledged by anna (Telegram 42): tvl-low");
    expect(await deeds()).toMatchObject([
      {
        action: "ack",
        rule: "tvl-low",
        subject: `v4_pool:1:${POOL_ID}`,
        author: "anna (Telegram 42)",
        via: "chat",
      },
    ]);
    telegram.write("/firing");
    await says("acknowledged by anna (Telegram 42) at");
    telegram.write("/ack tvl-high");
    await says("nothing to acknowledge");
    expect(await deeds()).toHaveLength(1);
  });

  it("silences for as long as it is told to", async (test) => {
    const { telegram, start, says, silences, world } = await setUp(test);
    start();
    telegram.write("/silence tvl-low 8h");
    await says("silenced for 8 h by anna");
    telegram.write("/silence tvl-low tomorrow");
    await says("tomorrow is not a duration");
    telegram.write("/silence tvl-low 90d");
    await says("more than 30 days");
    telegram.write("/silence nobody 1h");
    await says("there is no rule nobody");
    const now = world.clock.now();
    expect(await silences()).toMatchObject([
      {
        rule: "tvl-low",
        subjects: null,
        startsAt: now,
        endsAt: now + 8 * 3_600_000,
        author: "anna (Telegram 42)",
      },
    ]);
  });

  it("acts by buttons, once however often they are pressed", async (test) => {
    const { telegram, start, says, deeds, silences } = await setUp(test);
    start();
    telegram.press(`ack:${NOTICE}`);
    await says("acknowledged by anna");
    telegram.press(`s1h:${NOTICE}`);
    await says("silenced for 1 h");
    telegram.press(`s1h:${NOTICE}`);
    await says("already silenced");
    telegram.press("ack:ffffffffffffffff");
    await says("too old to act on");
    telegram.press("drop:everything");
    telegram.write("/help");
    await says("/silence RULE");
    expect((await deeds()).map(({ action }) => action)).toEqual(["silence", "ack"]);
    expect(await silences()).toHaveLength(1);
    expect(telegram.toasts).toHaveLength(5);
  });

  it("does not act by a button that Telegram says is too old", async (test) => {
    const { telegram, start, says, deeds } = await setUp(test);
    telegram.answer((method, response) => {
      if (method !== "answerCallbackQuery") return false;
      response.writeHead(400).end('{"ok":false,"description":"Bad Request: query is too old"}');
      return true;
    });
    telegram.press(`ack:${NOTICE}`);
    start();
    telegram.write("/help");
    await says("/silence RULE");
    expect(await deeds()).toEqual([]);
  });

  it("does nothing for strangers, in other chats, and for what was forwarded; nobody answers them", async (test) => {
    const { telegram, start, says, deeds, silences, lines } = await setUp(test);
    start();
    telegram.write("/ack tvl-low", { user: 43 });
    telegram.write("/status", { chat: -100_778 });
    telegram.press(`ack:${NOTICE}`, { user: 43 });
    telegram.press(`s8h:${NOTICE}`, { chat: 42 });
    const from = { id: 42, is_bot: false, first_name: "Anna" };
    const common = {
      message_id: 1,
      chat: { id: -100_777 },
      date: Math.floor(Date.now() / 1_000),
      from,
    };
    telegram.put({
      message: { ...common, text: "/ack tvl-low", forward_origin: { type: "user" } },
    });
    telegram.put({ edited_message: { ...common, text: "/ack tvl-low" } });
    telegram.put({ message: { ...common, text: "/ack tvl-low", from: { ...from, is_bot: true } } });
    telegram.put({ message: null, callback_query: 7 });
    telegram.write("/help");
    await says("/silence RULE");
    expect(telegram.sent).toHaveLength(1);
    expect(telegram.toasts).toEqual([]);
    expect(await deeds()).toEqual([]);
    expect(await silences()).toEqual([]);
    const said = lines.filter((line) => line.includes("not in commands.users"));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('"user":43');
  });

  it("does not do what was written while nobody read it for long", async (test) => {
    const { telegram, start, says, deeds } = await setUp(test);
    telegram.write("/ack tvl-low", { date: Math.floor(Date.now() / 1_000) - 601 });
    start();
    await says("more than 10 minutes ago");
    expect(await deeds()).toEqual([]);
  });

  it("does nothing twice over a restart, also where Telegram gives it again", async (test) => {
    const { telegram, start, stop, says, silences } = await setUp(test);
    start();
    telegram.write("/silence tvl-low 8h");
    telegram.write("/silence tvl-high 2h");
    await says("tvl-high (The pool)");
    await stop();
    telegram.forgetful = true;
    start();
    await telegram.polls(2);
    telegram.write("/help");
    await says("/silence RULE");
    expect(await silences()).toHaveLength(2);
    expect(telegram.sent).toHaveLength(3);
    // It goes on from where it was.
    expect(telegram.offsets.filter((offset) => offset === null)).toHaveLength(1);
  });

  it.for([
    ["a week ago", 7 * 86_400_000, true],
    ["just now", 0, false],
  ] as const)("hears lower numbers where the last one came %s", async ([, ago, hears], test) => {
    const { telegram, start, says, store } = await setUp(test);
    const value = JSON.stringify({ last: 900_000, at: Date.now() - ago });
    await store.commit({ ...NO_CHANGE, marks: [{ subject: "telegram:123456", value }] });
    telegram.forgetful = true;
    telegram.write("/help");
    start();
    await telegram.polls(2);
    if (hears) await says("/silence RULE");
    else expect(telegram.sent).toEqual([]);
    expect(telegram.offsets[0]).toBe(hears ? null : 900_001);
  });

  it("answers no more than twenty commands in a minute", async (test) => {
    const { telegram, start, lines } = await setUp(test);
    for (let i = 0; i < 120; i += 1) telegram.write("/help");
    start();
    // All of them are confirmed by the third poll.
    await telegram.polls(4);
    expect(telegram.sent).toHaveLength(20);
    expect(lines.filter((line) => line.includes("too many Telegram commands"))).toHaveLength(1);
  });

  it("goes on after refusals, broken answers and silence of the server", async (test) => {
    const { telegram, start, says, lines } = await setUp(test);
    const script = [
      (response: ServerResponse) => response.writeHead(500).end("oops"),
      (response: ServerResponse) =>
        response
          .writeHead(409)
          .end('{"ok":false,"description":"Conflict: terminated by other getUpdates request"}'),
      (response: ServerResponse) => response.writeHead(200).end("<html>"),
      (response: ServerResponse) =>
        response.writeHead(200).end('{"ok":true,"result":{"not":"a list"}}'),
      (response: ServerResponse) =>
        response.writeHead(429).end('{"ok":false,"parameters":{"retry_after":3}}'),
      (response: ServerResponse) =>
        response.writeHead(401).end('{"ok":false,"description":"Unauthorized"}'),
    ];
    telegram.answer((method, response) => {
      const next = method === "getUpdates" ? script.shift() : undefined;
      next?.(response);
      return next !== undefined;
    });
    start();
    telegram.write("/help");
    await says("/silence RULE");
    const text = lines.join("");
    expect(text).toContain("another program reads this bot's messages");
    expect(text).toContain("Telegram commands are read again");
    expect(text).not.toContain(telegram.token);
    expect(text).not.toContain("ABC-DEF1234");
  });

  it("is read as the configuration says at the moment", async (test) => {
    const { telegram, start, follow, setup, says } = await setUp(test);
    start();
    telegram.write("/help");
    await says("/silence RULE");
    await follow(setup([43]));
    telegram.write("/status", { user: 42 });
    telegram.write("/firing", { user: 43 });
    await says("tvl-low: ");
    await follow(setup(null));
    const polls = telegram.offsets.length;
    telegram.write("/range", { user: 43 });
    await follow(setup([43]));
    await says("no rule watches a position");
    expect(telegram.offsets.length).toBeGreaterThan(polls);
    expect(telegram.sent.filter(({ text }) => text.includes("healthy"))).toEqual([]);
  });
});
