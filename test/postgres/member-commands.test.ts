import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CommandPlace, NO_CHANGE } from "../../src/model/index.ts";
import { openOperatorDb } from "../../src/store/operator-db/operator-db.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const SLOTS = Array.from({ length: 256 }, (_, slot) => slot);
const [ONE, OTHER] = [SLOTS.slice(0, 128), SLOTS.slice(128)];

describeWhole("a command to several daemons", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** The store of a daemon that shares the work, and an acknowledgement beside it. */
  async function withCommand() {
    const place = placeOf(server.url(freshSchema()));
    const store = await openPostgresStore(place, { id: ID, held: () => new Map() });
    const db = await openOperatorDb(place, true);
    if (db === null) throw new Error("no database");
    const command = {
      kind: "ack" as const,
      rule: "low",
      subject: "a",
      author: "anna",
      comment: null,
    };
    await db.alerts.give([{ ...command, at: 1 }]);
    db.close();
    return {
      store,
      open: async (where: CommandPlace) => (await store.commands(where)).map(({ id }) => id),
      carryOut: (id: number, commandsIn: CommandPlace) =>
        store.commit({ ...NO_CHANGE, commands: [id], commandsIn }),
    };
  }

  it("is done once each slot is through with it", async () => {
    const { store, open, carryOut } = await withCommand();
    const [id = 0] = await open({ slots: ONE, config: 1 });
    await carryOut(id, { slots: ONE, config: 1 });
    expect(await open({ slots: ONE, config: 1 })).toEqual([]);
    // Who has another slot as well carries it out there.
    const [command] = await store.commands({ slots: [...ONE, 200], config: 1 });
    expect(command?.doneIn).toEqual(new Set(ONE));
    await carryOut(id, { slots: OTHER, config: 1 });
    expect(await store.commands()).toEqual([]);
    await store.close();
  });

  it("waits for an alert that goes to a slot which is through with it already", async () => {
    const { store, open, carryOut } = await withCommand();
    const [id = 0] = await open({ slots: OTHER, config: 1 });
    await carryOut(id, { slots: OTHER, config: 1 });
    // By the next configuration the alert is in the other half: nobody has carried it out.
    expect(await open({ slots: ONE, config: 2 })).toEqual([id]);
    await carryOut(id, { slots: ONE, config: 2 });
    expect(await open({ slots: OTHER, config: 2 })).toEqual([id]);
    await carryOut(id, { slots: OTHER, config: 2 });
    expect(await open({ slots: SLOTS, config: 3 })).toEqual([]);
    await store.close();
  });
});

const ID = createHash("md5").update("one").digest("hex");
