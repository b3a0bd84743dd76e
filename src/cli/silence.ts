import { systemClock } from "../base/clock.ts";
import { openSilenceDesk } from "../store/sqlite/silence-desk.ts";
import { EXIT, type Io } from "./io.ts";
import { subjectCaller } from "./rule-argument.ts";
import { aboutSilence, addedPage, silenceJson, silencesPage, stateOf } from "./silence-page.ts";
import { planSilence, type SilenceRequest } from "./silence-request.ts";
import { withDesk } from "./with-desk.ts";

export interface SilenceOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

const forReading = (path: string) => openSilenceDesk(path, false);
const forWriting = (path: string) => openSilenceDesk(path, true);

/** `tickwatch silence add`: the exit code. Throws, as the two below, ConfigError and StoreError. */
export async function add(options: SilenceOptions & SilenceRequest, io: Io): Promise<number> {
  return await withDesk(options.config, io, forWriting, async (desk, configuration) => {
    const setup = await configuration.setup();
    const now = systemClock().now();
    const planned = planSilence(options, setup, (rule) => desk.labels(rule), now, io);
    if (planned === null) return EXIT.usage;
    const { silence, alerts } = planned;
    const made = { ...silence, id: desk.add(silence) };
    if (alerts === 0) io.err("warning: no alert matches it now; it is written down all the same\n");
    io.out(
      options.json === true
        ? `${JSON.stringify({ ...silenceJson(made, now), alerts })}\n`
        : `${addedPage(
            made,
            aboutSilence(made, subjectCaller(setup.rules, desk.labels(null))),
            alerts,
            now,
          )}\n`,
    );
    return EXIT.fine;
  });
}

/** `tickwatch silence list`: the exit code. */
export async function list(options: SilenceOptions, io: Io): Promise<number> {
  return await withDesk(options.config, io, forReading, async (desk, { setup }) => {
    const now = systemClock().now();
    const silences = desk
      .all()
      .filter((silence) => options.all === true || stateOf(silence, now) !== "ended");
    if (options.json === true) {
      const json = silences.map((silence) => silenceJson(silence, now));
      io.out(`${JSON.stringify({ silences: json })}\n`);
      return EXIT.fine;
    }
    // Only what is about subjects needs the names that the rules give them.
    const named = silences.some(({ subjects }) => subjects !== null);
    const nameOf = subjectCaller(named ? (await setup()).rules : [], desk.labels(null));
    io.out(`${silencesPage(silences, nameOf, now)}\n`);
    return EXIT.fine;
  });
}

/** `tickwatch silence expire`: the exit code. */
export async function expire(id: number, options: SilenceOptions, io: Io): Promise<number> {
  return await withDesk(options.config, io, forWriting, (desk) => {
    const known = desk.all().find((silence) => silence.id === id);
    if (known === undefined) {
      io.err(`tickwatch: there is no silence ${id}; \`tickwatch silence list\` shows the ids\n`);
      return EXIT.usage;
    }
    if (!desk.expire(id, systemClock().now())) {
      io.err(`tickwatch: silence ${id} has ended already\n`);
      return EXIT.found;
    }
    io.out(
      options.json === true
        ? `${JSON.stringify({ expired: id })}\n`
        : `silence ${id} has ended; what it held back and still fires is told within a minute\n`,
    );
    return EXIT.fine;
  });
}
