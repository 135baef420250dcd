import { type Answer, done } from "../answer.ts";
import { badValue, forbidden } from "../problems.ts";
import { refusedByPlan } from "../rules/plans.ts";
import type { Person } from "../world/person.ts";
import { aboutPerson, personAt } from "./about-person.ts";
import { pageOfPeople } from "./pages.ts";
import { type Handlers, onOwn, type Scene } from "./scene.ts";

export const graph = {
  getUsersFollowers: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      pageOfPeople(scene.world.follows.to(person.id), `followers ${person.id}`, input, scene),
    ),

  getUsersFollowing: (input, scene) =>
    aboutPerson(input, scene, (person) =>
      pageOfPeople(scene.world.follows.from(person.id), `following ${person.id}`, input, scene),
    ),

  getUsersMuting: onOwn("id", (input, scene, me) =>
    pageOfPeople(scene.world.mutes.from(me.id), `muting ${me.id}`, input, scene),
  ),

  getUsersBlocking: onOwn("id", (input, scene, me) =>
    pageOfPeople(scene.world.blocks.from(me.id), `blocking ${me.id}`, input, scene),
  ),

  followUser: onOwn("id", (input, scene, me) => {
    const { world } = scene;
    const refusal = refusedByPlan(scene.plan, "Following people", scene.app.clientId);
    if (refusal !== undefined) return refusal;
    const target = targetOf(input.body.text("target_user_id"), scene, me);
    if ("status" in target) return target;
    if (world.blocks.has(target.id, me.id))
      return forbidden("You have been blocked from following this account at their request.");
    // A protected account has to agree first, and nobody of the sandbox ever does.
    const pending = target.protected && !world.follows.has(me.id, target.id);
    if (!pending) world.follows.add(me.id, target.id, world.bondKeyAt(scene.now));
    return done({ data: { following: !pending, pending_follow: pending } });
  }),

  unfollowUser: onOwn("source_user_id", (input, scene, me) => {
    const target = targetOf(input.text("target_user_id"), scene, me);
    if ("status" in target) return target;
    scene.world.follows.remove(me.id, target.id);
    return done({ data: { following: false } });
  }),

  muteUser: onOwn("id", (input, scene, me) => {
    const target = targetOf(input.body.text("target_user_id"), scene, me);
    if ("status" in target) return target;
    scene.world.mutes.add(me.id, target.id, scene.world.bondKeyAt(scene.now));
    return done({ data: { muting: true } });
  }),

  unmuteUser: onOwn("source_user_id", (input, scene, me) => {
    const target = targetOf(input.text("target_user_id"), scene, me);
    if ("status" in target) return target;
    scene.world.mutes.remove(me.id, target.id);
    return done({ data: { muting: false } });
  }),
} satisfies Handlers;

function targetOf(id: string | undefined, { world }: Scene, me: Person): Person | Answer {
  return id === me.id
    ? badValue("target_user_id", id, "You can not do this to your own account.")
    : personAt(world, "target_user_id", id);
}
