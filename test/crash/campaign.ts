import { faultsOf } from "./compare.ts";
import { LONG, planText, UNDISTURBED, UNMUTED } from "./plans.ts";
import { type Ran, type RunPlan, runStory } from "./run.ts";

/** What disturbed runs are compared with. */
export interface Campaign {
  readonly main: string;
  /** The undisturbed run with scenes of one round and a mute. */
  readonly short: Ran;
  /** The undisturbed run that a plan is held against; it is run when the first plan wants it. */
  readonly undisturbed: (plan: RunPlan) => Promise<Ran>;
}

/** Two runs at a time are what two cores can do. */
const AT_ONCE = 2;

export async function openCampaign(main: string): Promise<Campaign> {
  const runs = new Map<RunPlan, Promise<Ran>>();
  const run = (plan: RunPlan): Promise<Ran> => {
    const known = runs.get(plan) ?? runStory(main, plan);
    runs.set(plan, known);
    return known;
  };
  return {
    main,
    short: await run(UNDISTURBED),
    undisturbed: ({ muted, again }) => run(muted ? UNDISTURBED : again ? UNMUTED : LONG),
  };
}

/** Runs all of the plans; each fault is a line that names its run, and is told as it is found. */
export async function judge(
  campaign: Campaign,
  plans: readonly RunPlan[],
  onFault: (fault: string) => void = () => {},
): Promise<{ readonly kills: number; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  const left = [...plans];
  let kills = 0;
  const note = (fault: string): void => {
    faults.push(fault);
    onFault(fault);
  };
  const work = async (): Promise<void> => {
    for (let plan = left.shift(); plan !== undefined; plan = left.shift()) {
      const name = planText(plan);
      try {
        const ran = await runStory(campaign.main, plan);
        kills += ran.kills;
        const found = faultsOf(ran, await campaign.undisturbed(plan), plan);
        if (found.length > 0) note(`${name}: ${found.join("; ")}`);
      } catch (error) {
        note(`${name}: ${error instanceof Error ? error.message : "it failed"}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { kills, faults };
}
