import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/**
 * `npm run screenshot`: the picture of the page in the README, of the demo's own data. It waits until the demo has
 * something to show: alerts that fire, one of them critical, and a past to draw.
 */

const PICTURE = fileURLToPath(new URL("../../../docs/page.png", import.meta.url));
const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const SIZE = { width: 1_120, height: 720 };
const LEAST_FIRING = 4;
const LONGEST_MS = 180_000;

interface Counts {
  readonly firing: number;
  readonly firing_by: { readonly critical: number };
}

const demo = spawn(process.execPath, [MAIN, "demo", "--for", `${LONGEST_MS / 1_000}s`], {
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const origin = await addressIn(demo.stdout);
  await untilMuchFires(origin);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light", timezoneId: "UTC" });
  await page.goto(origin);
  await page.locator("#live", { hasText: "live" }).waitFor();
  await page.screenshot({ path: PICTURE });
  console.log(`written: ${PICTURE}`);
} finally {
  await browser.close();
  demo.kill("SIGTERM");
}

async function addressIn(out: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(out)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address !== undefined) {
      out.resume();
      return address;
    }
  }
  throw new Error("the demo ended without an address");
}

async function untilMuchFires(origin: string): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (performance.now() < end) {
    const answer = await fetch(`${origin}/api/v1/overview`).catch(() => null);
    const body = answer?.ok === true ? ((await answer.json()) as { counts: Counts }) : null;
    if (body !== null && body.counts.firing >= LEAST_FIRING && body.counts.firing_by.critical > 0) {
      return;
    }
    await pause(500);
  }
  throw new Error(`fewer than ${LEAST_FIRING} alerts fire, or none that is critical`);
}
