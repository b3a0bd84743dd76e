import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AbiFunction, encodeFunctionData, type Hex, parseAbiItem } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseSignature } from "../../src/base/signature.ts";
import { functionCallData } from "../../src/chain/codec/function-call.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { ACCOUNT, Anvil } from "./support/anvil.ts";
import { TOKEN } from "./support/artifacts.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const KEEPER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const BRIDGE = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const HALF = 5n * 10n ** 17n;

let anvil: Anvil;
let hook: Receiver;
let token: Hex;
let folder: string;
let daemon: ChildProcess;

beforeAll(async () => {
  anvil = await Anvil.start();
  hook = await startReceiver();
  token = await anvil.deploy(TOKEN.abi, TOKEN.bytecode, ["Token", "TKN", 18]);
  await anvil.write(token, TOKEN.abi, "mint", [ACCOUNT, 1_000n]);
  await anvil.write(token, TOKEN.abi, "approve", [BRIDGE, 500n]);
  folder = await mkdtemp(join(tmpdir(), "tickwatch-beyond-"));
});
afterAll(async () => {
  daemon?.kill("SIGKILL");
  await hook?.close();
  await anvil?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  await writeFile(
    join(folder, "config.yaml"),
    `service: {rpc: {chains: {31337: {urls: ["\${env:RPC}"]}}}}
rules: [rules.yaml]
group_wait: 0s
channels:
  hook: {kind: webhook, url: "\${env:HOOK}"}
`,
  );
  const rule = (name: string, watch: string, when: string): string =>
    `  - {name: ${name}, schedule: 1s, watch: {chain: 31337, ${watch}}, when: {metric: ${when}}}\n`;
  await writeFile(
    join(folder, "rules.yaml"),
    `rules:\n${[
      rule("native", `kind: native_balance, wallet: "${KEEPER}"`, "balance, below: 0.5 tokens"),
      rule(
        "allowance",
        `kind: allowance, token: "${token}", owner: "${ACCOUNT}", spender: "${BRIDGE}"`,
        "allowance, below: 500 raw",
      ),
      rule("gas", "kind: gas_now, blocks: 1", "tip_top10, at_least: 50 gwei"),
      rule(
        "call",
        `kind: call, to: "${token}", function: balanceOf(address)(uint256), args: ["${BRIDGE}"]`,
        "value, above: 99",
      ),
      rule("supply", `kind: token_supply, token: "${token}"`, "total_supply, above: 1_000 raw"),
      rule(
        "balance",
        `kind: token_balance, token: "${token}", wallet: "${BRIDGE}"`,
        "balance, above: 99 raw",
      ),
    ].join("")}`,
  );
  daemon = spawn(process.execPath, [MAIN, "run"], {
    cwd: folder,
    env: { PATH: process.env.PATH, RPC: anvil.url, HOOK: `${hook.origin}/x` },
    stdio: "ignore",
  });
  await hook.first(({ body }) => /Watching/.test(body));
}

/** The kinds of the notices that a rule sent, in their order. */
function sentBy(rule: string): readonly string[] {
  return hook.received
    .map(({ body }) => JSON.parse(body) as { rule: string | null; kind: string })
    .filter((one) => one.rule === rule)
    .map(({ kind }) => kind);
}

const told = (rule: string, kind: string): Promise<unknown> =>
  hook.first(({ body }) => {
    const one = JSON.parse(body) as { rule: string | null; kind: string };
    return one.rule === rule && one.kind === kind;
  });

async function setBalance(wei: bigint): Promise<void> {
  await anvil.rpc("anvil_setBalance", [KEEPER, `0x${wei.toString(16)}`]);
  await anvil.mine(1, 1);
}

async function payTip(gwei: bigint): Promise<void> {
  const tip = `0x${(gwei * 10n ** 9n).toString(16)}`;
  const prices = { maxPriorityFeePerGas: tip, maxFeePerGas: "0x2e90edd000" };
  await anvil.rpc("eth_sendTransaction", [
    { from: ACCOUNT, to: BRIDGE, value: "0x1", gas: "0x5208", ...prices },
  ]);
}

it("tells of a keeper's ether, an approval, gas, a view function and any token on a chain without a name", async () => {
  await setBalance(HALF);
  await payTip(1n);
  await start();
  await setBalance(HALF - 1n);
  await told("native", "fired");
  await setBalance(HALF);
  await told("native", "resolved");

  await anvil.write(token, TOKEN.abi, "approve", [BRIDGE, 499n]);
  await told("allowance", "fired");
  await anvil.write(token, TOKEN.abi, "approve", [BRIDGE, 2n ** 256n - 1n]);
  await told("allowance", "resolved");

  await payTip(50n);
  await told("gas", "fired");
  await payTip(2n);
  await told("gas", "resolved");

  await anvil.write(token, TOKEN.abi, "transfer", [BRIDGE, 100n]);
  await Promise.all([told("call", "fired"), told("balance", "fired")]);
  await anvil.write(token, TOKEN.abi, "mint", [ACCOUNT, 1n]);
  await told("supply", "fired");

  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("exit", resolve));
  expect(["native", "allowance", "gas", "call", "balance", "supply"].map(sentBy)).toEqual([
    ["fired", "resolved"],
    ["fired", "resolved"],
    ["fired", "resolved"],
    ["fired"],
    ["fired"],
    ["fired"],
  ]);
});

it.each<[string, readonly string[], readonly unknown[]]>([
  ["totalSupply()", [], []],
  ["balanceOf(address)", [KEEPER], [KEEPER]],
  ["f(uint256,int24,bool)", ["0xff", "-887272", "true"], [255n, -887_272, true]],
  [
    "f(bytes4,bytes32,uint8)",
    ["0x01020304", `0x${"ab".repeat(32)}`, "7"],
    ["0x01020304", `0x${"ab".repeat(32)}`, 7],
  ],
  ["f(string,uint8,bytes)", ["Grüße, €", "1", "0x010203"], ["Grüße, €", 1, "0x010203"]],
  ["f(string,string)", ["", "x".repeat(33)], ["", "x".repeat(33)]],
])("calls %s with %j as viem does", (called, args, values) => {
  const own = functionCallData(parseSignature(`${called}(uint256)`), args);
  const item = parseAbiItem(`function ${called}`) as AbiFunction;
  expect(own).toBe(encodeFunctionData({ abi: [item], functionName: item.name, args: values }));
});
