import { readFile, writeFile } from "node:fs/promises";
import { describe, it } from "vitest";
import { runTickwatch } from "../cli/test-command.ts";
import { makeAlertWorld } from "../support/alert-world.ts";
import { startHere, startProgram } from "../support/program.ts";
import { startTelegram } from "../support/telegram-server.ts";

describe.concurrent("a daemon with a Telegram chat that gives commands", () => {
  it("sends buttons, does what they say, and nothing twice when it is killed", async (test) => {
    const { expect } = test;
    const telegram = await startTelegram(test);
    const { place, tvl } = await makeAlertWorld(test);
    const text = await readFile(place.config, "utf8");
    const phone = `  phone: {kind: telegram, token: "\${env:BOT}", chat_id: "-100777", base_url: "${telegram.url}", commands: {users: [42]}}\n`;
    await writeFile(place.config, text.replace("channels:\n", `channels:\n${phone}`));
    const env = { ...place.env, BOT: telegram.token };
    const run = ["run", "--config", place.config];
    const first = startProgram(test, run, { env });
    tvl(800);
    const fired = await telegram.first(({ reply_markup }) => reply_markup !== undefined);
    const [ack, hour] = fired.reply_markup?.inline_keyboard[0] ?? [];
    telegram.press(ack?.callback_data ?? "");
    await telegram.first(({ text: one }) =>
      one.startsWith("acknowledged by anna (Telegram 42): tvl-low"),
    );
    telegram.press(hour?.callback_data ?? "");
    await telegram.first(({ text: one }) => one.startsWith("silenced for 1 h"));
    first.kill("SIGKILL");
    await first.ended;
    telegram.forgetful = true;
    const before = telegram.sent.length;
    const daemon = startHere(test, run, { env });
    await telegram.polls(2);
    expect(telegram.sent.slice(before)).toEqual([]);
    const status = await runTickwatch(["status", "--config", place.config], { env });
    expect(status.out).toContain("acknowledged by anna (Telegram 42)");
    expect(status.out).toContain("1 silence in force");
    expect(first.err() + first.out() + daemon.err() + daemon.out()).not.toContain(
      telegram.token.split(":")[1],
    );
    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});
