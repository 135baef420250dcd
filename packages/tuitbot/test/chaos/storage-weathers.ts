import type { Weather } from "./weather.ts";

/** Troubles of the database and the disk. */
export const storageWeathers: readonly Weather[] = [];
