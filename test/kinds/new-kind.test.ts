import { describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import { printedNotice } from "../../src/channels/console.ts";
import { slackKind } from "../../src/channels/slack.ts";
import { rulesSchema } from "../../src/config/json-schema.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { metric, metricsOf } from "../../src/kinds/fields.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { WatchKind } from "../../src/kinds/kind.ts";
import { TOKEN_TARGETS, TokenReading } from "../../src/kinds/token-record.ts";
import { NO_FACTS } from "../../src/kinds/tokens.ts";
import { describeRule } from "../../src/rules/describe/sentence.ts";
import { absent, ok, World } from "../support/world.ts";

/** A kind that the program does not have: all that is known of it is in this object. */
const crowd: WatchKind = {
  kind: "crowd",
  aliases: ["people"],
  words: { subjects: "crowds", metricFirst: true },
  targets: TOKEN_TARGETS,
  bucketMs: null,
  records: ["holder_count"],
  metrics: metricsOf("holder_count", { holder_count: ["heads", "headcount"] }, [
    metric("density", "ratio", "density", "share"),
  ]),
  subject: ({ chainId, id, name }) => {
    const token = (id ?? "").toLowerCase();
    return { key: `crowd:${chainId}:${token}`, kind: "crowd", chainId, ids: { token }, name };
  },
  asks: ({ key, chainId, ids }) => [{ key, record: "holder_count", chainId, id: ids.token ?? "" }],
  follow: () => [],
  read: (subject, answers) => {
    const [ask] = crowd.asks(subject, 0);
    return new TokenReading({
      subject,
      record: "holder_count",
      answer: ask && answers(ask),
      doubts: [],
      facts: NO_FACTS,
      unit: (name) => (name === "holder_count" ? "people" : ""),
    });
  },
};

const TOKEN = `0x${"a1".repeat(20)}`;
const WITH_CROWD = new Map([...KINDS, [crowd.kind, crowd]]);

function rules(when: string, watch = "{kind: crowd, chain: 1, token: [{id: TOKEN, name: Plaza}]}") {
  const yaml = `rules:
  - {name: too-many, watch: ${watch.replace("TOKEN", TOKEN)}, when: ${when}, schedule: 1m, notify: [console, slack]}`;
  const context = { watches: WITH_CROWD, channels: ["console", "slack"] };
  return { yaml, ...parseRules(yaml, "rules.yaml", context) };
}

describe("a kind that only a test has", () => {
  it("is read from a rule and described by its own words", () => {
    const [rule] = rules("{metric: holder_count, above: 100}").rules;
    expect(describeRule(rule!, { metrics: crowd.metrics })).toBe(
      "Tells console and slack when the number of heads of Plaza on Ethereum is above 100",
    );
    const many = `{kind: crowd, chain: 1, token: [${TOKEN}, "0x${"b2".repeat(20)}"]}`;
    const [other] = rules("{metric: holder_count, above: 100}", many).rules;
    expect(describeRule(other!, { metrics: crowd.metrics })).toContain("any of 2 crowds (");
  });

  it("is suggested for what people call it and its metrics, whose bounds it gives", () => {
    expect(() => rules("{metric: headcount, above: 1}")).toThrow("did you mean `holder_count`?");
    expect(() =>
      rules("{metric: density, above: 1}", "{kind: people, chain: 1, token: TOKEN}"),
    ).toThrow("did you mean `crowd`?");
    expect(() => rules("{metric: density, above: 95}")).toThrow("95%");
  });

  it("is in the schema of rule files", () => {
    const { $defs } = rulesSchema(WITH_CROWD);
    expect(JSON.stringify($defs)).toContain('"#/$defs/watch_crowd"');
    expect(Object.keys($defs ?? {})).toEqual(
      expect.arrayContaining(["watch_crowd", "condition_crowd"]),
    );
    expect(JSON.stringify(($defs as Record<string, unknown>).condition_crowd)).toContain("density");
  });

  it("is asked, decided and told with its noun and unit", async () => {
    let heads = 90;
    const world = await World.create(rules("{metric: holder_count, above: 100}").yaml, {
      kinds: WITH_CROWD,
      answer: (ask) =>
        ask.record === "holder_count" && ask.id === TOKEN
          ? ok({ token_address: TOKEN, chain_id: 1, holder_count: heads })
          : absent,
    });
    await world.minutes(2);
    heads = 120;
    await world.minutes(1);
    heads = 80;
    await world.minutes(1);
    expect(world.asked.every((key) => key === `crowd:1:${TOKEN}`)).toBe(true);
    const [fired, resolved] = world.told.filter(({ kind }) => kind !== "started");
    expect(fired?.notice.headline).toBe("🟠 Heads of Plaza 120 people, limit 100. Ethereum");
    expect(resolved?.notice.headline).toContain("back to 80 people");
    expect(printedNotice(fired!.notice)).toMatch(/^ +Heads +120 people$/m);
    const url = new Secret("http://127.0.0.1:9/hook");
    const slack = slackKind.open({ url }, { print: () => {}, colours: false });
    expect(slack.render(fired!.notice)).toContain("120 people");
    await slack.close();
    await world.stop();
  });
});
