import type { TestContext } from "vitest";
import type { Notice } from "../../src/model.ts";
import type { SpoiltCase } from "./spoilt-cases.ts";
import { differences, type Life, type LifeOptions, live } from "./spoilt-run.ts";

/** The notices by what they are about, as their kinds in order. */
function storiesOf(told: readonly Notice[]): ReadonlyMap<string, string> {
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
  limits: Pick<LifeOptions, "timeoutMs" | "concurrency"> = { timeoutMs: 3_000 },
): Promise<Life> {
  const life = await live({ spoil, ...limits, ...(during === undefined ? {} : { during }) });
  // Other subjects are right; nothing is told falsely or twice; nothing is lost.
  expect(Object.fromEntries(differences(life, good, effect, unordered))).toEqual({});
  const ids = life.told.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);

  // The sources are told once each, by notice and by the watch kind `source`.
  const own = storiesOf(life.told.filter(({ kind }) => kind.startsWith("source_")));
  expect([...new Set(own.values())]).toEqual(
    sources === undefined ? [] : ["source_down source_up"],
  );
  if (sources === "all") expect(own.size).toBeGreaterThanOrEqual(16);
  const endpoints = storiesOf(
    life.told.filter(({ rule, kind }) => rule === "source-down" && kind !== "started"),
  );
  const fell = askedOf(good).map((endpoint) => [`source:${endpoint}`, "fired resolved"]);
  expect(Object.fromEntries(endpoints)).toEqual(down === "all" ? Object.fromEntries(fell) : {});
  return life;
}
