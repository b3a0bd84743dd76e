import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { until as eventually } from "../support/until.ts";
import { memberWorld } from "./support/member-world.ts";
import { freshSchema } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("a daemon that shares the work", () => {
  let server: Server;
  const { share, until, close } = memberWorld(() => server);
  beforeAll(async () => {
    server = await startServer();
  });
  afterEach(close);
  afterAll(() => server.close());

  /** How the slots are by now, as others see them. */
  async function leasesOf({ member }: Awaited<ReturnType<typeof share>>) {
    const view = await member.look("", () => {});
    const slots = (view?.leases ?? []).filter(({ name }) => /^s\d/.test(name));
    return { newest: view?.configs[0]?.number, slots };
  }

  it("gives away nothing that it still decides", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one");
    await until(() => one.slots().length === 256);
    one.seat.isBusy = true;
    const other = await share(schema, "other");
    await until(() => one.sharing.others === 1);
    for (let looks = 0; looks < 3; looks += 1) await one.sharing.look();
    expect([one.slots().length, other.slots()]).toEqual([256, []]);
    one.seat.isBusy = false;
    await until(() => one.slots().length + other.slots().length === 256);
    await until(() => one.slots().length < 150);
    expect([...one.seat.lost, ...other.seat.lost]).toEqual([]);
  });

  it("gives nothing to others while they can take what is free", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one");
    await until(() => one.slots().length === 256);
    const other = await share(schema, "other");
    await until(
      () => one.slots().length + other.slots().length === 256 && one.slots().length < 150,
    );
    await other.sharing.stop();
    // Its part is free, and it is still alive.
    await other.member.release(other.slots());
    other.seat.holding = new Map();
    const before = one.slots();
    for (let looks = 0; looks < 3; looks += 1) await one.sharing.look();
    expect(one.sharing.unowned).toBe(256 - before.length);
    expect(one.slots()).toEqual(before);
    const third = await share(schema, "third");
    await until(() => third.slots().length > 0);
    await until(() => one.sharing.others === 2);
    for (let looks = 0; looks < 3; looks += 1) await one.sharing.look();
    expect(one.slots()).toEqual(before);
  });

  it("says in the end by what it decides its slots, though that could not be said at once", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one", { hash: "old" });
    const other = await share(schema, "other", { hash: "old" });
    await until(
      () => one.slots().length + other.slots().length === 256 && one.slots().length < 150,
    );
    for (const { member, seat } of [one, other]) {
      vi.spyOn(member, "enter").mockResolvedValueOnce();
      seat.can.add("new");
    }
    await one.sharing.propose({ hash: "new", text: null });
    await until(() => one.seat.hash === "new" && other.seat.hash === "new");
    const left = async (): Promise<number> => {
      const { newest, slots } = await leasesOf(one);
      return slots.filter(({ decides }) => decides !== newest).length;
    };
    await eventually(async () => (await left()) === 0);
    expect(await left()).toBe(0);
  });

  it("hears once that all is decided by a configuration, when nothing waits for others any more", async () => {
    const schema = freshSchema();
    const one = await share(schema, "one");
    await until(() => one.slots().length === 256 && one.seat.settled === 1);
    const other = await share(schema, "other");
    await until(
      () => one.slots().length + other.slots().length === 256 && one.slots().length < 150,
    );
    // Who keeps it may be another one by now, which has heard so as well.
    const both = [one, other];
    const look = async (): Promise<void> => {
      for (const { sharing } of [...both, ...both]) await sharing.look();
    };
    const settled = (): number => one.seat.settled + other.seat.settled;
    await look();
    const before = settled();
    const [first = ""] = one.slots();
    one.seat.waiting.add(first);
    for (const { seat } of both) seat.can.add("new");
    await one.sharing.propose({ hash: "new", text: null });
    await until(() => one.seat.hash === "new" && other.seat.hash === "new");
    // Nobody has brought any to it by then.
    expect(one.seat.upThen + other.seat.upThen).toBe(0);
    const isUp = async (): Promise<readonly string[]> => {
      const { newest, slots } = await leasesOf(one);
      return slots.filter(({ config }) => config !== newest).map(({ name }) => name);
    };
    await eventually(async () => (await isUp()).length === 1);
    expect(await isUp()).toEqual([first]);
    await look();
    expect(settled()).toBe(before);
    one.seat.waiting.clear();
    await until(() => settled() > before);
    await look();
    expect(settled()).toBe(before + 1);
  });
});
