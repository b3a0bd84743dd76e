import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { describe, it } from "vitest";
import { startProgram } from "../support/program.ts";
import { runTickwatch } from "./test-command.ts";

/** What the program says about itself: its lines `name: value`. */
function told(out: string, name: string): string {
  return new RegExp(`^${name}: (.+)$`, "m").exec(out)?.[1] ?? "";
}

/** What a shell makes of a line. */
function shell(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("sh", ["-c", `${line} --silent --fail-with-body`], (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${line}: ${stdout}`, { cause: error }));
    });
  });
}

describe.concurrent("tickwatch serve", () => {
  it("tells how to ask it, and what it tells works when pasted", async (test) => {
    const { expect } = test;
    const program = startProgram(test, ["serve", "--port", "0", "--seed", "7", "--speed", "60"]);
    await program.outLine((line) => line.startsWith("curl 'http"));
    const url = told(program.out(), "base_url");
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(told(program.out(), "legacy_base_url")).toBe(url);
    const key = told(program.out(), "api_key");
    const lines = program
      .out()
      .split("\n")
      .filter((line) => line.startsWith("curl "));
    const [current, earlier] = await Promise.all(
      lines.map(async (line): Promise<unknown> => JSON.parse(await shell(line))),
    );
    expect(lines).toHaveLength(2);
    expect(current).toMatchObject([{ chain_id: 1, token0: { symbol: "ETH" } }]);
    expect(earlier).toMatchObject({ chain_id: 1, symbol: "AUSD" });
    expect(
      await (await fetch(`${url}/v1/api-key/verify`, { headers: { "x-api-key": key } })).json(),
    ).toEqual({ valid: true });
    program.kill("SIGINT");
    const end = await program.ended;
    expect(end).toMatchObject({ code: 0, err: "" });
    expect(end.out).toMatch(/\n3 requests\.\n$/);
  });

  it("ends by itself, and by a signal", async (test) => {
    const { expect } = test;
    const short = await runTickwatch(["serve", "--port", "0", "--for", "1s"]);
    expect(short).toMatchObject({ code: 0, err: "" });
    const stopped = startProgram(test, ["serve", "--port", "0"]);
    await stopped.outLine((line) => line.startsWith("base_url"));
    stopped.kill("SIGTERM");
    expect(await stopped.ended).toMatchObject({ code: 0, err: "" });
  });

  it("says in one line that its port is taken, with exit code 3", async (test) => {
    const { expect } = test;
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, "127.0.0.1", resolve);
    });
    test.onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const end = await runTickwatch(["serve", "--port", port]);
    expect(end).toMatchObject({ code: 3, out: "" });
    expect(end.err).toBe(
      `tickwatch: 127.0.0.1 port ${port} is taken by another program; choose another --port, or 0 for a free one\n`,
    );
  });

  it("warns when it is not on loopback only, and tells an address that can be reached", async (test) => {
    const { expect } = test;
    const end = await runTickwatch(["serve", "--port", "0", "--host", "0.0.0.0", "--for", "1s"]);
    expect(end.code).toBe(0);
    expect(end.err).toMatch(/^warning: whoever reaches 0\.0\.0\.0 .*\n$/);
    expect(told(end.out, "base_url")).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.for([
    [["--port", "70000"], 2, /from 0 to 65535/],
    [["--port", "x"], 2, /from 0 to 65535/],
    [["--speed", "0"], 2, /from 1 to 3600/],
    [["--seed", "-1"], 2, /whole number/],
    [
      ["--host", "192.0.2.1", "--port", "0"],
      3,
      /^tickwatch: cannot listen on 192\.0\.2\.1 port 0: .*\n$/,
    ],
  ] as const)("answers %j with exit code %i", async ([args, code, words], test) => {
    const { expect } = test;
    const end = await runTickwatch(["serve", ...args]);
    expect(end).toMatchObject({ code, out: "" });
    expect(end.err).toMatch(words);
  });
});
