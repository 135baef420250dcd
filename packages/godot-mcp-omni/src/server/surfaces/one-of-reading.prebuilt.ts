import { toolEntries } from "../surface.ts";

export const entries = toolEntries("oneOf", true);
