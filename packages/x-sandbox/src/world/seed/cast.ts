import { day } from "../../clock.ts";
import type { Random } from "../../random.ts";
import { firstIdAt } from "../../snowflake.ts";
import type { Person } from "../person.ts";
import type { World } from "../world.ts";

/** They exist in every world. */
export const cast = {
  /** Owns the app; default for sign-in. */
  owner: "sandbox_owner",
  /** Follows the owner, mentions them and accepts their messages. */
  friend: "sandbox_friend",
  /** Has never met the owner. */
  stranger: "sandbox_unknown",
  /** Protected account that the owner does not follow. */
  shy: "sandbox_shy",
  /** Suspended account. */
  gone: "sandbox_gone",
  /** Has blocked the owner. */
  foe: "sandbox_foe",
} as const;

/** Fills the world with people: the named cast first, then a crowd. */
export function seedPeople(world: World, random: Random, count: number): Person[] {
  const named = [
    person(world, random, cast.owner, "Sandbox Owner", { subscription: "None", verified: "none" }),
    person(world, random, cast.friend, "Sandbox Friend", { opensDms: true }),
    person(world, random, cast.stranger, "Sandbox Stranger", { opensDms: false }),
    person(world, random, cast.shy, "Sandbox Shy", { protected: true }),
    person(world, random, cast.gone, "Sandbox Gone", { accountStatus: "suspended" }),
    person(world, random, cast.foe, "Sandbox Foe", {}),
  ];
  const crowd: Person[] = [];
  while (named.length + crowd.length < count) {
    const first = random.pick(adjectives);
    const second = random.pick(animals);
    const username = `${first}_${second}`;
    // X's usernames have at most 15 letters.
    const free = world.personNamed(username) === undefined ? username : `${first}_${crowd.length}`;
    crowd.push(
      person(world, random, free, `${capital(first)} ${capital(second)}`, { protected: random.chance(0.04) }),
    );
  }
  return [...named, ...crowd];
}

function person(
  world: World,
  random: Random,
  username: string,
  name: string,
  traits: Partial<Person>,
): Person {
  const createdAt = firstAccount + random.between(0, accountDays) * day + random.between(0, day - 1);
  const premium = random.chance(0.3);
  return world.addPerson({
    // Before any start of the clock, so ids depend on the seed only.
    id: String(BigInt(firstIdAt(createdAt)) + BigInt(world.people.size)),
    username,
    name,
    bio: `${random.pick(trades)}. ${random.pick(habits)}.`,
    location: random.chance(0.6) ? random.pick(places) : undefined,
    url: random.chance(0.4) ? `https://${username.replaceAll("_", "-")}.example.com` : undefined,
    createdAt,
    subscription: premium ? "Premium" : "None",
    verified: premium ? "blue" : "none",
    protected: false,
    opensDms: random.chance(0.5),
    accountStatus: "active",
    pinnedPostId: undefined,
    ...traits,
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const firstAccount = Date.UTC(2019, 0, 1);
const accountDays = 6 * 365;

type Words = readonly [string, ...string[]];

const adjectives: Words = [
  "amber",
  "brisk",
  "calm",
  "dusty",
  "eager",
  "fuzzy",
  "gentle",
  "humble",
  "ivory",
  "jolly",
  "keen",
  "lucid",
  "merry",
  "noble",
  "olive",
  "plucky",
  "quiet",
  "rusty",
  "sunny",
  "tidy",
  "umber",
  "vivid",
  "witty",
  "zesty",
];
const animals: Words = [
  "otter",
  "heron",
  "badger",
  "lynx",
  "newt",
  "osprey",
  "puffin",
  "quokka",
  "raven",
  "stoat",
  "tapir",
  "urchin",
  "vole",
  "walrus",
  "yak",
  "zebra",
  "gecko",
  "ibis",
  "jackal",
  "koala",
  "lemur",
  "marten",
  "finch",
  "beetle",
];
const trades: Words = [
  "Builds small tools",
  "Writes compilers for fun",
  "Gardener with a keyboard",
  "Paints maps",
  "Repairs bicycles",
  "Teaches statistics",
  "Bakes bread at night",
  "Runs a tiny print shop",
  "Designs board games",
  "Keeps bees",
];
const habits: Words = [
  "Tea before noon",
  "Opinions about fonts",
  "Always behind on mail",
  "Asks too many questions",
  "Slow replies",
  "Collects tide tables",
  "Here for the bugs",
  "Posts at odd hours",
];
const places: Words = ["Northport", "Lower Fenwick", "Isle of Brask", "Old Quay", "Marrow Hill", "Saltmere"];
