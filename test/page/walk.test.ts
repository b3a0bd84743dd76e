import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { startProgram } from "../support/program.ts";
import { openPage, RUNS, sideways, startBrowser, WHY } from "./support/browser.ts";
import { type PageDaemon, startPageDaemon } from "./support/daemon.ts";

const OPEN = "actions: true";
const TIP = "/alert?rule=tip-high&subject=gas%3A1";

describe.skipIf(!RUNS)(`a person at the page ${RUNS ? "" : WHY}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  /** What another program than the page says of the daemon. */
  async function command(
    test: TestContext,
    daemon: PageDaemon,
    ...args: string[]
  ): Promise<string> {
    const all = [...args, "--config", daemon.config];
    return (await startProgram(test, all, { env: daemon.env }).ended).out;
  }

  it("finds what fires, sees why, acknowledges, silences, ends that and retries a dead letter", async (test) => {
    const daemon = await startPageDaemon(test, OPEN, (response) => {
      response.statusCode = 400;
      response.end("no_text");
    });
    const { page, faults, close } = await openPage(browser, daemon.origin);
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: /firing/ }).waitFor();
    await page.locator(".alert.critical .say a").first().click();

    // Why: the value, the limit, the chart, and what happened.
    await page.getByRole("heading", { level: 1, name: /tip/i }).waitFor();
    expect(await page.locator(".why").innerText()).toMatch(/above 0\.01 gwei/);
    await page.locator("figure canvas").waitFor();
    await page
      .getByText(/^Told: /)
      .first()
      .waitFor();
    await page.getByText("no_text").first().waitFor();

    await page.getByLabel(/What you do about it/).fill("looking at it");
    await page.getByLabel(/Your name/).fill("anna");
    await page.getByRole("button", { name: /with a comment/ }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /acknowledged/i })
      .waitFor();
    await page
      .getByText(/by anna/)
      .first()
      .waitFor();
    await expect
      .poll(async () => await daemon.ask(TIP.replace("/alert", "/alert")))
      .toMatchObject({
        alert: { ack: { by: "anna", comment: "looking at it" } },
      });
    expect(await command(test, daemon, "status", "--json")).toContain('"anna"');

    await page.locator(".title summary").click();
    await page.locator(".title").getByLabel("Reason").fill("moving it");
    await page.locator(".title").getByRole("button", { name: "1 h" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /silence/i })
      .waitFor();
    await expect
      .poll(async () => await daemon.ask("/silences"))
      .toMatchObject({
        silences: [{ rule: "tip-high", comment: "moving it", state: "active" }],
      });
    expect(await command(test, daemon, "silence", "list")).toContain("moving it");

    await page.goto("/");
    await page
      .locator("#held")
      .getByRole("button", { name: /End silence/ })
      .click();
    await page
      .getByRole("status")
      .filter({ hasText: /silence/i })
      .waitFor();
    await expect.poll(async () => await daemon.ask("/silences")).toEqual({ silences: [] });

    await page.goto("/channels");
    const dead = page.locator("#dead .row");
    await dead.first().getByText("no_text").waitFor();
    daemon.slack.answer((response) => {
      response.end("ok");
    });
    const again = daemon.slack.next();
    await dead.first().getByRole("button", { name: /Retry/ }).click();
    await page.locator(".did[role=status]:not(#lost)").waitFor();
    expect((await again).body).toContain("tip");
    await expect
      .poll(async () => await daemon.ask("/outbox?state=dead"))
      .toMatchObject({ total: 0 });

    await page.goto("/audit");
    const done = await page.locator("main").innerText();
    for (const word of ["ack", "silence", "anna"]) expect(done).toContain(word);
    expect(faults).toEqual([]);
    await close();
  });

  it("does the same without a script, and takes it back", async (test) => {
    const daemon = await startPageDaemon(test, OPEN);
    const { page, faults, close } = await openPage(browser, daemon.origin, {
      javaScriptEnabled: false,
    });
    await page.goto("/");
    expect(await page.locator("#zone").innerText()).toBe("Times are in UTC.");
    const row = page.locator(".alert.critical").first();
    await row.getByRole("button", { name: /^Acknowledge/ }).click();
    await page.getByText("is on it since").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => await daemon.ask(TIP)).toMatchObject({ alert: { ack: null } });

    await page.goto("/silence?rule=tip-high&subject=gas%3A1");
    await page.getByRole("radio", { name: /All of tip-high/ }).check();
    await page.getByRole("radio", { name: /Until tomorrow/ }).check();
    await page.getByLabel("Reason").fill("maintenance");
    await page.getByRole("button", { name: "Silence", exact: true }).click();
    await page.locator(".did[role=status]:not(#lost)").waitFor();
    const { silences } = (await daemon.ask("/silences")) as { silences: { ends_at: string }[] };
    expect(silences).toMatchObject([{ rule: "tip-high", comment: "maintenance" }]);
    expect(silences[0]?.ends_at).toMatch(/T08:00:00\.000Z$/);
    await page
      .locator("#silences")
      .getByRole("button", { name: /End silence/ })
      .click();
    await expect.poll(async () => await daemon.ask("/silences")).toEqual({ silences: [] });
    expect(faults).toEqual([]);
    await close();
  });

  it("looks closer at a chart: by a mouse, by keys and back, with finer steps of that time", async (test) => {
    const daemon = await startPageDaemon(test, OPEN);
    const { page, faults, close } = await openPage(browser, daemon.origin);
    // There is a line once two values are kept: a page that is loaded from then on draws it.
    const subject = "v4_position%3A1%3Adexa%3A91777";
    await expect
      .poll(async () => {
        const from = new Date(Date.now() - 3_600_000).toISOString();
        const samples = await daemon.ask(
          `/samples?subject=${subject}&metric=current_tick&points=1000&from=${from}`,
        );
        const { points } = samples as { points?: readonly unknown[] };
        return points?.length ?? 0;
      })
      .toBeGreaterThanOrEqual(2);
    await page.goto(`/alert?rule=my-range&subject=${subject}&span=1h`);
    const chart = page.locator("figure .u-over");
    await chart.waitFor();
    const zoomedTo = async (act: () => Promise<void>): Promise<number> => {
      const asked = page.waitForRequest((request) => {
        const query = new URL(request.url()).searchParams;
        const [from, to] = [query.get("from"), query.get("to")];
        return request.url().includes("/api/v1/samples") && span(from, to) < 3_599_000;
      });
      await act();
      const query = new URL((await asked).url()).searchParams;
      return span(query.get("from"), query.get("to"));
    };
    const span = (from: string | null, to: string | null): number =>
      Date.parse(to ?? "") - Date.parse(from ?? "");
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart cannot be seen");
    const dragged = await zoomedTo(async () => {
      await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.95, box.y + 60, { steps: 5 });
      await page.mouse.up();
    });
    expect(dragged / 3_600_000).toBeCloseTo(0.45, 1);
    const closer = await zoomedTo(async () => {
      await page.getByRole("button", { name: "Zoom in" }).focus();
      await page.keyboard.press("Enter");
    });
    expect(closer / dragged).toBeCloseTo(0.5, 1);
    await page.getByRole("button", { name: "All of the time" }).click();
    expect(faults).toEqual([]);
    await close();
  });

  it("does it by keyboard alone", async (test) => {
    const daemon = await startPageDaemon(test, OPEN);
    const { page, faults, close } = await openPage(browser, daemon.origin);
    await page.goto("/");
    await page.locator(".alert.critical").first().waitFor();
    await page.keyboard.press("j");
    expect(await page.locator(".alert.chosen").count()).toBe(1);
    await page.keyboard.press("a");
    await page.getByText("is on it since").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("s");
    await page.keyboard.type("by hand");
    expect(await page.locator("details.pop[open] input[name=comment]").inputValue()).toBe(
      "by hand",
    );
    await page.keyboard.press("Escape");
    expect(await page.locator("details.pop[open]").count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("tip-high");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /tip-high/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator(".why").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it("reads it on a phone", async (test) => {
    const daemon = await startPageDaemon(test, OPEN);
    for (const width of [320, 360, 768, 1920]) {
      const { page, faults, close } = await openPage(browser, daemon.origin, {
        viewport: { width, height: 800 },
        hasTouch: width < 500,
      });
      for (const path of [
        "/",
        TIP,
        "/rule?name=my-range",
        "/positions",
        "/gas",
        "/supply",
        "/channels",
        "/source",
        "/notices",
        "/audit",
        "/silence",
      ]) {
        await page.goto(path);
        expect([path, width, await sideways(page)]).toEqual([path, width, 0]);
      }
      if (width === 360) {
        await page.goto("/");
        await page
          .locator(".alert")
          .first()
          .getByRole("button", { name: /^Acknowledge/ })
          .tap();
        await page.getByText("is on it since").first().waitFor();
      }
      expect(faults).toEqual([]);
      await close();
    }
  });

  it("sees what changes, and that the daemon is gone and back", async (test) => {
    const daemon = await startPageDaemon(test, OPEN);
    const { page, close } = await openPage(browser, daemon.origin);
    await page.goto("/");
    await page.locator("#live", { hasText: "live" }).waitFor();
    const row = page.locator(".alert.critical").first();
    await row.waitFor();
    expect(await row.locator(".by").count()).toBe(0);
    await page.evaluate(() => {
      (globalThis as unknown as { kept: boolean }).kept = true;
    });
    // Somebody else acknowledges it.
    await command(test, daemon, "ack", "tip-high", "--by", "ben");
    await row.getByText("is on it since").waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as { kept?: boolean }).kept)).toBe(
      true,
    );
    daemon.program.kill("SIGTERM");
    await daemon.program.ended;
    await page.locator("#lost", { hasText: "Connection lost" }).waitFor();
    await daemon.start();
    await page.locator("#lost").waitFor({ state: "hidden" });
    await page.locator("#live", { hasText: "live" }).waitFor();
    await close();
  });
});
