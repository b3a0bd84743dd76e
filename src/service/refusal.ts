/** Why a request is refused; the code is one of a fixed set, the message is for people. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: 400 | 401 | 404 | 405,
    readonly code:
      | "bad_value"
      | "duplicate_parameter"
      | "invalid_key"
      | "method_not_allowed"
      | "missing_key"
      | "missing_parameter"
      | "not_found"
      | "range_too_long"
      | "too_many_values"
      | "unknown_parameter"
      | "unsupported_chain",
    message: string,
  ) {
    super(message);
  }
}
