/** Every reason for which a request is refused, with its HTTP status. */
export const REFUSALS = {
  missing_key: 401,
  invalid_key: 401,
  not_found: 404,
  method_not_allowed: 405,
  missing_parameter: 400,
  unknown_parameter: 400,
  duplicate_parameter: 400,
  too_many_values: 400,
  bad_value: 400,
  range_too_long: 400,
  unsupported_chain: 400,
  unknown_token: 404,
  unknown_pool: 404,
  not_indexed: 404,
  not_countable: 404,
  chain_unavailable: 503,
} as const;

/** Why a request is refused; the message is for people. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(
    readonly code: keyof typeof REFUSALS,
    message: string,
  ) {
    super(message);
    this.status = REFUSALS[code];
  }
}

/** The answer about one token; throws Refusal (404) if there is no such token. */
export async function foundToken(answer: unknown): Promise<unknown> {
  const found = await answer;
  if (found !== undefined) return found;
  throw new Refusal("unknown_token", "there is no such token on this chain");
}

/** The answer about one pool; throws Refusal (404) if there is no such pool, or none yet. */
export async function foundPool(answer: unknown): Promise<unknown> {
  const found = await answer;
  if (found !== undefined) return found;
  throw new Refusal("unknown_pool", "there is no such pool on this chain");
}
