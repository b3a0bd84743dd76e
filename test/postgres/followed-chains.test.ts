import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { SECOND } from "../../src/base/duration.ts";
import { FakeChain, serveChain } from "../chain/support/fake-chain.ts";
import { runTickwatch } from "../cli/test-command.ts";
import { until } from "../support/until.ts";
import { freshSchema } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const RULES = `rules:
  - {name: gas, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}, schedule: 1m}
  - {name: treasury, watch: {kind: native_balance, chain: 1, wallet: "0x${"11".repeat(20)}"}, when: {metric: balance, below: 1}, schedule: block, only_while: gas}
`;

/** Who follows a chain with a block a second looks at it many times meanwhile. */
const QUIET_MS = 8 * SECOND;

describeWhole("what is followed of a chain", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** A daemon in this process that asks a node of its own, which counts. */
  async function daemon(test: TestContext, chain: FakeChain, url: string, weight: number) {
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-followed-"));
    await writeFile(join(folder, "rules.yaml"), RULES);
    await writeFile(
      join(folder, "config.yaml"),
      `service: {rpc: {data: chain.db, chains: {ethereum: {urls: ["\${env:NODE}"], requests_per_second: 1000}}}}
rules: [rules.yaml]
channels: {terminal: {kind: console}}
store: "\${env:DATABASE_URL}"
cluster: {name: of weight ${weight}, weight: ${weight}}
`,
    );
    let calledAt = 0;
    const node = await serveChain(
      () => chain,
      () => {
        calledAt = performance.now();
        return undefined;
      },
    );
    const stop = new AbortController();
    let log = "";
    const ended = runTickwatch(["run", "--config", join(folder, "config.yaml")], {
      env: { NODE: node.url, DATABASE_URL: url },
      stop: stop.signal,
      onErr: (text) => {
        log += text;
      },
    });
    const end = async (): Promise<void> => {
      stop.abort();
      await ended;
    };
    test.onTestFinished(async () => {
      await end();
      await node.close();
      await rm(folder, { recursive: true, force: true });
    });
    return {
      end,
      /** When its node was called last, in real time. */
      calledAt: () => calledAt,
      /** How often its node was asked for the newest block and for blocks. */
      calls: () => node.calls.get("eth_getBlockByNumber") ?? 0,
      /** Until its log says so; rejects where it has ended. */
      says: (fits: RegExp) =>
        Promise.race([
          until(() => fits.test(log)),
          ended.then(() => Promise.reject(new Error(`it has ended: ${log.slice(-2_000)}`))),
        ]),
    };
  }

  it("is so by the daemon that has what needs it, and by no other one", async (test) => {
    const chain = new FakeChain(Math.floor(Date.now() / 1_000) - 200);
    for (let n = 0; n < 200; n += 1) chain.mine({ after: 1 });
    const url = server.url(freshSchema());
    const one = await daemon(test, chain, url, 1);
    await one.says(/"slots":256/);
    await until(() => one.calls() > 10);
    // Nearly everything is the other one's from now on, and what is decided together stays so.
    const other = await daemon(test, chain, url, 100);
    await one.says(/"slots":\d{1,2},/);
    let minedAt = 0;
    const mine = (): void => {
      if (performance.now() - minedAt < SECOND) return;
      minedAt = performance.now();
      chain.mine({ after: 1 });
    };
    /** The one that has called for nothing for so long while the other one reads block after block. */
    const restsOf = (): typeof one | null => {
      mine();
      const [late, early] = one.calledAt() > other.calledAt() ? [one, other] : [other, one];
      return late.calledAt() - early.calledAt() > QUIET_MS ? early : null;
    };
    await until(() => restsOf() !== null);
    const rests = restsOf() ?? one;
    const follows = rests === one ? other : one;
    // It is taken over where it was left.
    await follows.end();
    const before = rests.calls();
    await until(() => {
      mine();
      return rests.calls() > before + 10;
    });
    expect(follows.calledAt()).toBeLessThan(rests.calledAt());
  });
});
