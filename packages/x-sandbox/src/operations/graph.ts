import { type Answer, success } from "../http/answer.ts";
import { badValue, forbidden } from "../http/problems.ts";
import { refusedByPlan } from "../rules/plans.ts";
import type { Person } from "../world/person.ts";
import { aboutPerson, type Handlers, type OperationContext, onOwn, personAt } from "./context.ts";
import { pageOfPeople } from "./pages.ts";

export const graph = {
  getUsersFollowers: (input, context) =>
    aboutPerson(input, context, (person) =>
      pageOfPeople(context.world.follows.to(person.id), `followers ${person.id}`, input, context),
    ),

  getUsersFollowing: (input, context) =>
    aboutPerson(input, context, (person) =>
      pageOfPeople(context.world.follows.from(person.id), `following ${person.id}`, input, context),
    ),

  getUsersMuting: onOwn("id", (input, context, me) =>
    pageOfPeople(context.world.mutes.from(me.id), `muting ${me.id}`, input, context),
  ),

  getUsersBlocking: onOwn("id", (input, context, me) =>
    pageOfPeople(context.world.blocks.from(me.id), `blocking ${me.id}`, input, context),
  ),

  followUser: onOwn("id", (input, context, me) => {
    const { world } = context;
    const refusal = refusedByPlan(context.plan, "Following people", context.app.clientId);
    if (refusal !== undefined) return refusal;
    const target = targetOf(input.body.text("target_user_id"), context, me);
    if ("status" in target) return target;
    if (world.blocks.has(target.id, me.id))
      return forbidden("You have been blocked from following this account at their request.");
    // A protected account must accept first, which nobody here does.
    const pending = target.protected && !world.follows.has(me.id, target.id);
    if (!pending) world.follows.add(me.id, target.id, world.relationKeyAt(context.now));
    return success({ data: { following: !pending, pending_follow: pending } });
  }),

  unfollowUser: onOwn("source_user_id", (input, context, me) => {
    const target = targetOf(input.text("target_user_id"), context, me);
    if ("status" in target) return target;
    context.world.follows.remove(me.id, target.id);
    return success({ data: { following: false } });
  }),

  muteUser: onOwn("id", (input, context, me) => {
    const target = targetOf(input.body.text("target_user_id"), context, me);
    if ("status" in target) return target;
    context.world.mutes.add(me.id, target.id, context.world.relationKeyAt(context.now));
    return success({ data: { muting: true } });
  }),

  unmuteUser: onOwn("source_user_id", (input, context, me) => {
    const target = targetOf(input.text("target_user_id"), context, me);
    if ("status" in target) return target;
    context.world.mutes.remove(me.id, target.id);
    return success({ data: { muting: false } });
  }),
} satisfies Handlers;

function targetOf(id: string | undefined, { world }: OperationContext, me: Person): Person | Answer {
  return id === me.id
    ? badValue("target_user_id", id, "You can not do this to your own account.")
    : personAt(world, "target_user_id", id);
}
