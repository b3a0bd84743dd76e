import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { firstLine, makeAlertWorld, tells, toldBy } from "../support/alert-world.ts";
import { fillDisk, mountSmallDisk, unmount } from "../support/small-disk.ts";
import { WHOLE } from "../support/tier.ts";

const SIZE = 1024 * 1024;
const disk = mountSmallDisk(SIZE);
afterAll(() => {
  if (disk !== null) unmount(disk);
});

describe.skipIf(disk === null)("a disk that is full", () => {
  it("is said, alerts go on from memory, and with space again all of it is written", async (test) => {
    const { expect } = test;
    const databaseFolder = disk ?? "";
    const { place, slack, service, tvl } = await makeAlertWorld(test, { databaseFolder });
    const daemon = place.run();
    for (const name of ["slack", "terminal"]) {
      await daemon.logLine(({ channel, msg }) => channel === name && msg.includes("delivered"));
    }
    const ballast = join(databaseFolder, "ballast");
    fillDisk(ballast, SIZE);
    // The last page of the log may have room for a round or two.
    const line = await daemon.logLine(
      ({ level, msg }) => level === "error" && msg.includes("restart would lose recent state"),
    );
    expect(JSON.stringify(line.err)).toContain("free some space on that disk");
    await slack.first(tells("self"));
    tvl(800);
    await slack.first(tells("fired"));
    await service.requests(2);
    expect(slack.received.map(toldBy)).toEqual(["started", "self", "fired"]);
    rmSync(ballast);
    await slack.first((one) => firstLine(one).includes("can be written again"));
    daemon.kill("SIGTERM");
    await daemon.ended;
    // What was told from memory is known to be told.
    const again = place.runHere();
    tvl(1_000);
    await slack.first(tells("resolved"));
    const told = slack.received.map(toldBy);
    expect(told.filter((one) => one !== "self")).toEqual(["started", "fired", "resolved"]);
    expect(told.filter((one) => one === "self")).toHaveLength(2);
    // One life for another fault, which the whole pass looks at by itself.
    removeDatabase(place.database);
    await slack.first(
      (one) => toldBy(one) === "self" && slack.received.indexOf(one) >= told.length,
    );
    await again.logLine(({ msg }) => msg.includes("is written again"));
    expect(existsSync(place.database)).toBe(true);
    again.kill("SIGTERM");
    expect((await again.ended).code).toBe(0);
  });
});

function removeDatabase(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

describe("a database that is deleted while the daemon runs", () => {
  it.runIf(WHOLE || disk === null)(
    "is said, is written anew, and a restart knows all of it",
    async (test) => {
      const { expect } = test;
      const { place, slack, tvl } = await makeAlertWorld(test);
      const daemon = place.run();
      await daemon.logLine(({ channel, msg }) => channel === "slack" && msg.includes("delivered"));
      removeDatabase(place.database);
      await slack.first(tells("self"));
      tvl(800);
      await slack.first(tells("fired"));
      await daemon.logLine(({ msg }) => msg.includes("is written again"));
      daemon.kill("SIGKILL");
      await daemon.ended;
      const again = place.run();
      tvl(1_000);
      await slack.first(tells("resolved"));
      const told = slack.received.map(toldBy);
      expect(told.filter((one) => one !== "self")).toEqual(["started", "fired", "resolved"]);
      again.kill("SIGTERM");
      expect((await again.ended).code).toBe(0);
    },
  );
});
