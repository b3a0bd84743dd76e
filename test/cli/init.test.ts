import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { DATA, WATCHES } from "../../src/cli/init/answers.ts";
import { CHANNEL_CHOICES, CHANNEL_KINDS } from "../../src/cli/init/channel-choices.ts";
import { KNOWN_POOLS, KNOWN_TOKENS } from "../../src/cli/init/known.ts";
import type { Prompts } from "../../src/cli/init/prompts.ts";
import { runCli } from "../../src/cli/program.ts";
import { hasWrongChecksum } from "../../src/rules/lint/checksum.ts";
import { DEMO_KEY, type Service, startService } from "../../src/serve/server.ts";
import { ETH_USDC, LISTED_POOLS, V3_WETH_USDT } from "../../src/simulator/listed-pools.ts";
import { MAKER, STABLECOIN, TREASURY_WALLET } from "../../src/simulator/listed-tokens.ts";
import { createMarket } from "../../src/simulator/market.ts";
import { FakeChain, serveChain } from "../chain/support/fake-chain.ts";
import { startMailServer } from "../support/mail-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { pass, WHOLE } from "../support/tier.ts";

let service: Service;
beforeAll(async () => {
  const clock = systemClock();
  const world = createMarket({ seed: 1, start: clock.now() - 60_000, script: [] });
  service = await startService({ world, clock, apiKey: DEMO_KEY });
});
afterAll(() => service.close());

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-init-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ENV = { TICKWATCH_API_KEY: DEMO_KEY };

/** Runs a command; `prompts` stands for somebody at a terminal. */
async function run(
  args: readonly string[],
  { env = ENV, prompts }: { env?: Readonly<Record<string, string>>; prompts?: Prompts } = {},
) {
  const printed = { out: "", err: "" };
  const code = await runCli(args, {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    env,
    colours: false,
    errTerminal: false,
    errColours: false,
    stop: () => new AbortController().signal,
    onHangup: () => {},
    unread: new AbortController().signal,
    ...(prompts === undefined ? {} : { prompts: async () => prompts }),
  });
  return { code, ...printed };
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** The variables of .env.example, as a shell reads them. */
function envExample(): Record<string, string> {
  const lines = read(".env.example").matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name = "", value = ""]) => [name, value]));
}

/** What is watched with a service of one's own: things that the simulated market has. */
const OWN: Readonly<Record<(typeof WATCHES)[number], readonly string[]>> = {
  lp: ["--chain", "ethereum", "--id", "128404", "--id", "60312"],
  gas: ["--chain", "polygon"],
  treasury: ["--wallet", TREASURY_WALLET],
  pool: ["--chain", "1", "--id", ETH_USDC],
  holders: ["--chain", "katana", "--id", STABLECOIN],
};

const TOKEN = ["--chain", "1", "--id", STABLECOIN];

const CASES = WATCHES.flatMap((watch) =>
  DATA.flatMap((data) =>
    CHANNEL_KINDS.map((channel) => ({ name: `${watch} ${data} ${channel}`, watch, data, channel })),
  ),
);
const REPRESENTATIVES = ["pool node email", "treasury service telegram"];

/** A channel with an address of its own, and mail. */
const OF_EACH_SORT: ReadonlySet<string> = new Set(["telegram", "email"]);

describe("what tickwatch init writes", () => {
  it.each(pass(CASES, ...REPRESENTATIVES))(
    "passes check, test and one round: $name",
    async ({ watch, data, channel }) => {
      const where = {
        service: ["--url", service.baseUrl, ...OWN[watch]],
        node: ["--data", data, ...OWN[watch], ...(watch === "treasury" ? TOKEN : [])],
        simulator: ["--data", data, "--url", service.baseUrl],
      }[data];
      const made = await run(["init", folder, "--watch", watch, ...where, "--channel", channel]);
      expect(made).toMatchObject({ code: 0, err: "" });
      expect(made.out).toMatch(/^OK: \d cases in 1 file: (\d) passed\. \d+ ms\.$/m);
      // What each rule says now, and no rule is without data; of a node nothing is known without its URL.
      expect(made.out).toContain(data === "node" ? "Nothing was asked: RPC_" : "would say");
      expect(made.out).not.toMatch(/no data|could not be fetched/);
      const config = join(folder, "config.yaml");
      const env = { ...envExample(), ...ENV };
      const checked = await run(["check", config], { env });
      expect(checked).toMatchObject({ code: 0, err: "" });
      expect(checked.out).toMatch(/^OK: [23] rules, \d subjects?, [12] channels?\.$/m);
      // Every rule has a case.
      const rules = [...read(`rules/${watch}.yaml`).matchAll(/^ {2}- name: (\S+)$/gm)];
      const tests = read(`rules/${watch}.test.yaml`);
      for (const [, name] of rules) expect(tests).toContain(`rule: ${name}\n`);
    },
  );

  it("watches a V3 pool by its address", async () => {
    const where = [
      "--data",
      "simulator",
      "--url",
      service.baseUrl,
      "--chain",
      "1",
      "--id",
      V3_WETH_USDT,
    ];
    const made = await run(["init", folder, "--watch", "pool", ...where, "--channel", "console"]);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toMatch(/^OK: 3 cases in 1 file: 3 passed\. \d+ ms\.$/m);
    expect(made.out).toContain("would say");
    expect(made.out).not.toMatch(/no data|could not be fetched/);
    expect(read("rules/pool.yaml")).toContain("watch: {kind: v3_pool,");
  });

  it.each(pass(CASES, "holders node slack", "lp service telegram"))(
    "holds no secret but the simulator's key: $name",
    async ({ watch, data, channel }) => {
      const own = watch === "treasury" ? [...OWN[watch], ...TOKEN] : OWN[watch];
      const more = { service: ["--url", service.baseUrl, ...own], node: own, simulator: [] }[data];
      const env = {
        RPC_POLYGON: "https://secret.example/key",
        TICKWATCH_API_KEY: "tw_a_secret_of_mine",
        SLACK_URL: "https://secret.example",
      };
      const options = ["--watch", watch, "--data", data, ...more, "--channel", channel];
      const made = await run(["init", folder, ...options, "--offline"], { env });
      expect(made.code).toBe(0);
      const written = [
        "config.yaml",
        ".env.example",
        ...readdirSync(join(folder, "rules")).map((name) => `rules/${name}`),
      ];
      expect(written).toHaveLength(4);
      const all = written.map(read).join("\n") + made.out + made.err;
      expect(all).not.toMatch(/tw_a_secret_of_mine|secret\.example/);
      expect(made.out).toContain("--offline was given");
      expect(read("config.yaml").length).toBeLessThan(1_500);
    },
  );

  it.each(WHOLE ? CHANNEL_CHOICES : CHANNEL_CHOICES.filter(({ kind }) => OF_EACH_SORT.has(kind)))(
    "$kind takes every sample of send-test",
    async (choice) => {
      const receiver = await startReceiver();
      const mail = await startMailServer();
      try {
        receiver.answer((response) =>
          response
            .setHeader("content-type", "application/json")
            .end('{"ok":true,"status":"success"}'),
        );
        if (choice.kind === "slack") receiver.answer((response) => response.end("ok"));
        const made = await run([
          "init",
          folder,
          "--watch",
          "lp",
          "--data",
          "simulator",
          "--offline",
          "--channel",
          choice.kind,
        ]);
        expect(made.code).toBe(0);
        // These two have an address of their own; the others' stand in a secret.
        if (choice.kind === "telegram" || choice.kind === "pagerduty") {
          const text = read("config.yaml").replace(
            `kind: ${choice.kind}\n`,
            `kind: ${choice.kind}\n    base_url: ${receiver.origin}\n`,
          );
          await writeFile(join(folder, "config.yaml"), text);
        }
        const env = {
          ...envExample(),
          SLACK_URL: receiver.origin,
          DISCORD_URL: receiver.origin,
          WEBHOOK_URL: receiver.origin,
          SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        };
        const name = choice.kind === "console" ? "terminal" : choice.kind;
        const sent = await run(
          ["send-test", name, "--kind", "fired", "--config", join(folder, "config.yaml")],
          { env },
        );
        expect(sent).toMatchObject({ code: 0, err: "" });
        expect(sent.out).toMatch(/^fired +delivered$/m);
      } finally {
        await receiver.close();
        await mail.close();
      }
    },
  );
});

describe("tickwatch init without a terminal", () => {
  const given = {
    watch: "gas",
    data: "service",
    url: "https://data.example.org",
    chain: "ethereum",
    channel: "console",
  };

  it.each([
    ["watch", "lp, gas, treasury, pool or holders"],
    ["data", "service, node or simulator"],
    ["url", "such as https://data.example.org"],
    ["chain", "ethereum, optimism, bnb"],
    ["channel", "console, slack, telegram"],
  ])("names a missing --%s with its choices", async (missing, choices) => {
    const others = Object.entries(given).filter(
      ([name]) => name !== missing && (missing !== "data" || name !== "url"),
    );
    const { code, out, err } = await run([
      "init",
      folder,
      ...others.flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^tickwatch: [^\n]+\n$/);
    expect(err).toContain(
      `--${missing} is missing, and there is no terminal to ask at: ${choices}`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [
      ["--watch", "gsa"],
      '--watch "gsa" is unknown; it is lp, gas, treasury, pool or holders. Did you mean gas?',
    ],
    [
      ["--watch", "gas", "--url", "data.example.org"],
      '--url "data.example.org" cannot be used. It is an address such as',
    ],
    [["--watch", "gas", "--data", "simulator", "--chain", "etherum"], "Did you mean ethereum?"],
    [
      ["--watch", "gas", "--data", "simulator", "--wallet", TREASURY_WALLET],
      "--wallet is for --watch lp and treasury",
    ],
    [
      ["--watch", "lp", "--data", "simulator", "--id", "12,x4"],
      'It is a position\'s id: the number of its NFT, not "x4".',
    ],
    [
      ["--watch", "pool", "--data", "simulator", "--chain", "1", "--id", "0x12"],
      "It is a V4 pool's id, 0x and 64 hexadecimal digits, or a V3 pool's address, 0x and 40, not",
    ],
    [
      [
        "--watch",
        "pool",
        "--data",
        "simulator",
        "--chain",
        "1",
        "--id",
        ETH_USDC,
        "--id",
        STABLECOIN,
      ],
      "V3 and V4 pools need a folder each; give those of one.",
    ],
    [
      ["--watch", "treasury", "--data", "simulator", "--wallet", "me"],
      "It is an address: 0x and 40 hexadecimal digits.",
    ],
    [
      ["--watch", "lp", "--data", "simulator", "--chain", "1", "--id", "1", "--protocol", "dexc"],
      '--protocol "dexc" is unknown; it is dexa or dexb',
    ],
    [
      ["--watch", "gas", "--data", "simulator", "--id", "3"],
      "--watch gas needs a --chain, and no --id",
    ],
  ])("refuses %j in one line and writes nothing", async (options, words) => {
    const { code, err } = await run(["init", folder, ...options, "--channel", "console"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^tickwatch: [^\n]+\n$/);
    expect(err).toContain(words);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["config.yaml", ".env.example", "rules/gas.yaml", "rules/gas.test.yaml"])(
    "leaves a folder alone that has a %s",
    async (path) => {
      await mkdir(join(folder, "rules"));
      await writeFile(join(folder, path), "mine");
      const before = readdirSync(folder, { recursive: true });
      const { code, err } = await run([
        "init",
        folder,
        "--watch",
        "gas",
        "--data",
        "simulator",
        "--channel",
        "console",
      ]);
      expect(code).toBe(2);
      expect(err).toBe(
        `tickwatch: ${join(folder, path)} exists, and nothing is overwritten: choose another folder\n`,
      );
      expect(read(path)).toBe("mine");
      expect(readdirSync(folder, { recursive: true })).toEqual(before);
    },
  );

  it.runIf(process.platform === "linux")("says where no folder can be made", async () => {
    const gas = ["--watch", "gas", "--data", "simulator", "--channel", "console"];
    const { code, err } = await run(["init", "/proc/alerts/mine", ...gas]);
    expect(code).toBe(2);
    expect(err).toBe(
      "tickwatch: cannot write to /proc/alerts/mine (ENOENT); nothing was left there\n",
    );
  });

  it("leaves nothing behind if it cannot write all files", async () => {
    await writeFile(join(folder, "rules"), "a file where a folder must be");
    const gas = ["--watch", "gas", "--data", "simulator", "--channel", "console"];
    const { code, err } = await run(["init", join(folder, "rules", "alerts"), ...gas]);
    expect(code).toBe(2);
    expect(err).toContain("nothing was left there");
    // Its rules folder is a link to nowhere: config.yaml could be written, the rules not.
    await mkdir(join(folder, "half"));
    await symlink(join(folder, "nowhere", "deep"), join(folder, "half", "rules"));
    expect(await run(["init", join(folder, "half"), ...gas])).toMatchObject({ code: 2 });
    expect(readdirSync(join(folder, "half"))).toEqual(["rules"]);
  });

  it("says with code 3 that the service cannot be reached, and has written everything", async () => {
    const made = await run([
      "init",
      folder,
      "--watch",
      "pool",
      "--chain",
      "1",
      "--id",
      ETH_USDC,
      "--url",
      "http://127.0.0.1:1",
      "--channel",
      "console",
    ]);
    expect(made.code).toBe(3);
    expect(made.err).toContain("the service cannot be reached");
    expect(made.out).toContain("tickwatch run");
    expect(readdirSync(folder)).toContain("config.yaml");
  });

  it("says how to go into its folder, whatever that is called", async () => {
    const lp = ["--watch", "lp", "--data", "simulator", "--channel", "console", "--offline"];
    const mine = join(folder, "anna's alerts");
    const { out } = await run(["init", mine, ...lp]);
    const command = /^ {2}(cd .*)$/m.exec(out)?.[1] ?? "";
    const went = execFileSync("sh", ["-c", `${command} && pwd -P`], { encoding: "utf8" });
    expect(went).toBe(`${realpathSync(mine)}\n`);
  });

  it("says which variables are to be set, and does not ask without a key", async () => {
    const made = await run(
      [
        "init",
        folder,
        "--watch",
        "pool",
        "--chain",
        "1",
        "--id",
        ETH_USDC,
        "--url",
        service.baseUrl,
        "--channel",
        "slack",
      ],
      { env: {} },
    );
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain("Nothing was asked: TICKWATCH_API_KEY is not set.");
    expect(made.out).toContain("then put your own values in: TICKWATCH_API_KEY, SLACK_URL");
  });
});

const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const DECIMALS_OF = "0x313ce567";
const BALANCE_OF = "0x70a08231";

/** A node of Ethereum on which somebody has so much of these tokens, each of 6 decimals, and so much wei. */
async function nodeWith(tokens: ReadonlyMap<string, bigint>, wei: bigint) {
  const chain = new FakeChain(Math.floor(Date.now() / 1_000) - 1_200);
  for (let n = 0; n < 99; n += 1) chain.mine({});
  const word = (value: bigint): string => `0x${value.toString(16).padStart(64, "0")}`;
  chain.view = (to, data) => {
    if (data.startsWith(DECIMALS_OF)) return word(6n);
    return data.startsWith(BALANCE_OF) ? word(tokens.get(to) ?? 0n) : "0x";
  };
  chain.balance = () => wei;
  return await serveChain(() => chain);
}

/** Answers questions in order, and notes them. */
function somebody(
  answers: readonly (string | readonly number[])[],
): Prompts & { readonly asked: string[] } {
  const left = [...answers];
  const asked: string[] = [];
  const next = (question: string): string | readonly number[] => {
    asked.push(question);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    return answer;
  };
  return {
    asked,
    async choose(question, choices) {
      const answer = next(question);
      const found = choices.find(({ value }) => value === answer);
      if (found === undefined) throw new Error(`no such choice: ${String(answer)}`);
      return found.value;
    },
    async text(question, _placeholder, check) {
      const answer = String(next(question));
      expect(check(answer)).toBeNull();
      return answer;
    },
    async several(question, labels) {
      const answer = next(`${question} ${labels.join("; ")}`);
      return typeof answer === "string" ? [] : answer;
    },
  };
}

describe("tickwatch init at a terminal", () => {
  it("offers what a wallet holds, in six questions", async () => {
    const prompts = somebody([
      "treasury",
      "service",
      service.baseUrl,
      TREASURY_WALLET,
      [0, 2],
      "console",
    ]);
    expect(await run(["init", folder], { prompts })).toMatchObject({ code: 0, err: "" });
    expect(prompts.asked).toHaveLength(6);
    expect(prompts.asked[4]).toMatch(
      /[\d,]+ AUSD on Ethereum; [\d,]+ AUSD on Polygon; [\d,]+ AUSD on Katana$/,
    );
    const rules = read("rules/treasury.yaml");
    expect(rules).toMatch(/name: AUSD, chain: ethereum/);
    expect(rules).toMatch(/name: AUSD, chain: katana/);
    expect(rules).not.toMatch(/polygon/);
  });

  it("finds the positions of a wallet where the earlier family lists changes of liquidity", async () => {
    const prompts = somebody(["lp", TREASURY_WALLET, [0], "console"]);
    const url = ["--url", service.baseUrl, "--legacy-url", service.baseUrl];
    expect(await run(["init", folder, ...url], { prompts })).toMatchObject({ code: 0, err: "" });
    expect(prompts.asked[2]).toContain("position 128404 on Ethereum");
    expect(read("rules/lp.yaml")).toContain("- {id: 128404, chain: ethereum, protocol: dexa}\n");
  });

  it("asks again for positions where nothing is found, and says why", async () => {
    const prompts = somebody(["lp", USDC, "91777", "ethereum", "console"]);
    const url = ["--url", service.baseUrl, "--legacy-url", service.baseUrl];
    const made = await run(["init", folder, ...url], { prompts });
    expect(made.code).toBe(0);
    expect(made.err).toMatch(/^no open position of that wallet is among the newest changes of/);
    expect(read("rules/lp.yaml")).toContain("91777");
  });

  it("asks for no wallet where a service cannot tell of it, and so six questions at most", async () => {
    const prompts = somebody(["lp", "service", service.baseUrl, "91777", "ethereum", "console"]);
    expect((await run(["init", folder], { prompts })).code).toBe(0);
    expect(prompts.asked).toHaveLength(6);
    expect(prompts.asked.join()).not.toContain("wallet");
    expect(
      await run(["init", folder, "--watch", "lp", "--url", service.baseUrl, "--wallet", MAKER]),
    ).toMatchObject({ code: 2 });
  });

  it("watches all that a wallet holds where the data comes from a node", async () => {
    const prompts = somebody(["lp", "node", TREASURY_WALLET, "base", "console"]);
    const made = await run(["init", folder], { prompts });
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^OK: 4 cases in 1 file: 4 passed\. \d+ ms\.$/m);
    for (const kind of ["v3_position", "v4_position"]) {
      expect(read("rules/lp.yaml")).toContain(
        `{kind: ${kind}, chain: [base], owner: {id: ${TREASURY_WALLET}, name: Wallet}}`,
      );
    }
    const env = { ...envExample(), ...ENV };
    const checked = await run(["check", join(folder, "config.yaml")], { env });
    expect(checked).toMatchObject({ code: 0, err: "" });
    expect(checked.out).toContain("OK: 4 rules, positions of 1 owner, 1 channel.");
  });

  it("asks for the tokens in a wallet where a node cannot be asked yet", async () => {
    const prompts = somebody([
      "treasury",
      "node",
      TREASURY_WALLET,
      "ethereum",
      STABLECOIN,
      "console",
    ]);
    const made = await run(["init", folder], { prompts });
    expect(made.code).toBe(0);
    expect(made.err).toBe("the wallet cannot be looked through: RPC_ETHEREUM is not set\n");
    expect(prompts.asked).toHaveLength(6);
    expect(read("config.yaml")).toContain('ethereum: {urls: ["${env:RPC_ETHEREUM}"]}');
    expect(read(".env.example")).toMatch(/^RPC_ETHEREUM=https:/m);
  });

  it("offers what a node finds in a wallet, its ether as well", async () => {
    const { url, close } = await nodeWith(new Map([[USDC, 2_500_000_000n]]), 3n * 10n ** 18n);
    try {
      const env = { RPC_ETHEREUM: url };
      const prompts = somebody([
        "treasury",
        "node",
        TREASURY_WALLET,
        "ethereum",
        [0, 1],
        "console",
      ]);
      const made = await run(["init", folder], { prompts, env });
      expect(made.err).toBe("");
      expect(prompts.asked).toHaveLength(6);
      expect(prompts.asked[4]).toMatch(/ 3 ETH on Ethereum; 2,500 USDC on Ethereum$/);
      expect(made.out).toMatch(/^OK: 4 cases in 1 file: 4 passed\. \d+ ms\.$/m);
      expect(made.out).toMatch(/treasury-native-outflow\n.*\n.*\n +Treasury +balance +3 ETH/);
      expect(made.out).toMatch(/Treasury \(USDC\) +balance +2,500 tokens/);
      const checked = await run(["check", join(folder, "config.yaml")], { env });
      expect(checked.out).toMatch(/^OK: 3 rules, 2 subjects, 1 channel\.$/m);
    } finally {
      await close();
    }
  });

  it("watches what a node finds without a terminal, be it ether alone", async () => {
    const { url, close } = await nodeWith(new Map(), 7n);
    const ask = ["--watch", "treasury", "--data", "node", "--wallet", TREASURY_WALLET];
    const where = ["--chain", "ethereum", "--channel", "console"];
    try {
      const made = await run(["init", folder, ...ask, ...where], { env: { RPC_ETHEREUM: url } });
      expect(made).toMatchObject({ code: 0, err: "" });
      expect(made.out).toMatch(/^OK: 1 case in 1 file: 1 passed\. \d+ ms\.$/m);
    } finally {
      await close();
    }
  });

  it("says why a wallet cannot be looked through, and does not take it for empty", async () => {
    const other = join(folder, "other");
    const gone = { RPC_ETHEREUM: "http://127.0.0.1:1" };
    const ask = ["--watch", "treasury", "--wallet", TREASURY_WALLET, "--channel", "console"];
    const node = await run(["init", other, ...ask, "--data", "node", "--chain", "1"], {
      env: gone,
    });
    expect(node.code).toBe(2);
    expect(node.err).toMatch(/^tickwatch: the wallet cannot be looked through: .*--id\n$/);
    const none = await run(["init", other, ...ask, "--url", "http://127.0.0.1:1"]);
    expect(none.err).toMatch(/^the wallet cannot be looked through: .*; the rules watch AUSD/);
  });

  it("asks only for what no option says", async () => {
    const prompts = somebody(["console"]);
    const made = await run(["init", folder, "--watch", "lp", "--data", "simulator", "--offline"], {
      prompts,
    });
    expect(made.code).toBe(0);
    expect(prompts.asked).toEqual(["Where do alerts go?"]);
  });
});

describe("what is known of wallets", () => {
  it("has tokens with the right checksums, and the ids of real pools", () => {
    expect(KNOWN_TOKENS.filter(({ id }) => hasWrongChecksum(id))).toEqual([]);
    // The pool of native coin and USDC on Ethereum at 0.05%.
    expect(KNOWN_POOLS.map(({ id }) => id)).toContain(ETH_USDC);
    expect(LISTED_POOLS.some(({ id }) => id === ETH_USDC)).toBe(true);
  });
});
