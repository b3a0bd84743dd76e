import { LineRedactor } from "../../base/log.ts";
import { countOf } from "../../base/text.ts";
import { ConfigError } from "../../config/files/text-file.ts";
import { loadStorePlace } from "../../config/settings/read-config.ts";
import type { Setup } from "../../model/index.ts";
import { EXIT, type Io } from "../io.ts";
import { print } from "../report.ts";
import { readSetup, secretsOf } from "../setup.ts";
import { lookAtChannels, lookAtService } from "./connections.ts";
import { type Finding, failed, fine } from "./finding.ts";
import { lookAtDatabase, lookAtProgram, lookAtServer } from "./machine.ts";

export interface DoctorOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly offline?: boolean;
}

/**
 * `tickwatch doctor`: looks at all that support would ask for, sends and changes nothing, and prints it without a
 * secret. The exit code is the one that the first failure stands for, of configuration, database and the rest.
 */
export async function doctor(options: DoctorOptions, version: string, io: Io): Promise<number> {
  const found: Finding[] = [...(await lookAtProgram(version))];
  const setup = await lookAtConfiguration(options.config, io, found);
  const store = setup?.store ?? (await loadStorePlace(options.config, io.env).catch(() => null));
  if (typeof store === "string") found.push(...(await lookAtDatabase(store)));
  else if (store !== null) found.push(...(await lookAtServer(store)));
  if (setup !== null && options.offline !== true) {
    found.push(...(await lookAtService(setup, io)), ...(await lookAtChannels(setup, io)));
  }
  const redactor = new LineRedactor(setup === null ? [] : secretsOf(setup));
  const clean = found.map((one) => ({ ...one, says: redactor.cleanWords(one.says) }));
  print(options, io, {
    value: () => ({
      ok: clean.every(({ state }) => state !== "failed"),
      checks: clean.map(({ what, state, says }) => ({ what, state, says })),
    }),
    page: () => page(clean),
  });
  return codeOf(clean);
}

async function lookAtConfiguration(
  config: string,
  io: Io,
  found: Finding[],
): Promise<Setup | null> {
  try {
    const { setup, warnings } = await readSetup(config, io);
    const counts = `${countOf(setup.rules.length, "rule")}, ${countOf(setup.channels.length, "channel")}`;
    const more =
      warnings.length === 0 ? "" : `, ${countOf(warnings.length, "warning")}: see tickwatch check`;
    found.push({
      what: "configuration",
      state: warnings.length === 0 ? "ok" : "warning",
      says: counts + more,
    });
    found.push(
      fine("timezone", `${Intl.DateTimeFormat().resolvedOptions().timeZone} on this machine`),
    );
    return setup;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first] = error.problems;
    const count = countOf(error.problems.length + error.more, "problem");
    const where =
      first === undefined ? "" : ` The first: ${first.file}:${first.line}: ${first.message}.`;
    found.push(failed("configuration", `${count}: run tickwatch check.${where}`, EXIT.usage));
    return null;
  }
}

const MARKS: Readonly<Record<Finding["state"], string>> = {
  ok: "ok",
  warning: "warning",
  failed: "FAILED",
  skipped: "skipped",
};

function page(found: readonly Finding[]): string {
  const width = Math.max(...found.map(({ what }) => what.length));
  const lines = found.map(
    ({ what, state, says }) => `${MARKS[state].padEnd(7)}  ${what.padEnd(width)}  ${says}`,
  );
  const count = (state: Finding["state"]): number =>
    found.filter((one) => one.state === state).length;
  const failures = count("failed");
  const end = failures === 0 ? "Nothing is wrong" : `${countOf(failures, "check")} failed`;
  const warnings = count("warning") === 0 ? "" : `, ${countOf(count("warning"), "warning")}`;
  return `${lines.join("\n")}\n\n${end}${warnings}. This report holds no secret.`;
}

function codeOf(found: readonly Finding[]): number {
  const failures = found.filter(({ state }) => state === "failed");
  const codes = new Set(failures.map(({ code }) => code ?? EXIT.found));
  const order = [EXIT.usage, EXIT.database, EXIT.unreachable, EXIT.found];
  return order.find((code) => codes.has(code)) ?? EXIT.fine;
}
