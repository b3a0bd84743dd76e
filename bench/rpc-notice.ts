import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startAnvil } from "./anvil.ts";
import { inFolder } from "./children.ts";
import type { Figure } from "./figures.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { spread } from "./spread.ts";
import { type BenchUniswap, deployUniswap } from "./uniswap.ts";

const MAIN = fileURLToPath(new URL("../src/main.js", import.meta.url));
/** Out of range and back in, so often. */
const TIMES = 10;
const LONGEST_MS = 30_000;

/** How long after the block that takes a position out of its range, or back in, the notice is at its receiver. */
export async function noticeFigures(): Promise<readonly Figure[]> {
  const node = await startAnvil("--gas-limit", "1000000000", "--code-size-limit", "100000");
  const receiver = await startReceiver();
  try {
    const uniswap = await deployUniswap(node, 1);
    const delays = await inFolder(async (folder) => {
      writeConfiguration(folder, uniswap);
      const env = { PATH: process.env.PATH, RPC: node.url, HOOK: receiver.url };
      const child = spawn(process.execPath, [MAIN, "run"], { cwd: folder, env, stdio: "ignore" });
      try {
        console.error("a position leaves its range and comes back");
        await posted(receiver, 0);
        const waits: number[] = [];
        for (let i = 0; i < 2 * TIMES; i += 1) {
          // Blocks come at any time between two looks at the head.
          await pause((i * 370) % 1_000);
          const known = receiver.posts.length;
          await uniswap.leaveOrReturn(i % 2 === 0);
          const mined = Date.now();
          waits.push((await posted(receiver, known)) - mined);
        }
        return waits;
      } finally {
        child.kill();
      }
    });
    return [
      {
        words: "from a block to the notice at a local receiver, with schedule: block",
        value: spread(delays.map((ms) => ms / 1_000)),
        unit: "s",
        bar: 1,
      },
    ];
  } finally {
    receiver.stop();
    node.stop();
  }
}

function writeConfiguration(folder: string, uniswap: BenchUniswap): void {
  const { poolManager, positionManager, positions } = uniswap;
  writeFileSync(
    join(folder, "config.yaml"),
    `service:
  rpc:
    chains:
      ethereum:
        urls: ["\${env:RPC}"]
        contracts: {pool_manager: "${poolManager}", position_manager: "${positionManager}"}
rules: [rules.yaml]
group_wait: 0s
channels: {hook: {kind: webhook, url: "\${env:HOOK}"}}
`,
  );
  writeFileSync(
    join(folder, "rules.yaml"),
    `rules:
  - name: range
    schedule: block
    watch: {kind: v4_position, chain: ethereum, protocol: dexa, positions: [${positions.join()}]}
    when: {metric: in_range, changes: true}
`,
  );
}

/** When one more message than so many is there (ms since 1970). Rejects where none comes. */
async function posted({ posts }: Receiver, known: number): Promise<number> {
  const until = Date.now() + LONGEST_MS;
  for (;;) {
    const at = posts[known]?.at;
    if (at !== undefined) return at;
    if (Date.now() > until) throw new Error("no notice came");
    await pause(5);
  }
}
