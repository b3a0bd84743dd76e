import { describe, expect, it } from "vitest";
import { atOnce, inTurns, type Steps } from "../../src/base/turns.ts";

/** Takes ten steps that hold the event loop for longer than one piece of work may. */
function* work(): Steps<string> {
  for (let step = 0; step < 10; step += 1) {
    const until = performance.now() + 6;
    while (performance.now() < until);
    yield;
  }
  return "done";
}

function* broken(): Steps<string> {
  yield;
  throw new Error("a step failed");
}

describe("a long piece of work", () => {
  it("lets others go on between its steps, and comes to the same as at once", async () => {
    let others = 0;
    let isOver = false;
    const go = (): void => {
      others += 1;
      if (!isOver) setImmediate(go);
    };
    setImmediate(go);
    expect(await inTurns(work())).toBe("done");
    isOver = true;
    expect(others).toBeGreaterThanOrEqual(9);
    expect(atOnce(work())).toBe("done");
  });

  it("fails as its steps do", async () => {
    await expect(inTurns(broken())).rejects.toThrow("a step failed");
    expect(() => atOnce(broken())).toThrow("a step failed");
  });
});
