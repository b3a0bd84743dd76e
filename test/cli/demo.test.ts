import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { type End, type Owner, type Program, startProgram } from "../support/program.ts";
import { WHOLE } from "../support/tier.ts";

/** A folder for the temporary files of one demo. */
async function makeFolder(owner: Owner): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-test-"));
  owner.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What Slack was sent. */
interface Sent {
  readonly text: string;
}

/** How many notices a message holds, as its first line counts them. */
function noticesIn({ text }: Sent): number {
  const [, count = "1"] = /^\S+ (\d+) (?:notices|of \d+)\b/u.exec(text) ?? [];
  return Number(count);
}

/** Resolves once Slack was sent so many messages. */
async function sends(demo: Program, count: number): Promise<void> {
  let sent = 0;
  await demo.outLine((line) => {
    if (line.includes("┌ lp-slack")) sent += 1;
    return sent === count;
  });
}

// What the story tells at which minute is held by demo-story.test.ts, on a clock that a busy machine does not outrun.
describe.concurrent("the demo", () => {
  it("ends by Ctrl-C or after its time, with its summary and its notices, beside others", async (test) => {
    const { expect } = test;
    const demo = async (): Promise<End & { folder: string }> => {
      const folder = await makeFolder(test);
      const running = startProgram(test, ["demo", "--speed", "150"], { env: { TMPDIR: folder } });
      await sends(running, 2);
      running.kill("SIGINT");
      return { ...(await running.ended), folder };
    };
    const timed = async (): Promise<End> => {
      const folder = await makeFolder(test);
      return startProgram(test, ["demo", "--for", "1s"], { env: { TMPDIR: folder } }).ended;
    };
    // The short pass has `--for` with `serve`, which waits in the same way.
    const [byItself, byCtrlC] = await Promise.all([
      Promise.all(WHOLE ? [timed()] : []),
      Promise.all(WHOLE ? [demo(), demo()] : [demo()]),
    ]);
    for (const { code, out, err } of byItself) {
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(/\d+ rounds?, .*notices: /);
    }
    for (const { code, out, err, folder } of byCtrlC) {
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain("🔵 Watching");
      const tail = out.trimEnd().split("\n").slice(-3);
      expect(tail[0]).toMatch(
        /^\d+ rounds?, \d+ requests, \d+ subjects; notices: \d+ fired(?:, \d+ \w+)*, 1 started\.$/,
      );
      expect(tail[2]).toMatch(/your own data: copy config\.example\.yaml .*tickwatch run/);
      // Each notice is there as Slack was sent it; the database is not.
      const notices = tail[1]?.replace("Messages sent to Slack are in ", "") ?? "";
      const files = readdirSync(notices).toSorted();
      const kinds = tail[0]?.replace(/^.*notices: /, "") ?? "";
      const count = [...kinds.matchAll(/\d+/g)].reduce((sum, [n]) => sum + Number(n), 0);
      const messages = await Promise.all(
        files.map(async (file) => JSON.parse(await readFile(join(notices, file), "utf8")) as Sent),
      );
      // Each notice is in one message, whichever went together.
      expect(messages.reduce((sum, message) => sum + noticesIn(message), 0)).toBe(count);
      for (const message of messages) expect(message).toHaveProperty("blocks");
      expect(readdirSync(join(notices, ".."))).toEqual(["notices"]);
      expect(notices.startsWith(folder)).toBe(true);
      expect(out + err).not.toContain("\u001B");
    }
  });

  it.runIf(WHOLE)("ends when nobody reads it any more", async (test) => {
    const { expect } = test;
    const TMPDIR = await makeFolder(test);
    const demo = startProgram(test, ["demo"], { env: { TMPDIR } });
    await demo.outLine((line) => line.includes("Ctrl-C"));
    demo.leave();
    expect(await demo.ended).toMatchObject({ code: 0, err: "" });
    expect(existsSync(TMPDIR)).toBe(true);
  });
});
