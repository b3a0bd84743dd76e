import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "vitest";
import { makeAlertWorld } from "../support/alert-world.ts";
import { type Reply, sendJson } from "../support/scripted-service.ts";

const KEY = "twk_Live/aB3+dE6=gH9 jK2&mN5";
const SLACK_PATH = "/services/T0TEAMX/B0HOOKY/Zx9SecretTailQ";

/** Every way in which a careless program would write a secret. */
function formsOf(secret: string): string[] {
  const url = encodeURIComponent(secret);
  const plain = [secret, url, encodeURI(secret), JSON.stringify(secret).slice(1, -1)];
  const shifted = ["", "x", "xx"].map((before) =>
    // The middle of its base64, wherever in a longer text it starts.
    Buffer.from(before + secret)
      .toString("base64")
      .slice(4, -4),
  );
  const hex = Buffer.from(secret).toString("hex");
  const all = [...plain, ...shifted, hex];
  return [
    ...new Set(
      all.flatMap((form) => [form, form.toLowerCase(), form.toUpperCase(), swapped(form)]),
    ),
  ];
}

function swapped(text: string): string {
  return text.replace(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

describe("a run at log level trace in which everything fails", () => {
  it("shows the API key and the webhook's path nowhere", async (test) => {
    const { expect } = test;
    const { place, service, slack, tvl } = await makeAlertWorld(test, {
      key: KEY,
      level: "trace",
      timeout: "1s",
      slackPath: SLACK_PATH,
    });
    const daemon = place.runHere();
    await slack.first(() => true);
    expect(slack.received[0]?.path).toBe(SLACK_PATH);
    expect(service.asked[0]?.key).toBe(KEY);

    const echoes = (status: number): Reply => {
      const forms = [KEY, KEY.toLowerCase(), KEY.toUpperCase(), encodeURIComponent(KEY)];
      const text = `no such key: ${forms.join(", ")}`;
      return (response) => sendJson(response, status, { error: text });
    };
    const failures: Reply[] = [
      echoes(500),
      echoes(200),
      (response) => response.end(`<html><b>${KEY}</b>`),
      () => {},
      (response) => response.destroy(),
      // Last: a key that is refused is left in peace for a minute.
      echoes(401),
    ];
    // Passing trouble first: after a refusal the channel is left alone for minutes.
    const statuses = [500, 429];
    slack.answer((response) => {
      const status = statuses.shift() ?? 404;
      response.writeHead(status, { location: SLACK_PATH, "retry-after": "0" });
      response.end(`no_service ${KEY} ${SLACK_PATH}`);
    });
    tvl(800);
    await daemon.logLine(
      ({ channel, msg }) => channel === "slack" && msg.includes("will be retried"),
    );
    for (const failure of failures) {
      service.answer(({ endpoint }) => (endpoint === "verify" ? null : failure));
      await service.requests(1, ({ endpoint }) => endpoint === "pool");
    }
    await daemon.logLine(({ msg }) => msg.includes("is rejecting messages"));
    await daemon.logLine(({ reason }) => reason === "unauthorized");

    const written: Buffer[] = [];
    for (const name of await readdir(place.folder)) {
      if (name.startsWith("tickwatch.db")) written.push(await readFile(join(place.folder, name)));
    }
    expect(existsSync(`${place.database}-wal`)).toBe(true);
    daemon.kill("SIGTERM");
    const end = await daemon.ended;
    expect(end.code).toBe(0);
    written.push(await readFile(place.database));
    const bodies = slack.received.map(({ body }) => body).join("\n");
    const places = {
      out: end.out,
      err: end.err,
      database: Buffer.concat(written).toString("latin1"),
      slack: bodies,
    };
    for (const [name, text] of Object.entries(places)) {
      expect(text.length, name).toBeGreaterThan(100);
      const forms = [KEY, SLACK_PATH, "B0HOOKY", "Zx9SecretTailQ"].flatMap(formsOf);
      const found = forms.filter((form) => text.includes(form));
      expect(found, name).toEqual([]);
    }
  });
});
