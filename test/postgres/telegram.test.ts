import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, it } from "vitest";
import { makeAlertWorld } from "../support/alert-world.ts";
import { type LogLine, type Owner, type Program, startProgram } from "../support/program.ts";
import { startTelegram, type TelegramServer } from "../support/telegram-server.ts";
import { until } from "../support/until.ts";
import { freshSchema } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

/** The lease of the chat's channel, as the log names it. */
const LEASE = "channel:phone";
const PART = "this daemon's part of the work";

interface Reader {
  readonly program: Program;
  /** Its own way to the same bot. */
  readonly telegram: TelegramServer;
}

describeWhole("a chat that gives commands to several daemons", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  /** Two daemons that share the work, the one that delivers to the chat first. Both bots are told the same. */
  async function makeWorld(owner: Owner) {
    const { place, tvl } = await makeAlertWorld(owner);
    const schema = freshSchema();
    const env = { ...place.env, DATABASE_URL: server.url(schema) };
    const text = await readFile(place.config, "utf8");
    const configOf = (name: string): string => join(place.folder, `${name}.yaml`);
    const start = async (name: string): Promise<Reader> => {
      const telegram = await startTelegram(owner);
      const phone = `  phone: {kind: telegram, token: "\${env:BOT}", chat_id: "-100777", base_url: "${telegram.url}", commands: {users: [42]}}\n`;
      const store = `store: "\${env:DATABASE_URL}"\ncluster: {name: ${name}}`;
      await writeFile(
        configOf(name),
        text.replace("channels:\n", `channels:\n${phone}`).replace(/^store: .*$/m, store),
      );
      const program = startProgram(owner, ["run", "--config", configOf(name)], {
        env: { ...env, BOT: telegram.token },
      });
      await program.logLine(({ msg }) => msg === "watching");
      return { program, telegram };
    };
    const one = await start("one");
    await one.program.logLine(hasAll);
    const other = await start("other");
    const slotsOf = ({ program }: Reader): number => Number(partOf(program)?.slots ?? 0);
    const has = ({ program }: Reader): boolean => holds(partOf(program));
    const isShared = async (): Promise<boolean> =>
      [one, other].every((each) => slotsOf(each) > 0 && slotsOf(each) < 256) &&
      slotsOf(one) + slotsOf(other) === 256 &&
      has(one) !== has(other);
    await until(isShared, () => JSON.stringify([partOf(one.program), partOf(other.program)]));
    const [reader, idle] = has(one) ? [one, other] : [other, one];
    const write = (said: string): void => {
      for (const { telegram } of [one, other]) telegram.write(said);
    };
    return { reader, idle, write, tvl };
  }

  it("is read by the one that delivers to it, and by another one once that is killed", async (test) => {
    const { expect } = test;
    const { reader, idle, write, tvl } = await makeWorld(test);
    tvl(800);
    await reader.telegram.first(({ reply_markup }) => reply_markup !== undefined);
    const asked = idle.telegram.offsets.length;
    write("/ack tvl-low");
    await reader.telegram.first(({ text }) => text.startsWith("acknowledged by anna"));
    await reader.telegram.polls(2);
    // The reason is in what is recorded, by whichever of them.
    write("/why tvl-low");
    await reader.telegram.first(({ text }) => /because .*TVL was \$800, below \$900/.test(text));
    expect(idle.telegram.offsets).toHaveLength(asked);
    expect(idle.telegram.sent.filter(isAnswer)).toEqual([]);
    reader.program.kill("SIGKILL");
    await idle.program.logLine((line) => line.msg === PART && holds(line));
    write("/firing");
    await idle.telegram.first((one) => isAnswer(one) && one.text.includes("tvl-low"));
    // What the other one did is not done again, though the bot gives it again.
    expect(idle.telegram.sent.filter(isAnswer)).toHaveLength(1);
    idle.program.kill("SIGTERM");
    expect((await idle.program.ended).code).toBe(0);
  });

  it("is not read by one that stood still and wakes", async (test) => {
    const { expect } = test;
    const { reader, idle, write, tvl } = await makeWorld(test);
    tvl(800);
    await reader.telegram.first(({ reply_markup }) => reply_markup !== undefined);
    reader.program.kill("SIGSTOP");
    await idle.program.logLine((line) => line.msg === PART && holds(line));
    write("/silence tvl-low 8h");
    await idle.telegram.first(({ text }) => text.startsWith("silenced for 8 h"));
    reader.program.kill("SIGCONT");
    await reader.program.logLine(({ msg }) => msg.startsWith("this daemon watches nothing until"));
    // It has joined the others again, and was given its part by them.
    await reader.program.logLine(
      ({ msg, time }) => msg === PART && String(time) > wakingOf(reader.program),
    );
    expect(reader.telegram.sent.filter(isAnswer)).toEqual([]);
  });
});

/** What it said last of its part. */
function partOf(program: Program): LogLine | undefined {
  return program.log().findLast(({ msg }) => msg === PART);
}

function hasAll({ msg, slots }: LogLine): boolean {
  return msg === PART && slots === 256;
}

function holds(line: LogLine | undefined): boolean {
  return Array.isArray(line?.also) && line.also.includes(LEASE);
}

/** When a daemon has found that it stood still. */
function wakingOf(program: Program): string {
  const found = program.log().find(({ msg }) => msg.startsWith("this daemon watches nothing"));
  return String(found?.time);
}

function isAnswer({ reply_parameters }: TelegramServer["sent"][number]): boolean {
  return reply_parameters !== undefined;
}
