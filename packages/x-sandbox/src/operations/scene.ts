import type { OperationId } from "@toolpact/x-api/operations";
import type { Answer } from "../answer.ts";
import type { Input } from "../gate/input.ts";
import type { Ledger } from "../gate/ledger.ts";
import type { App } from "../oauth/apps.ts";
import { notTheCaller, unauthorized } from "../problems.ts";
import { View } from "../render/view.ts";
import { wantedOf } from "../render/wanted.ts";
import type { Plan } from "../rules/plans.ts";
import type { Streams } from "../streams.ts";
import type { Person } from "../world/person.ts";
import type { World } from "../world/world.ts";

/** What an operation finds when it is called. */
export interface Scene {
  readonly world: World;
  readonly now: number;
  readonly plan: Plan;
  readonly app: App;
  /** The user on whose behalf the app calls; undefined for app-only calls. */
  readonly viewer: Person | undefined;
  readonly ledger: Ledger;
  readonly streams: Streams;
}

export type Handler = (input: Input, scene: Scene) => Answer;
export type Handlers = Readonly<Partial<Record<OperationId, Handler>>>;

/** An operation that acts for a user. */
export function forUser(act: (input: Input, scene: Scene, me: Person) => Answer): Handler {
  return (input, scene) => (scene.viewer === undefined ? unauthorized() : act(input, scene, scene.viewer));
}

/** An operation on the caller's own things, whose path must name the caller. */
export function onOwn(parameter: string, act: (input: Input, scene: Scene, me: Person) => Answer): Handler {
  return forUser((input, scene, me) => {
    const id = input.text(parameter);
    return id === me.id ? act(input, scene, me) : notTheCaller(parameter, id, me.id);
  });
}

export function viewOf(input: Input, scene: Scene): View {
  return new View(scene.world, scene.viewer, scene.now, wantedOf(input));
}
