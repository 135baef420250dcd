import { toolEntries } from "../surface.ts";

export const entries = toolEntries("flat", false);
