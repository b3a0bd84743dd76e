/** CPU time of this process since `start` (of `process.cpuUsage`), in milliseconds: others at work do not lengthen it. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
