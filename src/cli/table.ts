/** Columns of text for a terminal; the last one is not padded. Cells hold clean text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, [...(row[column] ?? "")].length), 0),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - [...cell].length))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
