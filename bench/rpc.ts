import type { FigureGroup } from "./figures.ts";
import { gasFigures, transferFigures } from "./rpc-index.ts";

/** What answers from an EVM node cost, against a local node in a process of its own. */
export const rpc: FigureGroup = async () => [...(await gasFigures()), ...(await transferFigures())];
