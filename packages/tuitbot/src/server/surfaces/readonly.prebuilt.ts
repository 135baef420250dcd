import { surfaceFor } from "../surface.ts";

export const surface = surfaceFor("readonly");
