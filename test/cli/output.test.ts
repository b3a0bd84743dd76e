import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { describe, it } from "vitest";
import { makeAlertWorld, tells } from "../support/alert-world.ts";
import { MAIN, startProgram } from "../support/program.ts";
import { WHOLE } from "../support/tier.ts";
import { runTickwatch } from "./test-command.ts";

const ESCAPE = "\u001B";

/** `script` gives a program a terminal; not every machine has it. */
const noTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status !== 0;

describe.concurrent("what a command prints", () => {
  it("has a stack trace only after --debug", async (test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test);
    await writeFile(place.database, "no database");
    const run = ["run", "--config", place.config];
    const { env } = place;
    const plain = await runTickwatch(run, { env });
    expect(plain.code).toBe(4);
    expect(plain.err).toMatch(/^tickwatch: [^\n]+\n$/);
    for (const args of [
      ["--debug", ...run],
      [...run, "--debug"],
    ]) {
      const debug = await runTickwatch(args, { env });
      expect(debug.code).toBe(4);
      expect(debug.err).toMatch(/\n +at /);
    }
  });

  it("may be cut short by its reader", async (test) => {
    const { expect } = test;
    const { place } = await makeAlertWorld(test);
    for (const args of [["once", "--config", place.config], ["--help"]]) {
      const program = startProgram(test, args, { env: place.env });
      program.leave();
      expect(await program.ended).toMatchObject({ code: 0, err: "" });
    }
  });

  it.skipIf(!existsSync("/dev/full"))(
    "is missed where a full disk takes none of it",
    ({ expect }) => {
      const full = openSync("/dev/full", "w");
      const ran = spawnSync(process.execPath, [MAIN, "man"], {
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8",
      });
      closeSync(full);
      expect([ran.status, ran.stderr]).toEqual([
        1,
        "tickwatch: the output cannot be written (ENOSPC)\n",
      ]);
    },
  );

  it("is kept for later when nobody reads the console channel any more", async (test) => {
    const { expect } = test;
    const { place, slack, tvl } = await makeAlertWorld(test);
    const daemon = place.run();
    await slack.first(tells("started"));
    await daemon.outLine((line) => line.includes("Watching"));
    daemon.leave();
    // The first write finds out, and so what it said is lost.
    tvl(800);
    await slack.first(tells("fired"));
    tvl(1_000);
    await daemon.logLine(
      ({ channel, msg }) => channel === "terminal" && msg.includes("will be retried"),
    );
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    const next = place.runHere();
    await next.outLine((line) => line.startsWith("🟢"));
  });

  it.skipIf(noTerminal)("is coloured on a terminal only, and not with NO_COLOR", async (test) => {
    const { expect } = test;
    const { place, slack } = await makeAlertWorld(test);
    const onTerminal = async (more: Record<string, string>): Promise<string> => {
      const before = slack.received.length;
      const command = `exec "${process.execPath}" "${MAIN}" run --config "${place.config}"`;
      const terminal = startProgram(test, ["-qec", command, "/dev/null"], {
        file: "script",
        env: { ...place.env, ...more },
      });
      await terminal.outLine((line) => line.includes("accepts the API key"));
      // `script` passes it on: a daemon outlives its terminal, which only hangs up.
      terminal.kill("SIGTERM");
      expect(slack.received.length).toBeGreaterThanOrEqual(before);
      return (await terminal.ended).out;
    };
    if (WHOLE) expect(await onTerminal({ NO_COLOR: "1" })).not.toContain(ESCAPE);
    expect(await onTerminal({})).toContain(`${ESCAPE}[32mINFO`);
  });
});
