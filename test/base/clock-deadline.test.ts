import { describe, expect, it } from "vitest";
import { withDeadline } from "../../src/base/clock.ts";
import { collectGarbage } from "../support/garbage.ts";

/** Work that ends with its signal, as a request that hangs does. */
function hanging(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

describe("a deadline", () => {
  it("ends work that hangs, whatever is collected meanwhile", async () => {
    const collecting = setInterval(collectGarbage, 10);
    const { signal } = new AbortController();
    await expect(withDeadline(60, signal, hanging)).rejects.toMatchObject({ name: "TimeoutError" });
    clearInterval(collecting);
  });

  it("passes on what the caller breaks off, also before it begins", async () => {
    const outer = new AbortController();
    const work = withDeadline(60_000, outer.signal, hanging);
    outer.abort();
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
    const seen = await withDeadline(60_000, outer.signal, (signal) =>
      Promise.resolve(signal.aborted),
    );
    expect(seen).toBe(true);
  });

  it("settles as the work does, and leaves no timer and no listener behind", async () => {
    const { signal } = new AbortController();
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    expect(await withDeadline(60_000, signal, () => Promise.resolve(7))).toBe(7);
    await expect(
      withDeadline(60_000, signal, () => Promise.reject(new Error("no"))),
    ).rejects.toThrow("no");
    const after = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    expect(after).toBe(before);
  });
});
