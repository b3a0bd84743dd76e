import { keepNewest } from "../base/keep-newest.ts";
import { cleanText } from "../base/text.ts";
import { configurationText } from "../cluster/configuration-text.ts";
import type { Registered } from "../cluster/leases.ts";
import { ConfigError, formatProblem } from "../config/files/text-file.ts";
import type { Setup } from "../model/index.ts";

/** So many configurations are kept ready. */
const MOST_READY = 4;

/** The configurations by which a daemon could decide: those of its own files, and those that others have stored. */
export class ReadyConfigurations {
  readonly #setups = new Map<string, Setup>();

  /** `unpack` reads what another daemon has stored; `onReady` is told of each. */
  constructor(
    private readonly unpack: (text: string) => Promise<Setup>,
    private readonly onReady: (hash: string, setup: Setup) => void,
  ) {}

  get(hash: string): Setup | undefined {
    return this.#setups.get(hash);
  }

  keep(hash: string, setup: Setup): void {
    keepNewest(this.#setups, hash, setup, MOST_READY);
    this.onReady(hash, setup);
  }

  /** Why this daemon could not decide by a configuration, on one line and without a secret; null: it could. */
  async prepare(
    { hash, by, isStored }: Registered,
    files: () => Promise<string | null>,
  ): Promise<string | null> {
    if (this.#setups.has(hash)) return null;
    if (!isStored) return `there is a secret in the files of ${by}: copy them to this machine`;
    const text = await files();
    if (text === null) return "the database does not answer";
    try {
      const setup = await this.unpack(text);
      if (configurationText(setup) !== hash)
        return "it reads the files differently: is it the same version?";
      this.keep(hash, setup);
      return null;
    } catch (error) {
      const [first] = error instanceof ConfigError ? error.problems : [];
      if (first !== undefined) return formatProblem({ ...first, source: "" });
      return cleanText(error instanceof Error ? error.message : String(error), 400);
    }
  }
}
