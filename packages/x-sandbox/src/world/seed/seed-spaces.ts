import { day, hour } from "../../clock.ts";
import type { Random } from "../../random.ts";
import type { Person } from "../person.ts";
import type { Space } from "../space.ts";
import type { World } from "../world.ts";

/** Live, scheduled and ended; some sold tickets. */
export function seedSpaces(world: World, random: Random, people: readonly Person[], until: number): void {
  for (const [i, name] of topicNames.entries()) {
    const id = String(10_000 + i);
    world.topics.set(id, { id, name, description: `Talk about ${name.toLowerCase()}` });
  }
  const hosts = random.sample(
    people.filter((person) => person.accountStatus === "active"),
    12,
  );
  for (const [i, host] of hosts.entries()) {
    const state = (["live", "scheduled", "ended"] as const)[i % 3] ?? "live";
    const startedAt = state === "live" ? until - hour : state === "ended" ? until - 3 * day : undefined;
    const guests = random.sample(people, 8).map((person) => person.id);
    const ticketed = i % 4 === 0;
    const space: Space = {
      id: `1${random.token(12)}`,
      creatorId: host.id,
      hostIds: [host.id],
      speakerIds: guests.slice(0, 3),
      invitedIds: guests.slice(3, 5),
      buyerIds: ticketed ? guests : [],
      topicIds: [String(10_000 + (i % topicNames.length))],
      title: `${topicNames[i % topicNames.length]} after hours`,
      state,
      lang: "en",
      ticketed,
      participants: state === "scheduled" ? 0 : random.between(5, 400),
      subscribers: random.between(0, 80),
      createdAt: until - 4 * day,
      scheduledStart: state === "scheduled" ? until + day : undefined,
      startedAt,
      endedAt: state === "ended" ? until - 3 * day + hour : undefined,
    };
    world.spaces.set(space.id, space);
  }
}

const topicNames = ["Tools", "Bread", "Maps", "Engines"] as const;
