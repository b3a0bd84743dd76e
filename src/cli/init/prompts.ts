import { cancel, multiselect, select, text } from "@clack/prompts";

export interface Choice<Value> {
  readonly value: Value;
  /** What it means, in a few words. */
  readonly hint: string;
}

/** Somebody at a terminal who can be asked. Each method throws PromptCancelled on Ctrl-C or Escape. */
export interface Prompts {
  /** One of the choices; the first is preselected. */
  choose<Value extends string>(question: string, choices: readonly Choice<Value>[]): Promise<Value>;
  /** A line of text. `check` says what is wrong with it, or null. */
  text(
    question: string,
    placeholder: string,
    check: (text: string) => string | null,
  ): Promise<string>;
  /** One or more of the choices; all are preselected. */
  several(question: string, labels: readonly string[]): Promise<readonly number[]>;
}

export class PromptCancelled extends Error {
  override readonly name = "PromptCancelled";
}

/** Asks at the terminal that this process was started from. */
export function terminalPrompts(): Prompts {
  const signal = endOfInput();
  return {
    async choose<Value extends string>(question: string, choices: readonly Choice<Value>[]) {
      const width = Math.max(...choices.map(({ value }) => value.length));
      const options = choices.map(({ value, hint }: Choice<string>) => ({
        value,
        label: `${value.padEnd(width)}  ${hint}`.trimEnd(),
      }));
      const answer = answerOf<string>(
        await select({ message: question, options, maxItems: 12, signal }),
      );
      const chosen = choices.find(({ value }) => value === answer);
      if (chosen === undefined) throw new PromptCancelled();
      return chosen.value;
    },
    async text(question, placeholder, check) {
      const validate = (given: string | undefined): string | undefined =>
        check((given ?? "").trim()) ?? undefined;
      return answerOf<string>(
        await text({ message: question, placeholder, validate, signal }),
      ).trim();
    },
    async several(question, labels) {
      const options = labels.map((label, value) => ({ value, label }));
      const initialValues = options.map(({ value }) => value);
      return answerOf<readonly number[]>(
        await multiselect({ message: question, options, initialValues, required: true, signal }),
      );
    },
  };
}

/** Aborted by Ctrl-D and by a terminal that is gone: nobody would answer any more. */
function endOfInput(): AbortSignal {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  process.stdin.on("end", end).on("close", end);
  process.stdin.on(
    "keypress",
    (_text, key: { readonly ctrl?: boolean; readonly name?: string }) => {
      if (key.ctrl === true && key.name === "d") end();
    },
  );
  return ended.signal;
}

function answerOf<Answer>(answer: Answer | symbol): Answer {
  if (typeof answer !== "symbol") return answer;
  cancel("Nothing was written.");
  throw new PromptCancelled();
}
