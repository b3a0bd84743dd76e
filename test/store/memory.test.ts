import { createMemoryStore } from "../../src/store/memory.ts";
import { storeSuite } from "./store-suite.ts";

storeSuite("in memory", async () => {
  const store = createMemoryStore();
  return { open: async () => store, remove: async () => undefined };
});
