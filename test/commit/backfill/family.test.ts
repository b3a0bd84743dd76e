import { afterEach, describe, expect, it } from "vitest";
import type { Source } from "../../../src/fetch/source.ts";
import type { Family } from "../../../src/model/index.ts";
import { closeAll, sourceAt } from "../../fetch/families.ts";
import { Service, selfLines, TREASURY, tell, watch } from "../../support/two-families.ts";
import { failed, MINUTE, ok, START, World } from "../../support/world.ts";

afterEach(closeAll);

describe("a balance that two families can answer", () => {
  /** A rule that looks back, whose past each family tells in its own way. */
  async function lookingBack(
    service: Service,
    past: (family: Family) => Promise<boolean>,
    isSilent: () => boolean = () => false,
  ): Promise<World> {
    const { url } = await service.open();
    const [baseUrl, legacyBaseUrl] = [`${url}/a`, `${url}/b`];
    const source = sourceAt(baseUrl, legacyBaseUrl, { retryMs: 1 });
    const day = (ago: number): string => new Date(START - ago * 24 * 60 * MINUTE).toISOString();
    const fetch: Source["fetch"] = async (request, signal, round) => {
      if (request.record !== "balance_point" && isSilent()) return request.asks.map(() => failed);
      if (request.record !== "balance_point") return source.fetch(request, signal, round);
      const { family = "current" } = request;
      const isTold = await past(family);
      const balance = family === "current" ? "5200000000000" : "3900000000000";
      const points = [5, 4, 3, 2, 1].map((ago) => ({ date: day(ago).slice(0, 10), balance }));
      return request.asks.map(() => (isTold ? ok(...points) : failed));
    };
    return await World.create(
      `rules:\n  - {name: moved, watch: ${watch([TREASURY])}, when: {metric: balance, moves: 10%, within: 2d}, notify: [slack]}\n`,
      { source: { ...source, fetch }, service: { baseUrl, legacyBaseUrl }, backfill: true },
    );
  }

  it("is not given the past of the family that it has left, however late that comes", async () => {
    const service = new Service();
    const asked: Family[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await lookingBack(service, async (family) => {
      asked.push(family);
      if (family === "current") await held;
      return true;
    });
    await world.minutes(3);
    expect(asked).toEqual(["current"]);
    service.balances.current = () => null;
    await world.minutes(15);
    expect(selfLines(world)).toHaveLength(1);
    release();
    await world.rounds.backfilled();
    await world.minutes(5);
    await world.rounds.backfilled();
    expect(tell(world)).toEqual([]);
    expect(asked).toEqual(["current", "earlier"]);
    // What was usual is known there as well.
    service.balances.earlier = () => 4_500_000;
    await world.minutes(2);
    expect(tell(world).map((line) => line.replace(/^\S+ /, ""))).toEqual(["fired moved"]);
    await world.stop();
  });

  it("is not given the past of a family that was only tried", async () => {
    const service = new Service();
    let isSilent = false;
    const world = await lookingBack(
      service,
      (family) => Promise.resolve(family === "earlier"),
      () => isSilent,
    );
    await world.minutes(3);
    isSilent = true;
    for (let minute = 0; minute < 40; minute += 1) {
      await world.minutes(1);
      await world.rounds.backfilled();
    }
    isSilent = false;
    service.balances.earlier = () => null;
    await world.minutes(40);
    const kinds = tell(world).map((line) => line.split(" ")[1]);
    expect(kinds).toEqual(["source_down", "source_up"]);
    await world.stop();
  });
});
