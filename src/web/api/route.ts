import type { Context } from "hono";
import type { z } from "zod";
import type { WebEnv } from "../viewer.ts";
import type { Api } from "./api.ts";

/** One path of the API, as it is served and as the OpenAPI document has it. */
export interface ApiRoute {
  readonly method: "get" | "post";
  /** Beneath /api/v1. */
  readonly path: string;
  readonly summary: string;
  /** GET: what may be asked for; POST: what is sent. */
  readonly input: z.ZodType | null;
  readonly output: z.ZodType;
  /** Null: there is no such thing. */
  readonly answer: (api: Api, input: unknown, c: Context<WebEnv>) => Promise<unknown>;
}
