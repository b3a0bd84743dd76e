/**
 * Loaded by Node before the daemon (`--import`): its clock is off by as many milliseconds as the file that CLOCK_FILE names
 * says, which it reads again on SIGUSR2. What counts elapsed time is not touched, as with a real clock that is set.
 */
export const SHIFTED_CLOCK = `
import { readFileSync } from "node:fs";

const RealDate = Date;
let shift = 0;

function read() {
  shift = Number(readFileSync(process.env.CLOCK_FILE, "utf8"));
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift;
  }
};

read();
process.on("SIGUSR2", read);
`;
