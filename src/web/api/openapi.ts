import type { Context } from "hono";
import { z } from "zod";
import type { WebEnv } from "../viewer.ts";
import type { Api } from "./api.ts";
import { Session } from "./schemas/actions.ts";
import { ProblemDetails } from "./schemas/common.ts";
import { LiveEvent } from "./schemas/overview.ts";

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

type Json = Readonly<Record<string, unknown>>;

const PROBLEMS: Readonly<Record<string, string>> = {
  "400": "What was sent is not right; `errors` says where",
  "401": "The token is missing or wrong",
  "403": "The viewer may not do this, or another site sent it",
  "404": "There is no such thing",
  "503": "The database cannot be used at the moment",
};

const PROBLEMS_OF_ACTIONS: Readonly<Record<string, string>> = {
  "409": "There is nothing to do: it is so already, or has ended",
  "411": "The Content-Length header is missing",
  "413": "The body is too large",
  "415": "The body is not JSON",
};

/** The API as an OpenAPI 3.1 document, made from the schemas that it answers by. */
export function openApi(routes: readonly ApiRoute[], url: string | null): Json {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { method, path, summary, input, output } = route;
    paths[path] = {
      [method]: {
        operationId: `${method}${nameOf(path)}`,
        summary,
        ...(method === "get" ? { parameters: parametersOf(input) } : bodyOf(input, schemas)),
        responses: {
          "200": { description: "Done", content: json(referTo(output, "output", schemas)) },
          ...problems(schemas),
          ...(method === "post" ? problems(schemas, PROBLEMS_OF_ACTIONS) : {}),
        },
        ...(method === "post" ? { security: [{ bearer: [] }, { csrf: [] }] } : {}),
      },
    };
  }
  const event = referTo(LiveEvent, "output", schemas);
  paths["/events"] = {
    get: {
      operationId: "getEvents",
      summary: "Server-sent events of the type `live`, at most one a second while anything changes",
      responses: {
        "200": {
          description: "A stream; the data of each event is a LiveEvent as JSON",
          content: { "text/event-stream": { schema: event } },
        },
        ...problems(schemas),
      },
    },
  };
  paths["/session"] = {
    get: {
      operationId: "getSession",
      summary: "Who asks, and what he may do",
      responses: {
        "200": { description: "Done", content: json(referTo(Session, "output", schemas)) },
        ...problems(schemas),
      },
    },
  };
  return {
    openapi: "3.1.0",
    info: {
      title: "tickwatch",
      version: "1",
      description:
        "What a tickwatch daemon watches, and what it did. Exact values are strings; times are UTC with milliseconds.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: `${url ?? ""}/api/v1` }],
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`token` or `read_only_token` of `web`.",
        },
        csrf: {
          type: "apiKey",
          in: "header",
          name: "X-CSRF-Token",
          description:
            "On loopback with `actions: true` and no token, beside an Origin of its own.",
        },
      },
    },
  };
}

function nameOf(path: string): string {
  return path
    .split(/[/-]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

function problems(schemas: Record<string, unknown>, described = PROBLEMS): Json {
  const schema = referTo(ProblemDetails, "output", schemas);
  return Object.fromEntries(
    Object.entries(described).map(([status, description]) => [
      status,
      { description, content: { "application/problem+json": { schema } } },
    ]),
  );
}

function bodyOf(input: z.ZodType | null, schemas: Record<string, unknown>): Json {
  if (input === null) return {};
  return { requestBody: { required: true, content: json(referTo(input, "input", schemas)) } };
}

/** A schema, with its named parts among the document's. */
function referTo(
  schema: z.ZodType,
  io: "input" | "output",
  schemas: Record<string, unknown>,
): Json {
  const { $defs = {}, $schema: _, ...own } = made(schema, io);
  for (const [name, part] of Object.entries($defs)) schemas[name] = rewritten(part);
  const { id } = z.globalRegistry.get(schema) ?? {};
  const body = rewritten(own);
  if (id === undefined) return asMap(body);
  const { id: __, ...rest } = asMap(body);
  schemas[id] ??= rest;
  return { $ref: `#/components/schemas/${id}` };
}

function made(schema: z.ZodType, io: "input" | "output"): Json & { readonly $defs?: Json } {
  return z.toJSONSchema(schema, { io, target: "draft-2020-12" });
}

/** Parts stand elsewhere in the document than zod puts them. */
function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) =>
      key === "$ref" && typeof one === "string"
        ? [key, one.replace("#/$defs/", "#/components/schemas/")]
        : [key, rewritten(one)],
    ),
  );
}

function asMap(value: unknown): Json {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Each member of a query is a parameter. */
function parametersOf(input: z.ZodType | null): readonly Json[] {
  if (input === null) return [];
  const { properties, required } = made(input, "input");
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(asMap(properties)).map(([name, schema]) => {
    const { description, ...rest } = asMap(rewritten(schema));
    return {
      name,
      in: "query",
      required: needed.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}
