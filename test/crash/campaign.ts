import { faultsOf } from "./compare.ts";
import { LONG, planText, UNDISTURBED, UNMUTED } from "./plans.ts";
import { type Ran, type RunPlan, runStory } from "./run.ts";

/** What disturbed runs are compared with. */
export interface Campaign {
  readonly main: string;
  /** Undisturbed runs: with scenes of one round, with and without a mute, and with longer ones. */
  readonly short: Ran;
  readonly unmuted: Ran;
  readonly long: Ran;
}

/** Two runs at a time are what two cores can do. */
const AT_ONCE = 2;

export async function openCampaign(main: string): Promise<Campaign> {
  const [short, long] = await Promise.all([runStory(main, UNDISTURBED), runStory(main, LONG)]);
  return { main, short, long, unmuted: await runStory(main, UNMUTED) };
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
        const { short, unmuted, long } = campaign;
        const undisturbed = plan.muted ? short : plan.again ? unmuted : long;
        const found = faultsOf(ran, undisturbed, plan);
        if (found.length > 0) note(`${name}: ${found.join("; ")}`);
      } catch (error) {
        note(`${name}: ${error instanceof Error ? error.message : "it failed"}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { kills, faults };
}
