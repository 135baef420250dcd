import { mutations } from "./001-mutations.ts";
import type { Migration } from "./migration.ts";

/** Every migration, oldest first. New ones go to the end. */
export const allMigrations: readonly Migration[] = [mutations];
