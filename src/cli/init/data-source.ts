import { acceleratedClock, systemClock } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";
import { isLoopback } from "../../base/network.ts";
import { Secret } from "../../base/text.ts";
import { createHttpSource } from "../../fetch/http.ts";
import { DEMO_KEY, type Service, startService } from "../../serve/server.ts";
import { createMarket } from "../../simulator/market.ts";
import { DEMO_SEED } from "../../simulator/units.ts";
import type { Io } from "../io.ts";
import { OwnService } from "../own-service.ts";
import type { Answers, DataAnswer } from "./answers.ts";
import { channelChoice } from "./channel-choices.ts";
import { secretsFor } from "./config-file.ts";
import { readDraft } from "./draft.ts";
import { findHeld, findTokens, walletTargets } from "./find.ts";
import type { FoundTarget, LookedAt } from "./targets.ts";

const KEY_NAME = "TICKWATCH_API_KEY";
/** Somebody is waiting at a terminal. */
const PATIENCE_MS = 60 * SECOND;

/** The data that the user chose, as far as it can be asked for now. `close` ends what it started. */
export class DataSource {
  #simulator: Service | null = null;
  #io: Pick<Io, "env">;
  #offline: boolean;

  constructor(io: Pick<Io, "env">, offline: boolean) {
    this.#io = io;
    this.#offline = offline;
  }

  /**
   * Why it cannot be asked: one of the variables that it `needs` is not set. Null: it can. The simulator is started
   * where none is running.
   */
  async whyNot(data: DataAnswer, needs: readonly string[]): Promise<string | null> {
    if (this.#offline) return "--offline was given";
    if (data.kind === "simulator") await this.#startSimulator(data.url);
    const unset = needs.find((name) => (this.#io.env[name] ?? "").trim() === "");
    return unset === undefined ? null : `${unset} is not set`;
  }

  /** What a wallet holds; a text says why nothing is known of it. */
  async find({ watch, wallet, data, chainId }: LookedAt): Promise<readonly FoundTarget[] | string> {
    if (data.kind === "node") return await this.#findAtNode(wallet, data, chainId);
    const trouble = await this.whyNot(data, data.kind === "service" ? [KEY_NAME] : []);
    if (trouble !== null) return `the wallet cannot be looked through: ${trouble}`;
    const [baseUrl, legacyBaseUrl] =
      data.kind === "simulator" ? [data.url, data.url] : [data.url, data.legacyUrl];
    const apiKey = new Secret(
      data.kind === "simulator" ? DEMO_KEY : (this.#io.env[KEY_NAME] ?? ""),
    );
    const limits = { timeoutMs: 10 * SECOND, concurrency: 8, requestsPerSecond: 10 };
    const source = createHttpSource({ baseUrl, legacyBaseUrl, apiKey, ...limits });
    try {
      return await findHeld(watch, wallet, source, AbortSignal.timeout(PATIENCE_MS));
    } finally {
      await source.close();
    }
  }

  async close(): Promise<void> {
    await this.#simulator?.close();
  }

  /** Nodes list no tokens: what many hold is asked for. */
  async #findAtNode(
    wallet: string,
    data: DataAnswer,
    chainId: number | null,
  ): Promise<readonly FoundTarget[] | string> {
    const targets = chainId === null ? [] : walletTargets(chainId);
    const channel = channelChoice("console");
    const answers: Answers = { watch: "treasury", data, targets, wallet, channel };
    const needs = secretsFor(answers).map(({ name }) => name);
    const trouble = await this.whyNot(data, needs);
    if (trouble !== null) return `the wallet cannot be looked through: ${trouble}`;
    const own = new OwnService(() => {});
    try {
      const { service } = await own.serve(await readDraft(answers, this.#io.env));
      const source = createHttpSource({ ...service, requestsPerSecond: 100 });
      try {
        return await findTokens(wallet, targets, source, AbortSignal.timeout(PATIENCE_MS));
      } finally {
        await source.close();
      }
    } finally {
      await own.close();
    }
  }

  async #startSimulator(url: string): Promise<void> {
    const { hostname: host, port } = new URL(url);
    if (this.#simulator !== null || !isLoopback(host) || port === "") return;
    const start = systemClock().now();
    const world = createMarket({ seed: DEMO_SEED, start, script: [] });
    try {
      this.#simulator = await startService({
        world,
        clock: acceleratedClock(start, 1),
        apiKey: DEMO_KEY,
        host,
        port: Number(port),
      });
    } catch {
      // Something listens there already: `tickwatch serve`, or `check --online` says what it is.
    }
  }
}
