import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFinds, openPage, RUNS, startBrowser, WHY } from "./support/browser.ts";
import { startPageDaemon } from "./support/daemon.ts";

const PAGES = [
  "/",
  "/alert?rule=tip-high&subject=gas%3A1",
  "/rule?name=my-range",
  "/find?q=tip",
  "/find?q=nothing-like-it",
  "/positions",
  "/gas",
  "/supply",
  "/channels",
  "/source",
  "/notices",
  "/audit",
  "/silence?rule=my-range",
  "/rule?name=none",
];

describe.skipIf(!RUNS)(`the page in a real browser ${RUNS ? "" : WHY}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it("is for everybody: axe finds nothing, light and dark, wide and narrow", async (test) => {
    const daemon = await startPageDaemon(test, "actions: true");
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1280, 360]) {
        const { page, faults, close } = await openPage(browser, daemon.origin, {
          colorScheme,
          viewport: { width, height: 900 },
          reducedMotion: "reduce",
        });
        for (const path of PAGES) {
          await page.goto(path);
          if (path.startsWith("/alert")) await page.locator("figure canvas").waitFor();
          const seen = await axeFinds(page);
          found.push(...seen.map((one) => `${path} ${colorScheme} ${width}: ${one}`));
        }
        // A page that is not there is an error in the console of Chromium.
        expect(faults.filter((one) => !one.includes("404"))).toEqual([]);
        await close();
      }
    }
    expect(found).toEqual([]);
  });

  it("does nothing that names ask for, and asks nobody else", async (test) => {
    const daemon = await startPageDaemon(test, "actions: true");
    const { page, faults, close } = await openPage(browser, daemon.origin);
    for (const path of [
      ...PAGES.slice(0, 12),
      `/rule?name=${encodeURIComponent("<script>alert(2)</script>")}`,
      `/find?q=${encodeURIComponent("<img src=x onerror=alert(3)>")}`,
    ]) {
      await page.goto(path);
      expect(await page.locator("main img, main script").count()).toBe(0);
    }
    await page.goto("/positions");
    expect(await page.locator("main").innerText()).toContain("<img src=x onerror=alert(1)>");
    expect(faults).toEqual([]);
    await close();
  });

  it("lets in who has the token, who may only look, and nobody else", async (test) => {
    const daemon = await startPageDaemon(
      test,
      'token: "${env:TOKEN}", read_only_token: "${env:WALL}"',
    );
    const { page, faults, close } = await openPage(browser, daemon.origin);
    await page.goto("/notices");
    await page.getByLabel("Token").fill("not-the-token-at-all");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await axeFinds(page)).toEqual([]);
    expect(await page.evaluate("getComputedStyle(document.querySelector('form')).display")).toBe(
      "grid",
    );
    await page.getByLabel("Token").fill(daemon.env.WALL ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Notices" }).waitFor();
    await page.goto("/");
    await page.locator(".alert").first().waitFor();
    expect(await page.locator(".alert button:not([disabled])").count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").fill(daemon.env.TOKEN ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page
      .locator(".alert.critical")
      .first()
      .getByRole("button", { name: /^Acknowledge/ })
      .click();
    await page.getByText("is on it since").first().waitFor();
    expect(page.url()).not.toContain(daemon.env.TOKEN);
    // A wrong token is a 401, which Chromium's console tells of.
    expect(faults.filter((one) => !one.includes("401"))).toEqual([]);
    await close();
  });
});
