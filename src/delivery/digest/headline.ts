/** A headline stands alone on a lock screen: so many characters. */
export const HEADLINE = 80;

/** A headline's sign and its sentence; `icon` ends with its space, and is empty where there is none. */
export function splitIcon(headline: string): { readonly icon: string; readonly text: string } {
  const match = /^(\p{Extended_Pictographic}\ufe0f? )/u.exec(headline);
  const icon = match?.[1] ?? "";
  return { icon, text: headline.slice(icon.length) };
}

/** Characters as people count them: code points. */
export function headlineLength(headline: string): number {
  return [...headline].length;
}
