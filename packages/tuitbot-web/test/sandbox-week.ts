import { setTimeout as pause } from "node:timers/promises";
import type { Browser, Served } from "../../tuitbot/test/web/served.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** At which times of the day, by UTC, posts go out. */
const TIMES = [6.5, 10.75, 15.5].map((hours) => hours * HOUR);
const LEAST_DAYS = 8;
const TUESDAY = 2;

const LINES = [
  ["starter", "Warm water woke my starter faster than any flour did."],
  ["crumb", "A dense crumb is nearly always time, seldom technique."],
  ["crust", "Score deeper than you dare. The crust forgives."],
  ["flour", "Rye at ten percent: more taste, hardly more work."],
  ["oven", "My oven lies by 20 °C. A thermometer cost less than three bad loaves."],
  ["hydration", "Wet dough is not a goal. Handle what you can shape."],
  ["shaping", "Shape twice, rest twenty minutes between. That is the whole secret."],
] as const;
const OPENINGS = ["Today:", "Noted again:", "From the kitchen:", "Still true:", "A reader asked."];

/**
 * Makes the history in the pictures with regular tools and commands: an agent proposes, a user approves, people follow.
 * The sandbox's clock is moved to a Tuesday morning, so pictures of different days match.
 */
export async function sandboxWeek(served: Served, person: Browser, control: () => string): Promise<void> {
  const { call } = served;
  const found = await call("find_reply_opportunities", { min_score: 0, limit: 20 });
  const x = sandboxControl(control());
  const start = await x.now();
  const end = nextTuesday(start + LEAST_DAYS * DAY) + 7.6 * HOUR;
  const followers = authorsIn(found.data);
  let written = 0;
  for (let day = startOf(start) + DAY; day < end - DAY; day += DAY) {
    for (const time of TIMES) {
      await x.moveTo(day + time + (written % 3) * 0.9 * HOUR);
      const [topic, line] = LINES[written % LINES.length] ?? LINES[0];
      const opening = OPENINGS[written % OPENINGS.length];
      await call("create_draft", { texts: [`${opening} ${line}`], topic });
      await publishDrafts(served, person);
      written++;
    }
    for (const name of followers.splice(0, 1 + (written % 2))) await x.follow(name);
    await counted(served, day);
  }
  await x.moveTo(end);
  await counted(served, end);
  await person.command("mentions_read");
  await plan(served, person, end);
  await propose(served);
  // One that goes out later is not approved yet.
  await call("create_draft", {
    texts: ["The mill answered. Here is what stone-ground means."],
    scheduled_for: new Date(startOf(end) + 3 * DAY + 13 * HOUR).toISOString(),
  });
}

/** Waits until a loop of the server has counted the followers of a day, and with them measured what is out. */
async function counted({ call }: Served, day: number): Promise<void> {
  const date = new Date(day).toISOString().slice(0, 10);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { data } = await call("get_follower_trend", { limit: 30 });
    const { days } = Object(data) as { readonly days: readonly { readonly date: string }[] };
    if (days.some((one) => one.date === date)) return;
    await pause(PAUSE_MS);
  }
  throw new Error(`No loop has counted the followers of ${date}.`);
}

const PAUSE_MS = 200;
const MAX_TRIES = 100;

/** Publishes every draft, as the agent asks and the person approves. */
async function publishDrafts({ call }: Served, person: Browser): Promise<void> {
  const { data } = await call("list_drafts", { status: "draft" });
  const { drafts } = Object(data) as { readonly drafts: readonly { readonly draft_id: number }[] };
  for (const { draft_id } of drafts) await call("publish_draft", { id: draft_id });
  const { body } = await person.command("pending");
  for (const { id, digest } of body.items) await person.command("approve", { id, digest });
}

/** Posts for the days to come. */
async function plan({ call }: Served, person: Browser, start: number): Promise<void> {
  const at = (days: number, hours: number) =>
    new Date(startOf(start) + days * DAY + hours * HOUR).toISOString();
  for (const [days, hours, text] of [
    [0, 16, "Three things I changed in my starter this winter, and the one that mattered."],
    [1, 8.5, "Why your oven's steam setting is not steam."],
    [2, 10, "A loaf a day for a month: what 30 crumbs taught me about patience."],
    [4, 16, "Ask me anything about rye, today at five."],
  ] as const)
    await call("create_draft", { texts: [text], scheduled_for: at(days, hours) });
  await call("create_recurring_posts", {
    variants: ["Weekend bake: rye.", "Weekend bake: spelt."],
    repeats: "Sat,Sun 09:00",
    until: at(20, 0),
  });
  const { body } = await person.command("pending");
  for (const { id, digest } of body.items) await person.command("approve", { id, digest });
  await call("create_draft", { texts: ["Notes on whey instead of water. Needs a second try."] });
}

/** The waiting items in the inbox: the first is a reply, with the post it answers. */
async function propose({ call }: Served): Promise<void> {
  const found = await call("find_reply_opportunities", { min_score: 30, limit: 20 });
  const { candidates = [] } = Object(found.data) as { readonly candidates?: readonly Candidate[] };
  const first =
    candidates.find(({ text }) => /fridge|colder|dense|flat|twenty hours/i.test(text)) ?? candidates[0];
  const second = candidates.find(({ id }) => id !== first?.id);
  await call("x_reply_to_tweet", {
    in_reply_to_id: first?.id,
    text: "Temperature first: 5 °C colder about doubles the time. Go by the dough and not by the clock: it is ready when it has grown by half and wobbles.",
  });
  await call("x_post_tweet", {
    text: "Three flours, one recipe, one oven. The photos look alike; the taste does not. #sourdough",
  });
  await call("x_post_thread", {
    tweets: [
      "Why your oven's steam setting is not steam. A thread with measurements.",
      "Steam is invisible. What you see is fog: water that has already given its heat away.",
      "A tray of water gives 40 g in ten minutes. A closed pot gives 180 g, from the dough alone.",
    ],
  });
  await call("x_reply_to_tweet", {
    in_reply_to_id: second?.id,
    text: "What does your kitchen have in degrees? That would be the first thing to write down.",
  });
}

interface Candidate {
  readonly id: string;
  readonly text: string;
  readonly author?: string;
}

function authorsIn(data: unknown): string[] {
  const { candidates = [] } = Object(data) as { readonly candidates?: readonly Candidate[] };
  return [
    ...new Set(candidates.flatMap(({ author }) => (author === undefined ? [] : [author.replace("@", "")]))),
  ];
}

/** The control routes of the sandbox, and what people there do. */
function sandboxControl(url: string) {
  async function ask<Answer>(path: string, body?: object, token?: string): Promise<Answer> {
    const response = await fetch(new URL(path, url), {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    // The shape declared by the sandbox.
    return (await response.json()) as Answer;
  }
  const signIn = async (user?: string) => {
    const { access_token: token } = await ask<{ readonly access_token: string }>("/_sandbox/tokens", {
      ...(user !== undefined && { user }),
    });
    const me = await ask<{ readonly data: { readonly id: string } }>("/2/users/me", undefined, token);
    return { token, id: me.data.id };
  };
  return {
    now: async () => Date.parse((await ask<{ readonly now: string }>("/_sandbox/clock")).now),
    moveTo: (at: number) => ask("/_sandbox/clock", { set: new Date(at).toISOString() }),
    /** Lets somebody follow the account. */
    async follow(user: string) {
      const owner = await signIn();
      const { id, token } = await signIn(user);
      await ask(`/2/users/${id}/following`, { target_user_id: owner.id }, token);
    },
  };
}

function startOf(at: number): number {
  return Math.floor(at / DAY) * DAY;
}

function nextTuesday(from: number): number {
  let day = startOf(from);
  while (new Date(day).getUTCDay() !== TUESDAY) day += DAY;
  return day;
}
