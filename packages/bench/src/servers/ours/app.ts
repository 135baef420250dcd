import { createMcpApp } from "@toolpact/contract/app";
import { surface } from "./surface.prebuilt.ts";

export const app = createMcpApp({
  surface,
  load: async () => (await import("./core.ts")).core,
  loadAfterList: true,
});
