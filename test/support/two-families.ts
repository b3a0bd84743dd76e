import type { Family, RawRecord } from "../../src/model/index.ts";
import { isEarlier, open, searchOf, sourceAt } from "../fetch/families.ts";
import type { FaultServer } from "../fetch/fault-server.ts";
import { json } from "../fetch/fault-server.ts";
import { poolRecord, World } from "./world.ts";

export const TOKEN = `0x${"aa".repeat(20)}`;
export const WALLETS = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}`);
export const [TREASURY = "", ESCROW = ""] = WALLETS;

/** Two families that need not agree, at one address or at two; a test says what each of them answers. */
export class Service {
  /** Balances in whole tokens of six decimals; null: 503; undefined: the wallet is not known. */
  readonly balances: Record<Family, (wallet: string) => number | null | undefined> = {
    current: () => 5_200_000,
    earlier: () => 3_900_000,
  };
  holders: Record<Family, () => readonly [wallet: string, tokens: number][] | null> = {
    current: () => [],
    earlier: () => [],
  };
  supply: Record<Family, () => number | null | undefined> = {
    current: () => 1_000,
    earlier: () => 1_000,
  };
  pool: () => RawRecord = () => poolRecord();
  hours: (now: string) => RawRecord[] = () => [];
  readonly paths: string[] = [];

  async open(): Promise<FaultServer> {
    return await open((request, response) => {
      const { url = "" } = request;
      this.paths.push(url.replace(/[?&]apikey=[^&]*/, ""));
      const family = isEarlier(request) ? "earlier" : "current";
      const search = searchOf(request);
      const answer = this.#answer(family, url, search);
      if (answer === null) json(response, { error: "not now" }, 503);
      else if (answer === undefined) json(response, { error: "not served" }, 404);
      else json(response, answer);
    });
  }

  #answer(family: Family, url: string, search: URLSearchParams): unknown {
    const token = search.get("token") ?? search.get("address") ?? "";
    const chain = Number(search.get("chain_id") ?? search.get("chainid"));
    const of = { token_address: token, chain_id: chain };
    const raw = (tokens: number): string => `${tokens}000000`;
    if (url.includes("/balance?")) {
      const wallets = search.get("wallet") ?? search.get("wallets") ?? "";
      const records: RawRecord[] = [];
      for (const wallet of wallets.split(",")) {
        const tokens = this.balances[family](wallet);
        if (tokens === null) return null;
        if (tokens !== undefined) records.push({ wallet_address: wallet, balance: raw(tokens) });
      }
      if (family === "earlier") return { ...of, balances: records };
      return records.map((record) => ({ ...of, ...record }));
    }
    if (url.includes("/dexv4/pool")) return [this.pool()];
    if (url.includes("/gas/")) return this.hours(search.get("to") ?? "");
    if (url.includes("/holders")) {
      const list = this.holders[family]();
      if (list === null) return null;
      const records = list.map(([wallet_address, tokens]) => ({
        wallet_address,
        balance: raw(tokens),
      }));
      return family === "earlier"
        ? { ...of, total_holders: list.length, holders: records }
        : records.map((record) => ({ ...of, ...record }));
    }
    if (url.includes("/supply?") || url.includes("/tokens/info")) {
      if (family === "current" && chain !== 1) return undefined;
      const tokens = this.supply[family]();
      if (tokens === null || tokens === undefined) return tokens;
      const record = { ...of, total_supply: raw(tokens) };
      return family === "earlier" ? { ...record, symbol: "T", decimals: 6 } : [record];
    }
    return undefined;
  }
}

export const watch = (wallets: readonly string[]): string =>
  `{kind: token_balance, chain: 1, token: "${TOKEN}", wallet: [${wallets.map((w) => `"${w}"`).join(", ")}], decimals: 6}`;

/** So many tokens of one wallet are one request to the current family, and two to the earlier one. */
export const TWO_TOKENS = `{kind: token_balance, chain: 1, token: ["${TOKEN}", "0x${"bb".repeat(20)}"], wallet: "${TREASURY}", decimals: 6}`;

/** Rules whose rounds need other requests each: the family that needs the fewest is not the same. */
export const TWO_RULES = `
rules:
  - {name: treasury-low, watch: ${watch([TREASURY])}, when: {metric: balance, below: 4M tokens}, schedule: 1m, notify: [slack]}
  - {name: escrow-moved, watch: ${watch(WALLETS)}, when: {metric: balance, moves: 1M tokens, since: 30m}, schedule: 5m, notify: [slack]}
`;

export async function worldOf(
  service: Service,
  yaml: string,
  bases: "both" | Family = "both",
): Promise<World> {
  const { url } = await service.open();
  const baseUrl = bases === "earlier" ? null : `${url}/a`;
  const legacyBaseUrl = bases === "current" ? null : `${url}/b`;
  return await World.create(yaml, {
    source: sourceAt(baseUrl, legacyBaseUrl, { retryMs: 1 }),
    service: { baseUrl, legacyBaseUrl },
  });
}

/** Starts on the same store with the service at other addresses. */
export async function movedTo(
  world: World,
  baseUrl: string | null,
  legacyBaseUrl: string | null,
): Promise<void> {
  await world.stop();
  world.source = sourceAt(baseUrl, legacyBaseUrl);
  world.service = { baseUrl, legacyBaseUrl };
  await world.open();
}

export const tell = (world: World): string[] =>
  world.told
    .filter(({ kind }) => kind !== "started" && kind !== "self")
    .map(({ minute, kind, notice }) => `${minute} ${kind} ${notice.rule ?? ""}`);

export const selfLines = (world: World): string[] =>
  world.told.filter(({ kind }) => kind === "self").map(({ notice }) => notice.headline);
