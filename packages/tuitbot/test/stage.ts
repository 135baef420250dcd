import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cast, Sandbox } from "@toolpact/x-sandbox";

/** An X with everything in it that the tools can be asked about, and ids of those things. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly mediaRoot: string;
  /** Ids. */
  readonly me: string;
  readonly friend: string;
  readonly stranger: string;
  readonly friendsPost: string;
  readonly myPost: string;
  /** To be deleted. */
  readonly mySpare: string;
  /** A reply by the friend to a post of mine. */
  readonly replyToMe: string;
  readonly myLists: readonly [string, string, string, string];
  readonly friendsList: string;
  readonly liveSpace: string;
  readonly mySpace: string;
  readonly conversation: string;
  /** Makes another list of mine. */
  readonly newList: () => string;
}

export function setStage(home: string, seed = 11): Stage {
  const sandbox = new Sandbox({ seed, plan: "enterprise", start: Date.now(), realTime: Date.now });
  const { world, clock } = sandbox;
  const me = sandbox.person(cast.owner).id;
  const friend = sandbox.person(cast.friend).id;
  const myPost = sandbox.say(cast.owner, "Mine, about rust.").id;
  const newList = (ownerId: string, name: string): string => {
    const id = world.idAt(clock.now());
    world.lists.set(id, { id, ownerId, name, description: "", private: false, createdAt: clock.now() });
    world.listsBy.add(ownerId, id);
    return id;
  };
  const [template] = world.spaces.values();
  if (template === undefined) throw new Error("The sandbox has no Space.");
  const mySpace = "1TestersSpace";
  world.spaces.set(mySpace, { ...template, id: mySpace, creatorId: me, buyerIds: [friend] });
  const conversation = [...world.conversations.values()].find(
    ({ participantIds }) =>
      participantIds.length === 2 && participantIds.includes(me) && participantIds.includes(friend),
  );
  if (conversation === undefined) throw new Error("The sandbox has no talk with the friend.");

  const mediaRoot = join(realpathSync(home), "media");
  mkdirSync(mediaRoot);
  writeFileSync(join(mediaRoot, "cat.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  writeFileSync(join(mediaRoot, "notes.txt"), "not a picture");
  writeFileSync(
    join(mediaRoot, "huge.png"),
    Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(5_242_880)]),
  );
  return {
    sandbox,
    mediaRoot,
    me,
    friend,
    stranger: sandbox.person(cast.stranger).id,
    friendsPost: sandbox.say(cast.friend, "A post about rust, with a question?").id,
    myPost,
    mySpare: sandbox.say(cast.owner, "Not for long.").id,
    replyToMe: sandbox.say(cast.friend, "I see it otherwise.", { inReplyTo: myPost }).id,
    myLists: [newList(me, "One"), newList(me, "Two"), newList(me, "Three"), newList(me, "Four")],
    friendsList: newList(friend, "Friends"),
    liveSpace: [...world.spaces.values()].find(({ state }) => state === "live")?.id ?? "",
    mySpace,
    conversation: conversation.id,
    newList: () => newList(me, "Another"),
  };
}
