import type { Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Anvil } from "./support/anvil.ts";
import { Daemon } from "./support/daemon.ts";
import { type Key, Uniswap } from "./support/uniswap.ts";
import { ACCOUNT } from "./support/world.ts";

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
  await uniswap.createV3Pool(3_000);
  const whale = await uniswap.mint(key, -60_000, 60_000, 50n * L);
  await uniswap.transfer(whale, FRIEND);
  const other = await uniswap.mintV3(3_000, -887_220, 887_220, 50n * L);
  await uniswap.transferV3(other, FRIEND);
});
afterAll(async () => {
  await daemon?.close();
  await anvil?.stop();
});

const RULES = `rules:
  - name: v4-range
    schedule: 1s
    watch: {kind: v4_position, chain: ethereum, owner: "${ACCOUNT}"}
    when: {metric: in_range, equals: false}
  - name: v3-fees
    schedule: 1s
    watch: {kind: v3_position, chain: ethereum, owner: {id: "${ACCOUNT}", name: Treasury}}
    when: {metric: fees0, above: 0.0001 tokens}
`;

/** A block for each look at the node: what is read is one block behind the newest, or the newest itself. */
async function told(fits: RegExp): Promise<void> {
  let over = false;
  const mining = (async () => {
    while (!over) {
      await anvil.mine(1, 1);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  await daemon.told(fits);
  over = true;
  await mining;
}

it("follows what an owner holds: what came and what left is told once, and ends with its reason", async () => {
  const first = await uniswap.mint(key, -600, 600, L);
  const v3 = await uniswap.mintV3(3_000, -6_000, 6_000, L);
  await daemon.start(RULES);

  // What is read by a schedule of minutes is some blocks old.
  await anvil.mine(5, 1);
  const listed = await daemon.command("positions", "--owner", ACCOUNT);
  expect(listed).toMatch(new RegExp(`#${first} +Ethereum +in range`));
  expect(listed).toMatch(new RegExp(`#${v3} +Ethereum +in range`));
  expect(listed).toContain(`2 positions of ${ACCOUNT}`);
  const json = await daemon.command("positions", "--owner", FRIEND, "--chain", "1", "--json");
  expect(JSON.parse(json)).toMatchObject({ owner: FRIEND, positions: [{ in_range: true }, {}] });

  // What was there at the start is watched, and is no news.
  await uniswap.swap(key, true, 5n * L);
  await told(new RegExp(`Out of range: [^"]*#${first}\\.`));
  await uniswap.swapV3(3_000, true, L);
  await told(new RegExp(`#${v3} fees in token0`));
  await uniswap.collectV3(v3);
  await told(new RegExp(`#${v3} fees in token0 back to 0`));

  const second = await uniswap.mint(key, -60_000, 60_000, L);
  await told(new RegExp(`New position of 0xf39fd6…2266: [^"]*#${second}\\.`));
  const third = await uniswap.mintV3(3_000, -600, 60_000, L);
  await told(new RegExp(`New position of Treasury: [^"]*#${third}\\.`));

  // Commands beside it know of the positions what it knows.
  expect(await daemon.command("plan")).toContain("Rules by owner: 4 positions, as the daemon");
  expect(await daemon.command("check", "--online")).toContain(`#${second}`);

  // A kill forgets nothing of it and repeats nothing.
  await daemon.stop("SIGKILL");
  await daemon.again();

  await uniswap.transfer(first, FRIEND);
  await told(new RegExp(`Left 0xf39fd6…2266: [^"]*#${first}\\. It was firing`));
  await uniswap.burn(key, second);
  await told(new RegExp(`Left 0xf39fd6…2266: [^"]*#${second}\\. Ethereum`));
  await uniswap.transferV3(v3, FRIEND);
  await told(new RegExp(`Left Treasury: [^"]*#${v3}\\. Ethereum`));

  await daemon.stop();
  expect([daemon.countOf(/New position/), daemon.countOf(/Left /)]).toEqual([2, 3]);
  expect(daemon.countOf(/No longer watched/)).toBe(0);
  const [left] = daemon.bodies().filter((body) => /It was firing/.test(body));
  expect(left).toContain(`left ${ACCOUNT}`);
  expect(left).toContain("⚪");
});
