import { systemClock } from "../base/clock.ts";
import { openSilenceDesk } from "../store/operator-db/silence-desk.ts";
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
    const { silences, alerts } = planned;
    const made = silences.map((silence) => ({ ...silence, id: desk.add(silence) }));
    if (alerts === 0) io.err("warning: no alert matches it now; it is written down all the same\n");
    const [only] = made;
    if (options.json === true) {
      const json = made.map((one) => silenceJson(one, now));
      const said = json.length === 1 ? { ...json[0], alerts } : { silences: json, alerts };
      io.out(`${JSON.stringify(said)}\n`);
    } else if (only !== undefined) {
      const nameOf = subjectCaller(setup.rules, desk.labels(null));
      io.out(`${addedPage(made, (one) => aboutSilence(one, nameOf), alerts, now)}\n`);
    }
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
export async function expire(
  ids: readonly number[],
  options: SilenceOptions,
  io: Io,
): Promise<number> {
  return await withDesk(options.config, io, forWriting, (desk) => {
    const known = new Set(desk.all().map(({ id }) => id));
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined) {
      io.err(
        `tickwatch: there is no silence ${unknown}; \`tickwatch silence list\` shows the ids\n`,
      );
      return EXIT.usage;
    }
    const now = systemClock().now();
    const ended = ids.filter((id) => desk.expire(id, now));
    for (const id of ids) {
      if (!ended.includes(id)) io.err(`tickwatch: silence ${id} has ended already\n`);
    }
    if (options.json === true) {
      if (ended.length > 0) {
        io.out(`${JSON.stringify({ expired: ended.length === 1 ? ended[0] : ended })}\n`);
      }
    } else {
      for (const id of ended) {
        io.out(
          `silence ${id} has ended; what it held back and still fires is told within a minute\n`,
        );
      }
    }
    return ended.length === ids.length ? EXIT.fine : EXIT.found;
  });
}
