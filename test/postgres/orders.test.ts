import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NO_CHANGE, type OrderPlace } from "../../src/model/index.ts";
import { openOperatorDb } from "../../src/store/operator-db/operator-db.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { freshSchema, placeOf } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

const SLOTS = Array.from({ length: 256 }, (_, slot) => slot);
const [ONE, OTHER] = [SLOTS.slice(0, 128), SLOTS.slice(128)];

describeWhole("what people order", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** The store of a daemon that shares the work, and an acknowledgement beside it. */
  async function ordered() {
    const place = placeOf(server.url(freshSchema()));
    const store = await openPostgresStore(place, { id: ID, held: () => new Map() });
    const db = await openOperatorDb(place, true);
    if (db === null) throw new Error("no database");
    const order = {
      kind: "ack" as const,
      rule: "low",
      subject: "a",
      author: "anna",
      comment: null,
    };
    await db.alerts.give([{ ...order, at: 1 }]);
    db.close();
    return {
      store,
      open: async (where: OrderPlace) => (await store.orders(where)).map(({ id }) => id),
      carryOut: (id: number, ordersIn: OrderPlace) =>
        store.commit({ ...NO_CHANGE, orders: [id], ordersIn }),
    };
  }

  it("is done once each slot is through with it", async () => {
    const { store, open, carryOut } = await ordered();
    const [id = 0] = await open({ slots: ONE, config: 1 });
    await carryOut(id, { slots: ONE, config: 1 });
    expect(await open({ slots: ONE, config: 1 })).toEqual([]);
    // Who has another slot as well carries it out there.
    const [order] = await store.orders({ slots: [...ONE, 200], config: 1 });
    expect(order?.doneIn).toEqual(new Set(ONE));
    await carryOut(id, { slots: OTHER, config: 1 });
    expect(await store.orders()).toEqual([]);
    await store.close();
  });

  it("waits for an alert that goes to a slot which is through with it already", async () => {
    const { store, open, carryOut } = await ordered();
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
