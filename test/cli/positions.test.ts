import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { runCli } from "../../src/cli/program.ts";

const OWNER = "0x1acf37fc9a055461542c22862666ac265d26dc0a";
const SERVICE = '{base_url: "https://data.example.org", api_key: "${env:KEY}"}';
const NODES = '{rpc: {chains: {ethereum: {urls: ["${env:RPC}"]}}}}';

// What it lists is shown on a real node: test/node/owner.test.ts.
describe.concurrent("tickwatch positions", () => {
  it.for([
    [
      SERVICE,
      OWNER,
      [],
      "positions by owner are read from nodes: service.rpc in the configuration",
    ],
    [
      NODES,
      OWNER,
      ["--chain", "base"],
      "the configuration has no node of that chain, only of Ethereum",
    ],
    [
      NODES,
      OWNER,
      ["--chain", "nowhere"],
      "the configuration has no node of that chain, only of Ethereum",
    ],
    [NODES, "vitalik.eth", [], '--owner "vitalik.eth" is no address: 0x and 40 hex digits'],
  ] as const)("with %s says of %s %j: %s", async ([service, owner, args, why], test) => {
    const { expect } = test;
    const folder = await mkdtemp(join(tmpdir(), "tickwatch-positions-"));
    test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const config = join(folder, "config.yaml");
    await writeFile(
      config,
      `service: ${service}\nrules: [rules.yaml]\nchannels: {c: {kind: console}}\n`,
    );
    let err = "";
    const code = await runCli(["positions", "--config", config, "--owner", owner, ...args], {
      out: () => {},
      err: (text) => {
        err += text;
      },
      env: { KEY: "tw_0123456789abcdef", RPC: "http://127.0.0.1:1" },
      colours: false,
      errTerminal: false,
      errColours: false,
      stop: () => new AbortController().signal,
      onHangup: () => {},
      unread: new AbortController().signal,
    });
    expect([code, err]).toEqual([2, `tickwatch: ${why}\n`]);
  });
});
