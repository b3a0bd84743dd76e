import type { ProblemError } from "./api.ts";
import type { ProblemDetails } from "./schemas/common.ts";

export const PROBLEM_TYPE = "application/problem+json";

/** A refusal as RFC 9457 has it. */
export function problemResponse({ status, title, detail, errors }: ProblemError): Response {
  const body: ProblemDetails = {
    type: "about:blank",
    title,
    status,
    detail,
    ...(errors.length === 0 ? {} : { errors: [...errors] }),
  };
  return new Response(JSON.stringify(body), { status, headers: { "content-type": PROBLEM_TYPE } });
}
