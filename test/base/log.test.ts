import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adjustLogger, createLogger, type LogOptions } from "../../src/base/log.ts";
import { Secret } from "../../src/base/text.ts";

/** A logger and what it has written. */
function logger(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) > 0 };
  const log = createLogger({ level: "info", stream, ...options });
  return { log, lines, event: () => JSON.parse(lines.at(-1) ?? "") as Record<string, unknown> };
}

const KEY = "tw_9f8e7d6c5b4a";
const WEBHOOK = "https://hooks.example.org/services/T000/B000/XyZ123abc?x=1";
const MAIL = "smtps://alerts:p%40ss%2Fword@mail.example.org:465";

describe("a log line", () => {
  it("is one JSON object with time, level, message and the event's fields", () => {
    const { log, lines, event } = logger();
    log.info({ requests: 2, subject: "v4_pool:1:0x21" }, "round\ndone");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(event()).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requests: 2,
      subject: "v4_pool:1:0x21",
      msg: "round\ndone",
    });
  });

  it("is not written below the level, also by a child", () => {
    const { log, lines } = logger({ level: "warn" });
    log.info("not this");
    log.child({ channel: "lp" }).info("nor this");
    log.child({ channel: "lp" }).warn("but this");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"channel":"lp"');
  });

  it("follows another level and further secrets, also by a child", () => {
    const { log, lines } = logger({ secrets: [new Secret("old-secret")] });
    const child = log.child({ channel: "lp" });
    adjustLogger(log, "debug", [new Secret("new-secret")]);
    child.debug("old-secret and new-secret");
    expect(lines.join("")).toContain("[redacted] and [redacted]");
    adjustLogger(log, "error", []);
    child.warn("not this");
    log.warn("nor this");
    expect(lines).toHaveLength(1);
  });

  it("refuses an unknown level", () => {
    expect(() => logger({ level: "loud" })).toThrow(/level/);
  });
});

describe("an error in a log line", () => {
  const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
  const failure = new TypeError("cannot send", { cause });

  it("is message, code and cause without a stack", () => {
    const { log, lines, event } = logger();
    log.error({ err: failure }, "send failed");
    expect(event()["err"]).toEqual({
      name: "TypeError",
      message: "cannot send",
      cause: { name: "Error", message: "connect refused", code: "ECONNREFUSED" },
    });
    expect(lines.join("")).not.toContain("log.test");
  });

  it("has its stack when one debugs", () => {
    const { log, event } = logger({ level: "debug" });
    log.error({ error: failure }, "send failed");
    expect(event()["error"]).toHaveProperty("stack", expect.stringContaining("log.test"));
  });

  it("ends somewhere even if its causes go round in a circle", () => {
    const { log, lines } = logger();
    const circle = new Error("round");
    circle.cause = circle;
    log.error({ err: circle }, "odd");
    expect(lines[0]?.match(/"message":"round"/g)).toHaveLength(6);
  });
});

describe("secrets", () => {
  const secrets = [new Secret(KEY), new Secret(WEBHOOK), new Secret(MAIL)];
  const error = new Error(`POST ${WEBHOOK} failed`, { cause: new Error(`key ${KEY}`) });

  it.each<[string, object, string]>([
    ["the message", {}, `asking with ${KEY}`],
    ["a field", { url: `https://api.example.org/dexv3/pool?apikey=${KEY}&chainid=1` }, "asked"],
    ["a field's name", { [KEY]: 1 }, "asked"],
    ["deep in an object", { request: { headers: [{ "x-api-key": KEY }] } }, "asked"],
    ["an error and its cause", { err: error }, "failed"],
    [
      "an error under another name",
      { trouble: `${error.message} ${String(error.cause)}` },
      "failed",
    ],
    ["a webhook's path alone", { path: "/services/T000/B000/XyZ123abc" }, "posted"],
    ["an encoded URL", { next: encodeURIComponent(WEBHOOK) }, "posted"],
    ["a password, decoded", { auth: "alerts:p@ss/word" }, "login"],
    ["a password, as written", { auth: "p%40ss%2Fword" }, "login"],
    ["the wrapper itself", { key: secrets[0] }, "setup"],
  ])("do not come out of %s", (_, fields, message) => {
    for (const pretty of [false, true]) {
      const { log, lines } = logger({ secrets, pretty, level: "trace" });
      log.error(fields, message);
      log.child(fields).error(message);
      const output = lines.join("");
      expect(lines).toHaveLength(2);
      expect(output).toContain("[redacted]");
      expect(output).not.toMatch(/9f8e7d6c5b4a|XyZ123abc|p@ss|p%40ss/);
    }
  });

  it("leave the rest of the line as it was", () => {
    const { log, event } = logger({ secrets });
    log.info({ url: `https://api.example.org/?apikey=${KEY}&chainid=1`, status: 200 }, "asked");
    expect(event()).toMatchObject({
      url: "https://api.example.org/?apikey=[redacted]&chainid=1",
      status: 200,
      msg: "asked",
    });
  });

  it("of a database leave its name in the words around them", () => {
    const url = "postgres://me:p%40ss%2Fword@db.example.org/postgres?schema=tickwatch";
    const { log, event } = logger({ secrets: [new Secret(url)] });
    log.warn({ url, auth: "p@ss/word" }, "see docs/postgres.md");
    expect(event()).toMatchObject({
      url: "[redacted]",
      auth: "[redacted]",
      msg: "see docs/postgres.md",
    });
  });

  it("never come out, whatever characters they have and wherever they stand", () => {
    const secret = fc.string({ unit: "binary", minLength: 4, maxLength: 30 });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        fc.pre(!/redacted/.test(value));
        const { log, event } = logger({ secrets: [new Secret(value)] });
        const text = `${before}${value}${after}`;
        log.info({ text, list: [{ text }] }, "said");
        const said = event() as { text: string; list: { text: string }[] };
        const written = JSON.parse(JSON.stringify(value)) as string;
        expect(said.text.replaceAll("[redacted]", "\u0000")).not.toContain(written);
        expect(said.list[0]?.text).toBe(said.text);
      }),
    );
  });

  it("that look like a number hide that number and keep the line whole", () => {
    const { log, event } = logger({ secrets: [new Secret("123456")] });
    log.info({ pin: 123456, other: 12 }, "numbers");
    expect(event()).toMatchObject({ pin: "[redacted]", other: 12 });
  });

  it("too short to be one do not tear the line apart", () => {
    const { log, event } = logger({ secrets: [new Secret(""), new Secret("e"), new Secret('":')] });
    log.info({ here: 1 }, "here");
    expect(event()).toMatchObject({ here: 1, msg: "here", level: "info" });
  });
});

describe("the readable form", () => {
  it("is one line with time, level, message and fields", () => {
    const { log, lines } = logger({ pretty: true });
    log.info({ requests: 2, subject: "ETH/USDC 0.05%", none: null, list: [1, "b"] }, "round done");
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}round done requests=2 subject="ETH\/USDC 0\.05%" none=null list=\[1,"b"\]\n$/,
    );
  });

  it("tells an error in a sentence", () => {
    const { log, lines } = logger({ pretty: true });
    const cause = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
    log.warn({ err: new Error("cannot send", { cause }) }, "send failed");
    expect(lines[0]).toContain('send failed err="cannot send: connect refused (ECONNREFUSED)"\n');
  });

  it("lets no control through, and no novel", () => {
    const { log, lines } = logger({ pretty: true });
    log.info(
      { symbol: "\u001b[2J\u202eCDSU\r\nFAKE\u200b", "na\nme": "x", long: "n".repeat(5_000) },
      "from \u001b[31mthe\u0007 chain",
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines[0]?.length).toBeLessThan(500);
  });

  it("is coloured only when asked", () => {
    const plain = logger({ pretty: true });
    const coloured = logger({ pretty: true, colours: true });
    for (const { log } of [plain, coloured]) log.error("oh");
    expect(plain.lines[0]).not.toContain("\u001b");
    expect(coloured.lines[0]).toContain("\u001b[31mERROR\u001b[0m");
  });
});
