import { createMcpApp } from "@toolpact/contract/internal/app";
import { prebuilt } from "./prebuilt.ts";

export const app = createMcpApp({
  surface: prebuilt.surface(),
  load: async () => (await import("./core.ts")).core,
  loadAfterList: true,
});
