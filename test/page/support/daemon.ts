import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { DEMO_KEY, startService } from "../../../src/serve/server.ts";
import { createMarket } from "../../../src/simulator/market.ts";
import { freePort } from "../../support/free-port.ts";
import { type Owner, type Program, startProgram } from "../../support/program.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";

/** The built daemon on a simulated market, with its page, and a channel that answers as a test says. */
export interface PageDaemon {
  readonly origin: string;
  readonly slack: Receiver;
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  readonly program: Program;
  /** Another process on the same configuration, once the first one has ended. */
  start(): Promise<Program>;
  /** What the API answers. */
  ask(path: string): Promise<unknown>;
}

const HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202eevil";

/** Rules that fire at once, one on each side of a limit, and names of strangers. */
const RULES = `
rules:
  - name: tip-high
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 0.01 gwei}
    severity: critical
    schedule: 5s
    note: Wait, or pay.
    notify: [slack]
  - name: tip-low
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 5000 gwei}
    schedule: 5s
    notify: [slack]
  - name: my-range
    watch: {kind: v4_position, chain: ethereum, protocol: dexa, positions: [{id: 128404, name: ${JSON.stringify(HOSTILE)}}, {id: 91777, name: Wide ETH/USDC}]}
    when: {metric: in_range, equals: false}
    schedule: 5s
    notify: [terminal]
  - name: "<script>alert(2)</script>"
    watch: {kind: token_supply, token: "0x00000000efe302beaa2b3e6e1b18d08d69a9012a", chain: [ethereum, polygon, avalanche], decimals: 6}
    when: {metric: total_supply, above: 1 tokens}
    schedule: 5s
    severity: info
    notify: [terminal]
`;

/** `answer`: what Slack says from the very first message on; else it takes what comes. */
export async function startPageDaemon(
  owner: Owner,
  web: string,
  answer?: Parameters<Receiver["answer"]>[0],
): Promise<PageDaemon> {
  const start = systemClock().now() - 3_600_000;
  const service = await startService({
    world: createMarket({ seed: 1, start }),
    clock: systemClock(),
    apiKey: DEMO_KEY,
  });
  owner.onTestFinished(() => service.close());
  const slack = await startReceiver();
  owner.onTestFinished(() => slack.close());
  if (answer !== undefined) slack.answer(answer);
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-page-"));
  owner.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = join(folder, "config.yaml");
  await writeFile(join(folder, "rules.yaml"), RULES);
  await writeFile(
    config,
    [
      `service: {base_url: "${service.baseUrl}", api_key: "\${env:KEY}", requests_per_second: 100}`,
      "rules: [rules.yaml]",
      "store: tickwatch.db",
      "group_wait: 0s",
      "channels:",
      "  terminal: {kind: console}",
      '  slack: {kind: slack, url: "${env:SLACK_URL}"}',
      `web: {listen: "127.0.0.1:${port}", ${web}}`,
      "",
    ].join("\n"),
  );
  const env = {
    KEY: DEMO_KEY,
    SLACK_URL: `${slack.origin}/services/T0/B0/secret`,
    TOKEN: "a-token-of-24-characters",
    WALL: "the-token-of-the-display",
  };
  const origin = `http://127.0.0.1:${port}`;
  const run = async (): Promise<Program> => {
    const program = startProgram(owner, ["run", "--config", config], { env });
    await program.logLine(({ msg }) =>
      msg.startsWith("the page, its API, metrics and health are served"),
    );
    return program;
  };
  const program = await run();
  return {
    origin,
    slack,
    config,
    env,
    program,
    start: run,
    ask: async (path) => (await fetch(`${origin}/api/v1${path}`)).json(),
  };
}
