import type { World } from "../world/world.ts";
import type { App } from "./apps.ts";
import type { Grants } from "./grants.ts";

/** Who is known at an instant: the apps, the people, and what people have let apps do. */
export interface Registry {
  readonly apps: readonly App[];
  readonly grants: Grants;
  readonly world: World;
  readonly now: number;
}
