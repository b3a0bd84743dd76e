import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type End, MAIN, type Owner, type Program, startProgram } from "./program.ts";

/** What a process of the built program loaded, sorted. */
export interface Loaded {
  readonly end: End;
  /** Its own files, below the folder of `main.js`. */
  readonly files: readonly string[];
  /** The packages that it took anything from. */
  readonly packages: readonly string[];
}

/** Runs the built program to its end, which `meanwhile` may bring about; Node itself writes down what it loads. */
export async function loadedBy(
  owner: Owner,
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly meanwhile?: (program: Program) => Promise<void>;
  } = {},
): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), "tickwatch-loaded-"));
  owner.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = startProgram(owner, args, { env: { ...options.env, NODE_V8_COVERAGE: folder } });
  await options.meanwhile?.(program);
  const end = await program.ended;
  const own = `${pathToFileURL(dirname(await realpath(MAIN))).href}/`;
  const files = new Set<string>();
  const packages = new Set<string>();
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), "utf8");
    const { result } = JSON.parse(text) as { result: readonly { url: string }[] };
    for (const { url } of result) {
      if (url.startsWith(own)) files.add(url.slice(own.length));
      else if (url.startsWith("file:")) packages.add(packageOf(url));
    }
  }
  return { end, files: [...files].toSorted(), packages: [...packages].toSorted() };
}

function packageOf(url: string): string {
  return /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url;
}
