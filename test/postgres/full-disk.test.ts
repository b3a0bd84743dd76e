import { chmodSync, chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fillDisk, mountSmallDisk, unmount } from "../support/small-disk.ts";
import { WHOLE } from "../support/tier.ts";
import { changeOf, hasSteps, openFailing } from "./support/failing-store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer, unprivileged } from "./support/server.ts";

const SIZE = 64 * 1024 * 1024;
/** Pages that are begun have room for some rows more. */
const MOST_STEPS = 3_000;

function canMount(): boolean {
  const disk = WHOLE ? mountSmallDisk(4_096) : null;
  if (disk !== null) unmount(disk);
  // Also where other peers must be there: a container's root may not mount.
  if (WHOLE && disk === null) process.stderr.write("skipped: this user may not mount a disk\n");
  return disk !== null;
}

const describeMounted = canMount() ? describeWhole : describeWhole.skip;

describeMounted("a PostgreSQL whose disk is full", () => {
  function smallDisk(): string {
    const disk = mountSmallDisk(SIZE);
    if (disk === null) throw new Error("the disk could not be mounted");
    onTestFinished(() => unmount(disk));
    return disk;
  }

  /** Commits one step after the other until one cannot be written, and some more. Returns how many there were. */
  async function commitPast(
    { store, heard }: Awaited<ReturnType<typeof openFailing>>,
    first: number,
  ): Promise<number> {
    let step = first;
    while (heard.length === 0) {
      if (step > MOST_STEPS) throw new Error("the disk never was full");
      await store.commit(changeOf(step));
      step += 1;
    }
    await store.commit(changeOf(step));
    await store.commit(changeOf(step + 1));
    return step + 1;
  }

  it("is gone on without where its tables cannot grow, and has everything when there is room", async () => {
    const server = await startServer();
    onTestFinished(() => server.close());
    const disk = smallDisk();
    // An administrator has given the tables a disk of their own.
    const tables = join(disk, "tables");
    mkdirSync(tables);
    own(tables);
    await server.sql(`CREATE TABLESPACE small LOCATION '${tables}'`);
    await server.sql("ALTER DATABASE postgres SET default_tablespace = small");
    const daemon = await openFailing(placeOf(server.url(freshSchema())));
    await daemon.store.commit(changeOf(1));
    const ballast = join(disk, "ballast");
    fillDisk(ballast, SIZE);
    const last = await commitPast(daemon, 2);
    expect(daemon.heard).toEqual([
      expect.stringMatching(/No space left on device: free some space on the server's disk$/),
    ]);
    await goesOn(daemon, last, async () => rmSync(ballast));
  });

  it("is gone on without where it cannot write its log and dies, and has everything when it is back", async () => {
    const disk = smallDisk();
    chmodSync(disk, 0o755);
    const folder = join(disk, "server");
    mkdirSync(folder);
    const server: Server = await startServer({
      folder,
      initdb: ["--wal-segsize=1"],
      settings: ["min_wal_size=2MB", "max_wal_size=2MB"],
    });
    onTestFinished(() => server.close());
    const daemon = await openFailing(placeOf(server.url(freshSchema())));
    await daemon.store.commit(changeOf(1));
    const ballast = join(disk, "ballast");
    fillDisk(ballast, SIZE);
    const last = await commitPast(daemon, 2);
    expect(daemon.heard).toEqual([expect.stringMatching(/^cannot use the PostgreSQL schema /)]);
    await goesOn(daemon, last, async () => {
      rmSync(ballast);
      await server.stop();
      await server.start();
    });
  });

  function own(path: string): void {
    const user = unprivileged();
    if (user !== null) chownSync(path, user.uid, user.gid);
  }

  async function goesOn(
    { store, heard, mended }: Awaited<ReturnType<typeof openFailing>>,
    last: number,
    free: () => Promise<void>,
  ): Promise<void> {
    const { notices } = (await store.claim("lp", last, last)) as {
      notices: readonly { id: string }[];
    };
    expect(notices.at(-1)).toMatchObject({ id: `n${last}` });
    await free();
    await mended();
    await store.commit(changeOf(last + 1));
    expect(heard.slice(1)).toEqual(["over"]);
    await hasSteps(
      store,
      Array.from({ length: last + 1 }, (_, at) => at + 1),
    );
  }
});
