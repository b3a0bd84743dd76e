/**
 * `npm run test:crash [-- SEED [RANDOM RUNS]]`: kills the daemon before and after everything it does,
 * and at random, and compares what arrived with an undisturbed run. Exit code 1 if anything differs.
 */
import { fileURLToPath } from "node:url";
import { type Campaign, judge, openCampaign } from "./campaign.ts";
import { atRandom, constructed } from "./plans.ts";

const [, , seedText, countText] = process.argv;
const seed = seedText === undefined ? Date.now() % 1_000_000 : Number(seedText);
const count = countText === undefined ? 200 : Number(countText);
const main = fileURLToPath(new URL("daemon.js", import.meta.url));

const campaign: Campaign = await openCampaign(main);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
let wrong = 0;
for (const [name, plans] of [
  ["by construction", constructed(campaign.short)],
  [`at random, seed ${seed}`, atRandom(seed, count, campaign.short)],
] as const) {
  const began = performance.now();
  say(`${name}: ${plans.length} runs`);
  const { kills, faults } = await judge(campaign, plans, (fault) => say(`  ${fault}`));
  const seconds = Math.round((performance.now() - began) / 1_000);
  say(`  ${kills} kills in ${seconds} s, ${faults.length} runs wrong`);
  wrong += faults.length;
}
process.exitCode = wrong === 0 ? 0 : 1;
