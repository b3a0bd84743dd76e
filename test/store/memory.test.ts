import { createMemoryStore } from "../../src/store/memory.ts";
import { storeSuite } from "../contract/store-suite.ts";

storeSuite("in memory", async () => {
  const store = createMemoryStore();
  return { open: async () => store, remove: async () => undefined };
});
