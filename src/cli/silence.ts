import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { openSilenceDesk } from "../store/sqlite/silence-desk.ts";
import { durationArgument, wholeArgument } from "./arguments.ts";
import { EXIT, type Io } from "./io.ts";
import { subjectCaller } from "./rule-argument.ts";
import { CONFIG_OPTION } from "./setup.ts";
import { aboutSilence, addedPage, silenceJson, silencesPage, stateOf } from "./silence-page.ts";
import {
  labelArgument,
  planSilence,
  type SilenceRequest,
  timeArgument,
} from "./silence-request.ts";
import { withDesk } from "./with-desk.ts";

interface Options {
  readonly config: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

const forReading = (path: string) => openSilenceDesk(path, false);
const forWriting = (path: string) => openSilenceDesk(path, true);

const JSON_OPTION = ["--json", "for programs"] as const;

export function silenceCommand(io: Io, finish: (code: number) => void): Command {
  const command = new Command("silence")
    .description("hold back what some alerts have to tell, for a time; see docs/silences.md")
    .addHelpText(
      "after",
      "\nExample:\n  tickwatch silence add --rule my-range --for 2h --comment rebalancing\n",
    );
  command
    .command("add")
    .description("begin a silence: it is about the alerts that match all that is given")
    .option("--rule <name>", "alerts of this rule")
    .option("--subject <name>", "alerts on it, by name, id, key or chain; may be repeated", more)
    .option("--label <name=value>", "rules with this label; may be repeated", labelArgument)
    .option("--for <duration>", "so long", durationArgument)
    .option("--until <time>", "until then", timeArgument)
    .option("--from <time>", "not before then", timeArgument)
    .option("--by <name>", "who wants it; your user's name unless told otherwise")
    .option("--comment <text>", "why")
    .option("--force", "even for more than 30 days")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nWhat still fires when it ends is told then, and what came and went never.\nIt works beside a running daemon, which minds it from the next notice on, and without one.\n\nExample:\n  tickwatch silence add --subject Treasury --label team=lp --until 2026-11-28T18:00Z\n",
    )
    .action(async (options: Options & SilenceRequest) => finish(await add(options, io)));
  command
    .command("list")
    .description("the silences that are in force or planned")
    .option("--all", "those that have ended, too")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch silence list --all\n")
    .action(async (options: Options) => finish(await list(options, io)));
  command
    .command("expire")
    .argument("<id>", "as `silence list` shows it", wholeArgument)
    .description("end a silence now: what it held back and still fires is told within a minute")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  tickwatch silence expire 3\n")
    .action(async (id: number, options: Options) => finish(await expire(id, options, io)));
  return command;
}

function more(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

async function add(options: Options & SilenceRequest, io: Io): Promise<number> {
  return await withDesk(options.config, io, forWriting, (desk, setup) => {
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

async function list(options: Options, io: Io): Promise<number> {
  return await withDesk(options.config, io, forReading, (desk, { rules }) => {
    const now = systemClock().now();
    const silences = desk
      .all()
      .filter((silence) => options.all === true || stateOf(silence, now) !== "ended");
    const nameOf = subjectCaller(rules, desk.labels(null));
    io.out(
      options.json === true
        ? `${JSON.stringify({ silences: silences.map((silence) => silenceJson(silence, now)) })}\n`
        : `${silencesPage(silences, nameOf, now)}\n`,
    );
    return EXIT.fine;
  });
}

async function expire(id: number, options: Options, io: Io): Promise<number> {
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
