import { describe, expect, it } from "vitest";
import { NO_CHANGE } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { noticeOf } from "../support/notices.ts";
import { daemonFiles } from "./daemon-files.ts";
import { type Ran, runTickwatch } from "./test-command.ts";

const AT = Date.UTC(2026, 10, 28, 12);
const M1 = "a1".repeat(12);
const M2 = "b2".repeat(12);

const CONFIG = `
service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels:
  terminal: {kind: console}
  lp-slack: {kind: slack, url: "\${env:SLACK_URL}"}
`;
const RULES = `
rules:
  - name: tips
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
`;
const ENV = {
  KEY: "tw_0123456789",
  SLACK_URL: "https://hooks.example.org/services/T0/B0/Zx9Secret",
};

describe("tickwatch outbox", () => {
  const files = daemonFiles(CONFIG, RULES, ENV);

  const outbox = (...args: string[]): Promise<Ran> => files.run("outbox", ...args);

  /** The store as a running daemon holds it: one message waits, one is dead. */
  async function daemon(): Promise<Store> {
    const opened = await files.open();
    for (const id of ["n1", "n2"]) {
      const notice = noticeOf({ id, headline: `about ${id}`, at: AT });
      await opened.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["lp-slack"] }] });
    }
    const channel = "lp-slack";
    await opened.freeze(
      { id: M1, channel, notices: ["n1"], body: '{"text":"1"}', attempts: 1 },
      AT,
    );
    await opened.settle(M1, { status: "dead", at: AT, error: "answered 400: no_text" });
    await opened.freeze(
      { id: M2, channel, notices: ["n2"], body: '{"text":"2"}', attempts: 1 },
      AT,
    );
    const until = Date.UTC(2100, 0, 1);
    await opened.settle(M2, { status: "waiting", at: 1, until, error: "answered 500" });
    return opened;
  }

  it("ends with exit code 4 where no daemon has run", async () => {
    expect(await outbox("list")).toEqual({
      code: 4,
      out: "",
      err: `tickwatch: there is no database at ${files.database()}: the daemon has not run yet\n`,
    });
  });

  it("lists, shows, retries and drops while the rules are broken by an edit", async () => {
    await daemon();
    await files.write("rules.yaml", "rules: [");
    expect((await outbox("list")).out).toContain(M2);
    expect((await outbox("list", "--dead")).out).toContain(M1);
    expect((await outbox("show", M1)).code).toBe(0);
    expect((await outbox("retry", M2)).code).toBe(0);
    expect((await outbox("retry", "lp-slack")).code).toBe(0);
    expect((await outbox("retry")).code).toBe(0);
    expect((await outbox("drop", M2)).code).toBe(0);
    // Whether a word is a channel that nothing is owed to, the configuration must say.
    expect((await outbox("retry", "terminal")).code).toBe(2);
  });

  it("lists what is to be delivered, and what was given up", async () => {
    await daemon();
    const open = await outbox("list");
    expect(open).toMatchObject({ code: 0, err: "" });
    const [head, row, ...more] = open.out.trimEnd().split("\n");
    expect(head).toMatch(/^id +channel +state +when +sends +what$/);
    expect(row).toMatch(
      new RegExp(`^${M2}  lp-slack  retrying  in \\d+ d.*  1      about n2 \\(answered 500\\)$`),
    );
    expect(more).toEqual([]);
    const dead = await outbox("list", "--dead");
    expect(dead.out).toContain(M1);
    expect(dead.out).toContain("about n1 (answered 400: no_text)");
    expect(dead.out).not.toContain(M2);
  });

  it("lists for programs, in bounds", async () => {
    const opened = await daemon();
    const notice = noticeOf({ id: "n3", at: AT });
    await opened.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["lp-slack"] }] });
    const { out } = await outbox("list", "--json", "--limit", "1");
    expect(JSON.parse(out)).toEqual({
      count: 2,
      messages: [
        {
          id: M2,
          channel: "lp-slack",
          state: "waiting",
          sends: 1,
          error: "answered 500",
          since: "2026-11-28T12:00:00.000Z",
          until: "2100-01-01T00:00:00.000Z",
          settled_at: null,
          notices: [
            {
              id: "n2",
              kind: "fired",
              severity: "warning",
              rule: "my-range",
              subject: "v4_position:1:dexa:42",
              at: "2026-11-28T12:00:00.000Z",
              headline: "about n2",
            },
          ],
        },
      ],
    });
    expect((await outbox("list", "--limit", "1")).out).toContain("and 1 other; --limit shows more");
  });

  it("shows one message by a part of its id, with its body", async () => {
    await daemon();
    const { code, out } = await outbox("show", "a1a1a1");
    expect(code).toBe(0);
    for (const part of [M1, "dead", "answered 400: no_text", "about n1", '{"text":"1"}', "n1"]) {
      expect(out).toContain(part);
    }
    const json: unknown = JSON.parse((await outbox("show", M1, "--json")).out);
    expect(json).toMatchObject({ id: M1, body: '{"text":"1"}', state: "dead" });
  });

  it("makes what waits due, and says that dead letters are left", async () => {
    const opened = await daemon();
    const { code, out } = await outbox("retry", "lp-slack");
    expect(code).toBe(0);
    expect(out).toBe(
      "1 waiting message is due now\n1 dead letter not retried; use --dead to send them too, or name one by its id\n",
    );
    expect(await opened.claim("lp-slack", AT)).toMatchObject({ message: { id: M2, attempts: 2 } });
    const all = await outbox("retry", "--dead", "--json");
    expect(JSON.parse(all.out)).toEqual({ due: 0, revived: 1 });
    expect(await opened.claim("lp-slack", AT)).toMatchObject({ message: { id: M1, attempts: 2 } });
  });

  it("brings one dead letter back by its id, and gives one up", async () => {
    const opened = await daemon();
    expect(await outbox("drop", "b2b2")).toMatchObject({ code: 0, err: "" });
    expect(await opened.owed()).toEqual(new Map());
    expect((await outbox("retry", "--dead", "lp-slack")).out).toContain(
      "1 dead letter is queued again",
    );
    expect((await outbox("list", "--dead")).out).toContain("dropped by hand");
    expect(await outbox("retry", M2)).toMatchObject({
      code: 0,
      out: `${M2} is queued again for lp-slack\n`,
    });
    expect(await opened.owed()).toEqual(new Map([["lp-slack", 2]]));
  });

  it("sends nothing twice that was delivered", async () => {
    const opened = await daemon();
    await opened.settle(M2, { status: "sent", at: AT });
    expect(await outbox("retry", M2)).toMatchObject({ code: 1, out: "" });
    expect(await outbox("drop", M2)).toMatchObject({ code: 1, out: "" });
    expect((await outbox("list")).out).toMatch(/^no queued messages in /);
  });

  it.each([
    [["retry", "lp-slak"], "there is no channel and no message lp-slak; did you mean lp-slack?"],
    [["show", "ffffff"], "there is no message ffffff; `tickwatch outbox list` shows the ids"],
    [["drop", "a1"], "there is no message a1;"],
    [["show"], "missing required argument"],
    [["list", "--limit", "0"], "It is a whole number from 1"],
    [["lst"], "unknown command"],
  ])("answers %j with exit code 2 and what is wrong", async (args, words) => {
    await daemon();
    const end = await outbox(...args);
    expect(end).toMatchObject({ code: 2, out: "" });
    expect(end.err).toContain(words);
  });

  it("shows no terminal escapes of a body or an error, and no secret", async () => {
    const opened = await daemon();
    const notice = noticeOf({ id: "n9", headline: "evil\u001b[2J\u202e", at: AT });
    await opened.commit({ ...NO_CHANGE, notices: [{ notice, channels: ["lp-slack"] }] });
    const channel = "lp-slack";
    const id = "c3".repeat(12);
    await opened.freeze({ id, channel, notices: ["n9"], body: "a\u001b[31m\nb", attempts: 1 }, AT);
    await opened.settle(id, { status: "dead", at: AT, error: "no\u001b[0m" });
    const printed = [
      await outbox("list", "--dead"),
      await outbox("show", id),
      await outbox("list", "--dead", "--json"),
    ].map(({ out }) => out);
    expect(printed.join("")).not.toContain("\u001b");
    expect(printed.slice(0, 2).join("")).not.toContain("\u202e");
    expect(printed.join("")).not.toContain("Zx9Secret");
  });

  it("has an example in the help of each of its commands", async () => {
    for (const args of [[], ["list"], ["show"], ["retry"], ["drop"]]) {
      const help = await runTickwatch(["outbox", ...args, "--help"]);
      expect(help).toMatchObject({ code: 0, err: "" });
      expect(help.out).toMatch(/\nExample:\n {2}tickwatch outbox /);
    }
  });
});
