import { runCli } from "../../src/cli/program.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program's command line in this process, with everything that it prints. */
export async function runTickwatch(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stop?: AbortSignal;
    readonly onOut?: (text: string) => void;
    readonly onErr?: (text: string) => void;
  } = {},
): Promise<Ran> {
  let out = "";
  let err = "";
  const code = await runCli(args, {
    out: (text) => {
      out += text;
      options.onOut?.(text);
    },
    err: (text) => {
      err += text;
      options.onErr?.(text);
    },
    env: options.env ?? {},
    colours: false,
    errTerminal: false,
    errColours: false,
    stop: () => options.stop ?? new AbortController().signal,
    onHangup: () => {},
    unread: new AbortController().signal,
  });
  return { code, out, err };
}
