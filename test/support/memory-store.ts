import { memoryStores } from "../../src/store/sqlite/store.ts";

/** Makes a store of its own, empty and in memory. */
export const createMemoryStore = await memoryStores();
