/** The seed under which the demo's story was checked. */
export const DEMO_SEED = 20_250_131;
