import type { Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Anvil } from "./support/anvil.ts";
import { Daemon } from "./support/daemon.ts";
import { KEY } from "./support/proxy.ts";
import { type Key, Uniswap } from "./support/uniswap.ts";

const L = 10n ** 21n;
const FRIEND: Hex = "0x00000000000000000000000000000000000000aa";

let anvil: Anvil;
let uniswap: Uniswap;
let daemon: Daemon;
let key: Key;

beforeAll(async () => {
  anvil = await Anvil.start("--chain-id", "1");
  uniswap = await Uniswap.deploy(anvil);
  daemon = await Daemon.place(anvil, uniswap);
  key = uniswap.key();
  await uniswap.createPool(key);
  await uniswap.mint(key, -60_000, 60_000, 50n * L);
});
afterAll(async () => {
  await daemon?.close();
  await anvil?.stop();
});

function rulesOn(nft: bigint, other: bigint): string {
  const watch = `{kind: v4_position, chain: ethereum, protocol: dexa, positions: [${nft}]}`;
  const second = `{kind: v4_position, chain: ethereum, protocol: dexa, positions: [${other}]}`;
  return `rules:
  - {name: range, schedule: block, watch: ${watch}, when: {metric: in_range, equals: false}}
  - {name: fees, schedule: block, watch: ${watch}, when: {metric: fees0, above: 0.0001 tokens}}
  - {name: owner, schedule: block, watch: ${watch}, when: {metric: owner_address, changes: true}}
  - {name: liquidity, schedule: block, watch: ${watch}, when: {metric: liquidity, changes: true}}
  - {name: burned, schedule: block, watch: ${second}, when: {metric: closed, equals: true}}
`;
}

it("tells an LP once and rightly of all that becomes of a position, and nobody of the node's URL", async () => {
  const nft = await uniswap.mint(key, -600, 600, L);
  const other = await uniswap.mint(key, -6_000, 6_000, L);
  await daemon.start(rulesOn(nft, other));

  await uniswap.swap(key, true, 5n * L);
  const out = await daemon.told(/Out of range/);
  await uniswap.swap(key, false, 5n * L);
  const back = await daemon.told(/Back in range/);
  // About half a second on a machine that has nothing else to do, of which no test may be sure.
  expect(Math.max(out, back)).toBeLessThan(10_000);

  await daemon.told(/Fees in/);
  await uniswap.collect(key, nft);
  await daemon.told(/[Ff]ees.*back to/);

  await uniswap.change(key, nft, -L / 2n);
  await daemon.told(/[Ll]iquidity/);
  await uniswap.transfer(nft, FRIEND);
  await daemon.told(/00aa/);
  await uniswap.burn(key, other);
  await daemon.told(/closed/i);

  await daemon.stop();
  const counts = [/Out of range/, /Back in range/, /back to/, /Liquidity/, /Owner/, /Closed/];
  expect(counts.map((one) => [String(one), daemon.countOf(one)])).toEqual(
    counts.map((one) => [String(one), 1]),
  );

  const everything = await daemon.everything();
  expect(everything).not.toContain(KEY);
  expect(everything).not.toContain(new URL(daemon.node.url).host);
});
