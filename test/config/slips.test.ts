import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../src/config/files/text-file.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";

const RULES =
  "rules:\n  - name: x\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, above: 5 gwei}\n";
const CONSOLE = "{here: {kind: console}}";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-slips-"));
  await writeFile(join(folder, "r.yaml"), RULES);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is said of a configuration whose secret is `secret`, with it in the environment and in a file. */
async function said(keys: Readonly<Record<string, string>>, secret: string): Promise<string[]> {
  const all = {
    service: '{base_url: "https://d.example.org", api_key: a-good-key}',
    rules: "[r.yaml]",
    channels: CONSOLE,
    ...keys,
  };
  const text = Object.entries(all).map(([key, value]) => `${key}: ${value}\n`);
  await writeFile(join(folder, "c.yaml"), text.join(""));
  await writeFile(join(folder, "secret"), secret);
  const options = { env: { SECRET: secret }, watches: KINDS, channels: CHANNELS };
  try {
    await loadSetup(join(folder, "c.yaml"), options);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((one) => formatProblem(one).replaceAll(`${folder}/`, ""));
  }
}

const SECRET = "sk-live-4f9a";
const service = { service: '{base_url: "https://d.example.org", api_key: "${env:SECRET}"}' };
const fromFile = { service: '{base_url: "https://d.example.org", api_key: "${file:secret}"}' };

describe("a key that no header can hold", () => {
  it.each([
    [`${SECRET}\u200b`, "character 13 of the value is U+200B, a zero-width space"],
    [`sk-\u200blive-4f9a`, "character 4 of the value is U+200B, a zero-width space"],
    [`${SECRET}\nother-key`, "character 13 of the value is U+000A, the end of a line"],
    [`${SECRET}\r`, "character 13 of the value is U+000D, a carriage return"],
    [`${SECRET}\u00a0`, "character 13 of the value is U+00A0, a no-break space"],
    [`${SECRET}ключ`, "character 13 of the value is U+043A, which"],
    [`“${SECRET}”`, "character 1 of the value is U+201C, a curly quote"],
    [`${SECRET}\u{1f511}x`, "character 13 of the value is U+1F511, which"],
    [`\u{1f511}${SECRET}`, "character 1 of the value is U+1F511, which"],
    [` ${SECRET}`, "character 1 of the value is U+0020, a space, which a header loses at its ends"],
    [
      `${SECRET}  `,
      "character 13 of the value is U+0020, a space, which a header loses at its ends",
    ],
    [`${SECRET}\u0000`, "character 13 of the value is U+0000, which"],
    [`${SECRET}\ufeff`, "character 13 of the value is U+FEFF, a byte order mark"],
  ])("%j is told of by the character and its place alone", async (secret, message) => {
    const problems = await said(service, secret);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^c\.yaml:1:55: /);
    expect(problems[0]).toContain(message);
    expect(problems[0]).not.toContain("4f9a");
  });

  it("is one with a blank line or a second line in its file, and none with a line end", async () => {
    expect(await said(fromFile, `${SECRET}\n`)).toEqual([]);
    expect(await said(fromFile, `${SECRET}\r\n\r\n`)).toEqual([]);
    expect(await said(fromFile, `\ufeff${SECRET}\n`)).toEqual([]);
    expect((await said(fromFile, `${SECRET}\n \n`))[0]).toContain(
      "character 13 of the value is U+000A",
    );
    expect((await said(fromFile, `# key\n${SECRET}\n`))[0]).toContain(
      "character 6 of the value is U+000A",
    );
  });

  it("is none with what a header can hold", async () => {
    expect(await said(service, "a key! with~signs und Ümläut")).toEqual([]);
  });
});

describe("a secret of another place with a slip of copying", () => {
  const web = '{listen: "127.0.0.1:9464", token: "${env:SECRET}"}';
  it.each([
    [
      "an address",
      { channels: '{a: {kind: slack, url: "${env:SECRET}"}}' },
      "https://h.example/4f9a\u200b",
      "character 23 of the value is U+200B",
    ],
    [
      "two lines",
      { channels: '{a: {kind: discord, url: "${env:SECRET}"}}' },
      "https://h.example/4f\n9a",
      "character 21 of the value is U+000A",
    ],
    [
      "a space",
      { channels: '{a: {kind: webhook, url: "${env:SECRET}"}}' },
      "https://h.example/4f9a ",
      "character 23 of the value is U+0020, a space",
    ],
    [
      "a header",
      {
        channels:
          '{a: {kind: webhook, url: "https://h.example", headers: {Authorization: "Bearer ${env:SECRET}"}}}',
      },
      "4f9a\n",
      "character 12 of the value is U+000A",
    ],
    [
      "a header of Alertmanager",
      {
        channels:
          '{a: {kind: alertmanager, url: "https://h.example", headers: {Authorization: "${env:SECRET}"}}}',
      },
      "Basic 4f9a…",
      "character 11 of the value is U+2026, three points in one sign",
    ],
    [
      "a signature's key",
      { channels: '{a: {kind: webhook, url: "https://h.example", secret: "${env:SECRET}"}}' },
      "k 4f9a\r",
      "character 7 of the value is U+000D",
    ],
    [
      "a bot's token",
      { channels: '{a: {kind: telegram, chat_id: "1", token: "${env:SECRET}"}}' },
      "12345:4f9a\u200b",
      "character 11 of the value is U+200B",
    ],
    [
      "a routing key",
      { channels: '{a: {kind: pagerduty, routing_key: "${env:SECRET}"}}' },
      "4f9a4f9a ",
      "character 9 of the value is U+0020, a space",
    ],
    [
      "a password",
      { channels: '{a: {kind: email, from: a@b.example, to: a@b.example, smtp: "${env:SECRET}"}}' },
      "smtps://u:4f9a%0A@m.example",
      "character 5 of the password is U+000A",
    ],
    [
      "a user",
      { channels: '{a: {kind: email, from: a@b.example, to: a@b.example, smtp: "${env:SECRET}"}}' },
      "smtps://u%20:4f9a@m.example",
      "character 2 of the user name is U+0020",
    ],
    [
      "a mail server",
      { channels: '{a: {kind: email, from: a@b.example, to: a@b.example, smtp: "${env:SECRET}"}}' },
      "smtps://u:4f9a\u200b@m.example",
      "character 15 of the value is U+200B",
    ],
    [
      "a mailbox",
      {
        channels:
          '{a: {kind: email, from: a@b.example, to: "${env:SECRET}", smtp: "smtp://localhost"}}',
      },
      "4f9a\u200b@b.example",
      "character 5 of the value is U+200B",
    ],
    [
      "the monitor",
      { heartbeat: '{url: "${env:SECRET}"}' },
      "https://h.example/4f9a\u2060",
      "character 23 of the value is U+2060, a word joiner",
    ],
    ["the page's token", { web }, "4f9a-4f9a-4f9a-4f9a é", "character 20 of the value is U+0020"],
    [
      "the service",
      { service: '{base_url: "${env:SECRET}", api_key: a-good-key}' },
      "https://4f9a.example\u200b",
      "character 21 of the value is U+200B",
    ],
  ])(
    "%s: the character and its place are said, and nothing else of it",
    async (_, keys, secret, message) => {
      const problems = await said(keys, secret);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(message);
      expect(problems[0]).not.toContain("4f9a");
    },
  );

  it("is none: a password with spaces, a key of a signature with spaces, a name with joined faces", async () => {
    const mail =
      '{a: {kind: email, from: "Team \u{1f469}\u200d\u{1f467} <a@b.example>", to: a@b.example, smtp: "${env:SECRET}"}, b: {kind: console}}';
    expect(await said({ channels: mail }, "smtps://u:ab%20cd%20ef@m.example")).toEqual([]);
    const hook = '{a: {kind: webhook, url: "https://h.example", secret: "${env:SECRET}"}}';
    expect(await said({ channels: hook }, "correct horse battery staple")).toEqual([]);
  });
});
