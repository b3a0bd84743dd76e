import { CHANNELS } from "../channels/index.ts";
import { configSchema, rulesSchema } from "../config/json-schema.ts";
import { KINDS } from "../kinds/index.ts";
import { EXIT, type Io } from "./io.ts";

export type SchemaFile = "rules" | "config";

/** `tickwatch schema`: the exit code. */
export function schema(file: SchemaFile, io: Io): number {
  const found = file === "rules" ? rulesSchema(KINDS) : configSchema(CHANNELS);
  io.out(`${JSON.stringify(found, null, 2)}\n`);
  return EXIT.fine;
}
