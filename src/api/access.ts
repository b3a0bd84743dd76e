/** The header that carries the key of the current family. */
export const KEY_HEADER = "x-api-key";

/** The query parameter that carries the key of the earlier family: its URLs are secrets. */
export const KEY_PARAMETER = "apikey";
