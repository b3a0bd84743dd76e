import { Argument, Command } from "commander";
import { CHANNELS } from "../channels/index.ts";
import { configSchema, rulesSchema } from "../config/json-schema.ts";
import { WATCHES } from "../watches/index.ts";
import { EXIT, type Io } from "./io.ts";

/** The files that have a schema. */
const FILES = ["rules", "config"] as const;

export function schemaCommand(io: Io, finish: (code: number) => void): Command {
  return new Command("schema")
    .description("print the JSON Schema of rules files or of config.yaml, for editors")
    .addArgument(new Argument("[file]", "rules or config").choices(FILES).default("rules"))
    .addHelpText(
      "after",
      "\nIn VS Code, Neovim and others with yaml-language-server a file names its schema in its first line:\n  # yaml-language-server: $schema=./rules.schema.json\n\nExample:\n  tickwatch schema rules > rules.schema.json\n",
    )
    .action((file: (typeof FILES)[number]) => {
      const schema = file === "rules" ? rulesSchema(WATCHES) : configSchema(CHANNELS);
      io.out(`${JSON.stringify(schema, null, 2)}\n`);
      finish(EXIT.fine);
    });
}
