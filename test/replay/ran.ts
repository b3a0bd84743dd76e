import { formatProblem } from "../../src/config/files/text-file.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { offsetText } from "../../src/replay/notation.ts";
import { runTests } from "../../src/replay/run-tests.ts";
import { createMemoryStore } from "../support/memory-store.ts";

/** Runs a file of rule tests from a text, without touching any file. */
export async function ran(yaml: string, others: Readonly<Record<string, string>> = {}) {
  const files: Readonly<Record<string, string>> = { "a.test.yaml": yaml, ...others };
  const result = await runTests("a.test.yaml", {
    kinds: KINDS,
    createStore: createMemoryStore,
    readFile: async (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return new TextEncoder().encode(text);
    },
  });
  return {
    problems: result.problems.map((problem) => formatProblem(problem).split("\n")[0] ?? ""),
    cases: result.cases,
    /** Every notice of the first case: when and what. */
    story: (result.cases[0]?.rows ?? []).flatMap(({ seen }) =>
      seen === null ? [] : [`${offsetText(seen.elapsed)} ${seen.notice.kind}`],
    ),
  };
}
