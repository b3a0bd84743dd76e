import type { TestContext } from "vitest";
import type { Notice } from "../../src/model/index.ts";
import type { SpoiltCase } from "./spoilt-cases.ts";
import { differences, type Life, type LifeOptions, live } from "./spoilt-run.ts";

/** The notices by what they are about, as their kinds in order. */
function storiesOf(told: readonly Notice[]): Map<string, string> {
  const stories = new Map<string, string>();
  for (const { subject, kind } of told) {
    const key = subject ?? "";
    stories.set(key, `${stories.get(key) ?? ""} ${kind}`.trim());
  }
  return stories;
}

/** Endpoints that are asked while the fault lasts. */
function askedOf({ journal, spoilt }: Life): readonly string[] {
  const asked = journal.arrivals.filter(({ at }) => spoilt.has(at));
  return [...new Set(asked.map(({ endpoint }) => endpoint ?? ""))].toSorted();
}

/** Runs a life with the fault, and holds it against the good one, watch kind by watch kind. */
export async function spoiltLife(
  { spoil, effect, sources, down, during, unordered = false }: SpoiltCase,
  good: Life,
  { expect }: TestContext,
  limits: Pick<LifeOptions, "silent" | "concurrency" | "otherwise"> = {},
): Promise<Life> {
  const life = await live({ spoil, ...limits, ...(during === undefined ? {} : { during }) });
  // Other subjects are right; nothing is told falsely or twice; nothing is lost.
  expect(Object.fromEntries(differences(life, good, effect, unordered))).toEqual({});
  const ids = life.told.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);

  // What is down is told as one, and is over as one; the watch kind `source` tells of each endpoint.
  const own = storiesOf(life.told.filter(({ kind }) => kind.startsWith("source_")));
  const parts = sources?.map((part) => [part, "source_down source_up"]) ?? [];
  expect(Object.fromEntries(own)).toEqual(Object.fromEntries(parts));
  const endpoints = storiesOf(
    life.told.filter(({ rule, kind }) => rule === "source-down" && kind !== "started"),
  );
  const fell = askedOf(good).map((endpoint) => [`source:${endpoint}`, "fired resolved"]);
  // Another family that is tried meanwhile fails as well; when that is over is a matter of real time, and
  // tested with the health of endpoints.
  for (const endpoint of ["source:legacy_holders", "source:holders"]) {
    if (!fell.some(([name]) => name === endpoint)) endpoints.delete(endpoint);
  }
  expect(Object.fromEntries(endpoints)).toEqual(down === "all" ? Object.fromEntries(fell) : {});
  return life;
}
