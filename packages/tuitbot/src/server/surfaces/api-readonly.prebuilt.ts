import { surfaceFor } from "../surface.ts";

export const surface = surfaceFor("api-readonly");
