import type { Reports, ReportsParts } from "./reports.ts";

export interface OpenReportsParts extends ReportsParts {
  /** Resolves once the start is told. */
  readonly begun: Promise<void>;
}

/** What is not asked for costs nothing: its code is not even loaded. Null: the configuration has no report. */
export async function openReports({ begun, ...parts }: OpenReportsParts): Promise<Reports | null> {
  if (parts.setup().reports.length === 0) return null;
  const { startReports } = await import("./reports.ts");
  const started = startReports(parts);
  void begun.then(() => started.begin());
  return started;
}
