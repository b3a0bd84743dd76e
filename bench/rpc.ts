import type { FigureGroup } from "./figures.ts";
import { gasFigures, transferFigures } from "./rpc-index.ts";
import { noticeFigures } from "./rpc-notice.ts";
import { stateFigures } from "./rpc-state.ts";

/** What answers from an EVM node cost, against a local node in a process of its own. */
export const rpc: FigureGroup = async () => [
  ...(await stateFigures()),
  ...(await noticeFigures()),
  ...(await gasFigures()),
  ...(await transferFigures()),
];
