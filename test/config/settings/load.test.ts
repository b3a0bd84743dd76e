import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../../src/config/files/text-file.ts";
import { loadSetup } from "../../../src/config/settings/load.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import { POOL, ruleText } from "../rules-text.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-config-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const KEY = "sk_live_0123456789abcdef";
const HOOK = "https://hooks.slack.com/services/T0/B0/verysecretpath";
const ENV = { TICKWATCH_API_KEY: KEY, SLACK_URL: HOOK, EMPTY: "", HOST: "data.example.org" };
const CHANNEL_KINDS = [...CHANNELS.keys()].join(", ");
const BASE = {
  service: `{base_url: "https://data.example.org", api_key: "\${env:TICKWATCH_API_KEY}"}`,
  rules: "[rules/*.yaml]",
  channels: "{console: {kind: console}}",
};

function configText(keys: Readonly<Record<string, string | null>> = {}): string {
  return Object.entries({ ...BASE, ...keys })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("");
}

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function load(config: string | Uint8Array, rules: string | Uint8Array | null = ruleText()) {
  if (rules !== null) await put("rules/a.yaml", rules);
  const path = await put("config.yaml", config);
  return loadSetup(path, { env: ENV, watches: KINDS, channels: CHANNELS });
}

/** The first line of each problem, without the folder. */
async function refused(config: string | Uint8Array, rules?: string | Uint8Array | null) {
  const error = await load(config, rules).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw new Error("no ConfigError", { cause: error });
  return error.problems.map((one) =>
    (formatProblem(one).split("\n")[0] ?? "").replace(`${folder}/`, ""),
  );
}

it("is told of a rules file in its place in one line", async () => {
  expect(await refused(ruleText())).toEqual([
    "config.yaml:1:1: the file is a rules file, not a configuration, expected the configuration that names it under rules [wrong-kind-of-file]",
  ]);
});

async function warned(config: string, rules?: string) {
  const { warnings } = await load(config, rules);
  return warnings.map((one) => (formatProblem(one).split("\n")[0] ?? "").replace(`${folder}/`, ""));
}

const telegram = (more: string, chat = "1"): string =>
  `{a: {kind: telegram, token: "1:A", chat_id: ${chat}, ${more}}}`;

describe("a configuration", () => {
  it("tells all channels of the daemon's own troubles, or those that it names", async () => {
    const all = await load(configText());
    expect(all.setup.selfNotify).toEqual(["console"]);
    const none = await load(configText({ self: "{notify: []}" }));
    expect(none.setup.selfNotify).toEqual([]);
    expect(none.warnings.map(({ message }) => message)).toEqual(["self notifies nobody"]);
    await expect(load(configText({ self: "{notify: [consol]}" }))).rejects.toThrow(
      /did you mean `console`/,
    );
  });

  it.each([
    [`'"${KEY}"'`, "the key has quotes of its own"],
    [`"Bearer ${KEY}"`, "the key begins with Bearer, which is not a part of it"],
  ])("takes no key with what is no part of it: %s", async (text, message) => {
    const service = `{base_url: "https://data.example.org", api_key: ${text}}`;
    const [line = ""] = await refused(configText({ service }));
    expect(line).toBe(`config.yaml:1:58: ${message}, expected the key alone [bad-setting]`);
  });

  it("has the documented defaults", async () => {
    const { setup, warnings } = await load(configText());
    expect(warnings).toEqual([]);
    expect(setup).toMatchObject({
      service: {
        baseUrl: "https://data.example.org",
        timeoutMs: 10_000,
        concurrency: 8,
        requestsPerSecond: 10,
      },
      channels: [{ name: "console", kind: "console", settings: {}, timezone: "UTC" }],
      store: join(folder, "tickwatch.db"),
      retentionMs: 90 * 86_400_000,
      logLevel: "info",
    });
    expect(setup.service.apiKey.reveal()).toBe(KEY);
    expect(setup.rules.map(({ name }) => name)).toEqual(["tips"]);
  });

  it("tells times in the zone of the channel, else in that of the configuration", async () => {
    const channels = `{
  console: {kind: console}, tokyo: {kind: console, timezone: Asia/Tokyo},
  hook: {kind: webhook, url: "\${env:SLACK_URL}"},
  own: {kind: webhook, url: "\${env:SLACK_URL}", timezone: Asia/Tokyo}}`;
    const zones = async (keys: Readonly<Record<string, string>>) => {
      const { setup } = await load(configText({ channels, ...keys }));
      return Object.fromEntries(setup.channels.map(({ name, timezone }) => [name, timezone]));
    };
    const asia = { tokyo: "Asia/Tokyo", own: "Asia/Tokyo" };
    expect(await zones({})).toEqual({ console: "UTC", hook: "UTC", ...asia });
    // Programs read a webhook, so nothing changes for them unless it says so itself.
    expect(await zones({ timezone: "Europe/Berlin" })).toEqual({
      console: "Europe/Berlin",
      hook: "UTC",
      ...asia,
    });
  });

  it.each([
    ["1m", 10_000],
    ["15s", 10_000],
    ["10s", 6_600],
    ["5s", 3_300],
    ["2s", 2_000],
    ["1s", 2_000],
    ["*/5 * * * * *", 10_000],
  ])("gives requests by itself less time than the schedule %s: %i ms", async (schedule, ms) => {
    const { setup, warnings } = await load(configText({ defaults: `{schedule: "${schedule}"}` }));
    expect(setup.service.timeoutMs).toBe(ms);
    expect(warnings).toEqual([]);
  });

  it("doubts a time limit for which what hangs would hold up rounds, and keeps to it", async () => {
    const text = (timeout: string, schedule: string): string =>
      configText({
        service: `{base_url: "https://data.example.org", api_key: "\${env:TICKWATCH_API_KEY}", timeout: ${timeout}}`,
        defaults: `{schedule: ${schedule}}`,
      });
    expect(await warned(text("10s", "10s"))).toEqual([
      "config.yaml:1:95: a rule has the schedule 10s: requests that hang for 10s hold up its rounds, expected less than 10s, or no timeout: then it is by the shortest schedule [timeout-too-long]",
    ]);
    expect((await load(text("30s", "5s"))).setup.service.timeoutMs).toBe(30_000);
    expect(await warned(text("9s", "10s"))).toEqual([]);
    expect(await warned(text("2s", "1s"))).toEqual([]);
    expect(await warned(text("50s", "1m"))).toEqual([]);
  });

  it("hands its limits of flapping to every rule", async () => {
    const { setup } = await load(configText({ flapping: "{more_than: 2, within: 10m}" }));
    expect(setup.rules[0]?.flapping).toEqual({ moreThan: 2, withinMs: 600_000 });
    const half = await load(configText({ flapping: "{within: 2h}" }));
    expect(half.setup.rules[0]?.flapping).toEqual({ moreThan: 5, withinMs: 7_200_000 });
    expect(await refused(configText({ flapping: "{more_than: 0}" }))).toHaveLength(1);
  });

  it("takes every key that is built", async () => {
    const { setup } = await load(
      configText({
        service: `{base_url: "http://127.0.0.1:8080/data/", api_key: "\${env:TICKWATCH_API_KEY}", timeout: 3s, concurrency: 2, requests_per_second: 5}`,
        store: "data/x.db",
        retention: "7d",
        timezone: "Europe/Berlin",
        defaults: "{schedule: 2m, severity: info}",
        channels: `{lp-slack: {kind: slack, url: "\${env:SLACK_URL}"}}`,
        log: "{level: debug}",
      }),
    );
    expect(setup.service).toMatchObject({
      baseUrl: "http://127.0.0.1:8080/data",
      timeoutMs: 3_000,
      concurrency: 2,
      requestsPerSecond: 5,
    });
    expect(setup).toMatchObject({
      store: join(folder, "data/x.db"),
      retentionMs: 7 * 86_400_000,
      logLevel: "debug",
    });
    expect(setup.rules[0]).toMatchObject({ severity: "info", notify: ["lp-slack"] });
    expect(setup.rules[0]?.schedule.everyMs).toBe(120_000);
  });

  it("reads the heartbeat, whose address is a secret, and the wait for others", async () => {
    const url = "https://beat.example.org/s3cret";
    const { setup } = await load(
      configText({ heartbeat: `{url: "${url}", every: 30s}`, group_wait: "0s" }),
    );
    expect(setup.heartbeat?.url.reveal()).toBe(url);
    expect(JSON.stringify(setup.heartbeat)).not.toContain("s3cret");
    expect(setup.heartbeat?.everyMs).toBe(30_000);
    expect(setup.groupWaitMs).toBe(0);
    const plain = await load(configText({}));
    expect(plain.setup).toMatchObject({ heartbeat: null, groupWaitMs: 5_000 });
    expect(await refused(configText({ heartbeat: "{every: 1s}" }))).toHaveLength(2);
    const [problem = ""] = await refused(configText({ heartbeat: '{url: "ftp://s3cret.org/x"}' }));
    expect(problem).toContain("not an http or https address");
    expect(problem).not.toContain("s3cret");
  });

  it.each<[Record<string, string | null>, string]>([
    [
      { chanels: "{}" },
      "config.yaml:4:1: unknown key `chanels` in the configuration; did you mean `channels`?",
    ],
    [
      { service: null },
      "config.yaml:1:1: service is missing, expected service: with base_url and api_key",
    ],
    [
      { service: "{}" },
      "config.yaml:1:10: base_url is missing, expected the service's address, here, as legacy_base_url, or as both",
    ],
    [
      { service: "x" },
      "config.yaml:1:10: service is text, expected a map with keys such as base_url, legacy_base_url, api_key",
    ],
    [
      { rules: null },
      "config.yaml:1:1: rules is missing, expected a list of files such as [rules/*.yaml]",
    ],
    [
      { rules: "[]" },
      "config.yaml:2:8: rules is empty, expected a list of files such as [rules/*.yaml]",
    ],
    [
      { rules: "[nope.yaml]" },
      'config.yaml:2:9: "nope.yaml" matches no file, expected rules files',
    ],
    [{ rules: "[rules/{a,b}.yaml]" }, "config.yaml:2:"],
    [{ rules: "*.yaml" }, "config.yaml:2:8: an unquoted * begins an alias"],
    [
      { channels: null },
      "config.yaml:1:1: no channel is configured: nobody would be notified, expected channels:",
    ],
    [
      { channels: "{a: {kind: slak}}" },
      `config.yaml:3:22: unknown kind of channel "slak", expected kind: ${CHANNEL_KINDS}; did you mean \`slack\`?`,
    ],
    [
      { channels: "{a: {kind: email}}" },
      "config.yaml:3:15: smtp is missing, expected the mail server, such as smtps://user:",
    ],
    [
      { channels: "{a: {}}" },
      `config.yaml:3:15: the channel has no kind, expected kind: ${CHANNEL_KINDS}`,
    ],
    [
      { channels: "{a: {type: console}}" },
      `config.yaml:3:15: the channel has no kind, expected kind: ${CHANNEL_KINDS}`,
    ],
    [{ channels: "{a: {kind: slack}}" }, "config.yaml:3:15: url is missing"],
    [
      { channels: '{a: {kind: slack, ulr: "x"}}' },
      "config.yaml:3:29: unknown key `ulr` in a slack channel; did you mean `url`?",
    ],
    [
      { channels: '{"a b": {kind: console}}' },
      "config.yaml:3:12: the channel name has characters that are not allowed",
    ],
    [{ retention: "5" }, 'config.yaml:4:12: retention "5" has no unit'],
    [{ retention: "1m" }, 'config.yaml:4:12: retention "1m" is too short, expected at least 3600s'],
    [
      { channels: "{console: {kind: console, timezone: Europe/Berln}}" },
      'config.yaml:3:47: unknown time zone "Europe/Berln"',
    ],
    [
      { channels: "{console: {kind: console, tz: Europe/Berlin}}" },
      "config.yaml:3:37: unknown key `tz` in a console channel; did you mean `timezone`?",
    ],
    [
      { channels: "{a: {kind: email, smtp: smtps://x.org, from: a@x.org, too: b@x.org}}" },
      "unknown key `too` in an email channel; did you mean `to`?",
    ],
    [{ timezone: "Europe/Berln" }, 'config.yaml:4:11: unknown time zone "Europe/Berln"'],
    [{ defaults: "{schedule: 7m}" }, 'config.yaml:4:22: schedule "7m" does not divide'],
    [
      { defaults: "{severity: warn}" },
      'config.yaml:4:22: severity "warn" is not known, expected info, warning or critical; did you mean `warning`?',
    ],
    [{ log: "{level: verbose}" }, 'config.yaml:4:14: level "verbose" is not known'],
    [{ log: "info" }, "config.yaml:4:6: log is text"],
    [{ reload: "often" }, 'config.yaml:4:9: reload "often" is not known, expected auto or signal'],
    [{ channels: telegram("commands: {}") }, "config.yaml:3:68: users is missing, expected a list"],
    [
      { channels: telegram("commands: {users: []}") },
      "config.yaml:3:76: users is empty, expected a list of users' numbers",
    ],
    [{ channels: telegram("commands: {users: [anna]}") }, "does not fit, expected a whole number"],
    [
      { channels: telegram("commands: true") },
      "config.yaml:3:68: commands has the wrong type, expected a map",
    ],
    [
      { channels: telegram("commands: {users: [1], admins: [2]}") },
      "unknown key `admins` in a telegram channel",
    ],
    [
      { channels: telegram("commands: {users: [1]}", "'@news'") },
      "commands are not read in a public channel, where nobody is known by name, expected the number",
    ],
  ])("with %j is refused", async (keys, message) => {
    const problems = await refused(configText(keys));
    expect(problems.join("\n")).toContain(message);
  });

  it.each([
    ["ftp://x.org", "the value is not an http or https address"],
    ["data.example.org", "the value is not an http or https address"],
    ["https://u:p@x.org", "the address holds a user name or password"],
    ["https://x.org/?a=b", "the address has a query or fragment"],
    ["https://x.org/#a", "the address has a query or fragment"],
  ])("with the address %s is refused", async (address, message) => {
    const service = `{base_url: "${address}", api_key: "\${env:TICKWATCH_API_KEY}"}`;
    expect((await refused(configText({ service }))).join("\n")).toContain(message);
  });

  it("warns of a key that would travel in plain text, and of an address with /v1", async () => {
    const service = `{base_url: "http://x.org/v1", api_key: "\${env:TICKWATCH_API_KEY}"}`;
    expect(await warned(configText({ service }))).toEqual([
      "config.yaml:1:21: the API key would travel unencrypted over http, expected an https address [plain-http]",
      "config.yaml:1:21: the address ends in /v1, which is added anyway, expected no /v1 [bad-url]",
    ]);
    for (const host of ["localhost:1", "127.0.0.1:1", "[::1]:1"]) {
      const local = `{base_url: "http://${host}", api_key: "\${env:TICKWATCH_API_KEY}"}`;
      expect(await warned(configText({ service: local }))).toEqual([]);
    }
  });

  it("reports the problems of all files at once", async () => {
    await put("rules/b.yaml", ruleText({ name: "other", severity: "hi" }));
    await put("rules/c.yaml", "rules:\n\t- x\n");
    const problems = await refused(configText({ log: "{level: x}" }), ruleText({ for: "5" }));
    expect(problems.map((one) => one.split(" ")[0])).toEqual([
      "config.yaml:4:14:",
      "rules/a.yaml:5:10:",
      "rules/b.yaml:5:15:",
      "rules/c.yaml:2:1:",
    ]);
  });

  it("keeps samples for at least the longest window", async () => {
    const pool = ruleText({
      watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}`,
      when: "{metric: tvl_usd, falls: 10%, within: 30d}",
    });
    const { setup } = await load(configText({ retention: "1d" }), pool);
    expect(setup.retentionMs).toBe(60 * 86_400_000);
  });

  it("keeps hours for as long as for and resolve_after count them", async () => {
    for (const key of ["for", "resolve_after"]) {
      const { setup } = await load(configText({ retention: "1d" }), ruleText({ [key]: "100d" }));
      expect(setup.retentionMs).toBe(100 * 86_400_000 + 3_600_000);
    }
    const { setup } = await load(
      configText({ retention: "1d" }),
      ruleText({
        watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}`,
        when: "{metric: tvl_usd, below: 10}",
        for: "100d",
      }),
    );
    // A state's timer needs no samples.
    expect(setup.retentionMs).toBe(86_400_000);
  });

  it("doubts a default schedule of two kinds of days", async () => {
    expect(await warned(configText({ defaults: '{schedule: "0 9 13 * 5"}' }))).toEqual([
      "config.yaml:4:22: the day of the month and the day of the week must both match, unlike in crontab, expected * for one of them, or a rule for each [odd-cron]",
    ]);
  });

  it("refuses no rules, and warns when none is enabled", async () => {
    expect(await refused(configText(), "rules: []\n")).toEqual([
      "config.yaml:2:8: the rules files hold no rule [no-rules]",
    ]);
    expect(await warned(configText(), ruleText({ enabled: "false" }))).toContain(
      "config.yaml:2:8: no rule is enabled: nothing would be watched [not-enabled]",
    );
  });
});

describe("files", () => {
  it("that are not there say so", async () => {
    const options = { env: {}, watches: KINDS, channels: CHANNELS };
    await expect(loadSetup(join(folder, "none.yaml"), options)).rejects.toThrow(
      /none\.yaml:1:1: the file does not exist, expected a configuration/,
    );
    await expect(loadSetup(folder, options)).rejects.toThrow(/the file is a folder/);
  });

  it("may begin with a byte order mark and end their lines in CR LF", async () => {
    const crlf = (text: string) => Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`);
    const { setup } = await load(crlf(configText()), crlf(ruleText()));
    expect(setup.rules).toHaveLength(1);
    expect(await refused(crlf(configText()), crlf(ruleText({ severity: "hi" })))).toEqual([
      'rules/a.yaml:5:15: severity "hi" is not known, expected info, warning or critical [unknown-word]',
    ]);
  });

  it("are UTF-8, or say where they are not", async () => {
    const bad = Buffer.concat([
      Buffer.from("rules:\n  - name: é"),
      Buffer.from([0xe9]),
      Buffer.from("\n"),
    ]);
    expect(await refused(configText(), bad)).toEqual([
      "rules/a.yaml:2:12: the file is not UTF-8 here, expected a file that is saved as UTF-8 [unreadable-file]",
    ]);
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(configText(), "utf16le")]);
    expect(await refused(utf16)).toEqual([
      "config.yaml:1:1: the file is not UTF-8 here, expected a file that is saved as UTF-8 [unreadable-file]",
    ]);
  });

  it("are at most 16 MB", async () => {
    const large = Buffer.alloc(16 * 1024 * 1024 + 1, "#");
    expect(await refused(configText(), large)).toEqual([
      "rules/a.yaml:1:1: the file is too large, expected at most 16 MB [too-large]",
    ]);
  });

  it("that are empty say so", async () => {
    expect(await refused("")).toEqual(["config.yaml:1:1: the file is empty [empty]"]);
    expect(await refused(configText(), "\n")).toEqual([
      "rules/a.yaml:1:1: the file is empty [empty]",
    ]);
  });

  it("are found by patterns, each once, sorted, without tests and hidden ones", async () => {
    const named = (name: string) => ruleText({ name });
    await put("rules/b.yaml", named("b"));
    await put("rules/a.test.yaml", "not: rules");
    await put("rules/.hidden.yaml", "not: rules");
    await put("rules/deep/er/c.yaml", named("c"));
    await put("rules/d.yml", named("d"));
    await symlink(join(folder, "rules/b.yaml"), join(folder, "linked.yaml"));
    await rm(join(folder, "linked.yaml"));
    const { setup } = await load(
      configText({ rules: '["rules/**/*.yaml", "rules/?.yaml", "./rules/../rules/d.yml"]' }),
    );
    expect(
      setup.rules.map(({ name, place }) => [name, place.file.replace(`${folder}/`, "")]),
    ).toEqual([
      ["tips", "rules/a.yaml"],
      ["b", "rules/b.yaml"],
      ["c", "rules/deep/er/c.yaml"],
      ["d", "rules/d.yml"],
    ]);
    expect(await refused(configText({ rules: '"rules/*.test.yaml"' }))).toEqual([
      expect.stringContaining("matches only *.test.yaml files, which are skipped"),
    ]);
  });
});

describe("secrets", () => {
  it("come from variables and files, and print as [redacted]", async () => {
    await put("key", `${KEY}\r\n\n`);
    const service = `{base_url: "https://\${env:HOST}/x", api_key: "\${file:key}"}`;
    const channels = `{s: {kind: slack, url: "\${env:SLACK_URL}"}, t: {kind: console}}`;
    const { setup, warnings } = await load(configText({ service, channels }));
    expect(setup.service.baseUrl).toBe("https://data.example.org/x");
    expect(setup.service.apiKey.reveal()).toBe(KEY);
    expect(warnings).toEqual([]);
    for (const text of [JSON.stringify(setup), inspect(setup, { depth: 9 })]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain("verysecretpath");
    }
  });

  it.each([
    ["${env:NOPE}", "the environment variable NOPE is not set"],
    ["${env:EMPTY}", "the environment variable EMPTY is empty"],
    ["${file:nope}", 'the file "nope" does not exist'],
    [
      "${env:}",
      'unknown reference "${env:}", expected "${env:NAME}" or "${file:PATH}" [unknown-reference]',
    ],
    ["${vault:x}", 'unknown reference "${vault:x}"'],
    ["${env:A", "a ${ is not closed by a }"],
  ])("with %s are refused at their place", async (reference, message) => {
    const service = `{base_url: "https://x.org", api_key: "${reference}"}`;
    const problems = await refused(configText({ service }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^config\.yaml:1:47: /);
    expect(problems[0]).toContain(message);
  });

  it("that stand in the file itself work with a warning", async () => {
    const service = `{base_url: "https://x.org", api_key: ${KEY}}`;
    const channels = `{s: {kind: slack, url: "${HOOK}"}, t: {kind: console}}`;
    const { setup, warnings } = await load(configText({ service, channels }));
    expect(setup.service.apiKey.reveal()).toBe(KEY);
    expect(warnings.map(({ message }) => message)).toEqual([
      "the file itself holds the API key",
      "the file itself holds a secret",
    ]);
    const text = warnings.map(formatProblem).join("\n");
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("verysecretpath");
    expect(text).toContain('service: {base_url: "https://x.org", api_key: [redacted]}');
  });

  it("in headers that stand in the file are doubted where the header's name tells", async () => {
    const channels = (headers: string) =>
      `{h: {kind: webhook, url: "\${env:SLACK_URL}", headers: ${headers}}, t: {kind: console}}`;
    const open = channels(`{Authorization: "Bearer ${KEY}", X-Api-Key: ${KEY}, X-Team: lp}`);
    expect(await warned(configText({ channels: open }))).toEqual([
      expect.stringMatching(/^config.yaml:3:81: the file itself holds a secret/),
      expect.stringMatching(/^config.yaml:3:127: the file itself holds a secret/),
    ]);
    const good = channels('{Authorization: "Bearer ${env:TICKWATCH_API_KEY}"}');
    expect(await warned(configText({ channels: good }))).toEqual([]);
  });

  it("keep their digits without quotes", async () => {
    const service = "{base_url: 'https://x.org', api_key: 0012345678901234567890}";
    const { setup } = await load(configText({ service }));
    expect(setup.service.apiKey.reveal()).toBe("0012345678901234567890");
  });

  it.each([
    `service: {base_url: "https://x.org", api_key: ${KEY}, timeuot: 5s}\n`,
    `service:\n  base_url: https://x.org\n  api_key:${KEY}\n`,
    `service:\n  api_key:\n    ${KEY}\n  oops: 1\n`,
    `service:\n\tapi_key: ${KEY}\n`,
    `service: {api_key: ${KEY}\nrules: x\n`,
    `service: {api_key: "${KEY}\n`,
    `service: {api_key: !secret ${KEY}}\n`,
    `service: {api_key: |\n ${KEY}}\n`,
    `api_key: ${KEY}\n`,
    `service: {base_url: "https://user:${KEY}@x.org", api_key: x}\n`,
    `service: {base_url: "https://x.org/?apikey=${KEY}", api_key: x}\n`,
    `channels: {a: {kind: slack, url: ${KEY}}}\n`,
    `channels: {a: {kind: slack, token: ${KEY}}}\n`,
    `channels: {a: {kind: slack, url: [${KEY}]}}\n`,
    `channels: {a: ${KEY}}\n`,
    `channels: {a: {kind: email, smtp: "smtps://me:${KEY}@x.org", from: ${KEY}, to: ${KEY}}}\n`,
    `channels: {a: {kind: email, smtp: "smtp://me:${KEY}@x.org:x", starttls: ${KEY}}}\n`,
    `channels: {a: {kind: webhook, url: "https://x.org/${KEY}", secret: [${KEY}]}}\n`,
    `channels:\n  a:\n    kind: webhook\n    url: x\n    headers:\n      Authorization: Bearer ${KEY}\n      Host: ${KEY}\n`,
    `channels: {a: {kind: webhook, url: "https://x.org", headers: {X-Key: ["${KEY}"]}}}\n`,
    `channels: {a: {kind: webhook, url: "https://x.org", headers: "${KEY}"}}\n`,
    `channels:\n  a:\n    kind: slack\n    url: >-\n      ${KEY}\n    x\n`,
    `service: {api_key: *${KEY}}\n`,
    `heartbeat: {url: "https://x.org/${KEY}"}\n`,
    `${KEY}\n`,
    `- ${KEY}\n`,
    `channels: {a: {kind: slack, url: "\${env:TICKWATCH_API_KEY}"}}\n`,
  ])("never show in a message: %j", async (text) => {
    const error = await load(text).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toContain(KEY);
    expect(JSON.stringify(error instanceof ConfigError ? error.problems : "")).not.toContain(KEY);
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });
});

describe("a port", () => {
  it.each([
    ["channels", `{it: {kind: webhook, url: "http://hook.example.org:6000/x"}}`],
    ["channels", `{it: {kind: slack, url: "https://hooks.slack.com:6667/x"}}`],
    ["channels", `{it: {kind: alertmanager, url: "http://127.0.0.1:10080"}}`],
    ["heartbeat", `{url: "https://monitor.example.org:25/ping"}`],
  ])("that no HTTP client connects to is refused in %s %s", async (key, value) => {
    const [problem] = await refused(configText({ [key]: value }));
    expect(problem).toMatch(/: port \d+ belongs to another protocol/);
  });

  it("is the service's own matter, since its client connects to any", async () => {
    const service = `{base_url: "http://127.0.0.1:6000", api_key: "\${env:TICKWATCH_API_KEY}"}`;
    expect(await warned(configText({ service }))).toEqual([]);
    expect(await refused(configText({ service: service.replace("6000", "0") }))).toHaveLength(1);
  });

  it("that does not go with its scheme is warned of", async () => {
    const smtp = `{it: {kind: email, smtp: "smtps://mail.example.org:587", from: a@example.org, to: b@example.org}}`;
    expect(await warned(configText({ channels: smtp }))).toContainEqual(
      expect.stringContaining("port 587 begins in the clear"),
    );
    const heartbeat = `{url: "https://monitor.example.org:80/ping"}`;
    expect(await warned(configText({ heartbeat }))).toContainEqual(
      expect.stringContaining("port 80 speaks http, not https"),
    );
  });

  it("is told of without the secret before it", async () => {
    const heartbeat = `{url: "https://user:hunter2@monitor.example.org/ping"}`;
    const [problem] = await refused(configText({ heartbeat }));
    expect(problem).toContain("user name or password");
    expect(problem).not.toContain("hunter2");
  });
});
