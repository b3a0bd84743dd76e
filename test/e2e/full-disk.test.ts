import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";

const SIZE = 1024 * 1024;

/** A small disk of its own; null where this user may not mount one. */
function mountSmallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "tickwatch-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder]);
  if (mounted.status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}

/** Takes what is left, to the last byte. */
function fill(path: string): void {
  for (let bytes = SIZE; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: "a" });
    } catch {
      // Less, then.
    }
  }
}

const disk = mountSmallDisk();
afterAll(() => {
  if (disk === null) return;
  spawnSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

describe.skipIf(disk === null)("a disk that is full", () => {
  it("is said, and with space again nothing is lost and nothing is repeated", async (test) => {
    const { expect } = test;
    const databaseFolder = disk ?? "";
    const { place, slack, service, tvl } = await makeAlertWorld(test, { databaseFolder });
    const daemon = place.run();
    for (const name of ["slack", "terminal"]) {
      await daemon.logLine(({ channel, msg }) => channel === name && msg.includes("delivered"));
    }
    const ballast = join(databaseFolder, "ballast");
    fill(ballast);
    // The last page of the log may have room for a round or two.
    const line = await daemon.logLine(
      ({ level, msg }) => level === "error" && msg.includes("commit"),
    );
    expect(JSON.stringify(line.err)).toContain("free some space on that disk");
    tvl(800);
    await service.requests(2);
    // Past the database, once.
    await slack.first(tells("self"));
    expect(slack.received.map(toldBy)).toEqual(["started", "self"]);
    rmSync(ballast);
    await slack.first(tells("fired"));
    tvl(1_000);
    await slack.first(tells("resolved"));
    await service.requests(1);
    const told = slack.received.map(toldBy);
    expect(told.filter((one) => one !== "self")).toEqual(["started", "fired", "resolved"]);
    expect(told.filter((one) => one === "self")).toHaveLength(2);
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});
