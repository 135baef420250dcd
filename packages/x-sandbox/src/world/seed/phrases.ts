import type { Random } from "../../random.ts";

export interface Phrase {
  readonly text: string;
  readonly lang: string;
}

export function remark(random: Random): Phrase {
  if (random.chance(0.06)) return random.pick(otherLanguages);
  const topic = random.pick(topics);
  const sentence = random.pick(openings).replace("%", topic.subject);
  return { lang: "en", text: [sentence, ...extras(random, topic)].join(" ") };
}

export function answer(random: Random): Phrase {
  return { lang: "en", text: `${random.pick(answers)}${random.chance(0.2) ? ` ${random.pick(emoji)}` : ""}` };
}

export function comment(random: Random): Phrase {
  return { lang: "en", text: random.pick(comments) };
}

export function call(random: Random, username: string): Phrase {
  return { lang: "en", text: random.pick(calls).replace("@", `@${username}`) };
}

export function message(random: Random): string {
  return random.pick(messages);
}

function extras(random: Random, topic: (typeof topics)[number]): string[] {
  const extra: string[] = [];
  if (random.chance(0.35)) extra.push(`#${topic.tag}`);
  if (random.chance(0.15)) extra.push(random.pick(emoji));
  if (random.chance(0.12)) extra.push(`https://${topic.tag}.example.com/notes/${random.between(1, 99)}`);
  if (random.chance(0.04)) extra.push(random.pick(cashtags));
  return extra;
}

type Some<T> = readonly [T, ...T[]];

const topics: Some<{ readonly subject: string; readonly tag: string }> = [
  { subject: "typed APIs", tag: "typescript" },
  { subject: "rust lifetimes", tag: "rust" },
  { subject: "sourdough starters", tag: "baking" },
  { subject: "bicycle gears", tag: "cycling" },
  { subject: "old maps", tag: "maps" },
  { subject: "database migrations", tag: "sqlite" },
  { subject: "game engines", tag: "gamedev" },
  { subject: "tide tables", tag: "sailing" },
  { subject: "agents and tools", tag: "agents" },
  { subject: "letterpress", tag: "print" },
];

const openings: Some<string> = [
  "Spent the morning with % and regret nothing.",
  "Nobody warned me how deep % can go.",
  "A small thread of notes about % is coming this week.",
  "Unpopular opinion: % deserves better documentation.",
  "Today I learned three things about %, two of them wrong.",
  "Looking for people who care about % as much as I do.",
  "What is the one thing you wish you had known about %?",
  "Shipped a tiny tool for %. It does one thing.",
  "If % were easy, it would be boring.",
];

const answers: Some<string> = [
  "Same here, it took me a week to see it.",
  "Do you have a link to that?",
  "This matches what we measured.",
  "I would start smaller and write a test first.",
  "Saving this for the weekend.",
  "Not convinced, but I like the direction.",
  "Thank you, this saved my afternoon.",
  "How does it behave when the network is slow?",
];

const comments: Some<string> = [
  "Worth reading twice.",
  "This is the part everyone skips.",
  "Adding some context from our side.",
  "Filed under things I should have known.",
];

const calls: Some<string> = [
  "@ have you tried this on a cold start?",
  "Great work on the new release, @",
  "Question for @: what would you change today?",
  "@ this broke for me after the update, any hints?",
  "Learned this from @ last year, still true.",
];

const messages: Some<string> = [
  "Are you around this afternoon?",
  "I sent you the draft, no hurry.",
  "The second paragraph is the best one.",
  "Can we move it to Thursday?",
  "Found the bug, it was the clock.",
  "Here is the page I meant: https://notes.example.com/draft",
];

const otherLanguages: Some<Phrase> = [
  { lang: "ja", text: "今日は古い地図を一日中眺めていました。" },
  { lang: "de", text: "Heute nur Gezeitentafeln und Tee." },
  { lang: "es", text: "Un día tranquilo entre mapas y pan recién hecho." },
  { lang: "ko", text: "작은 도구를 하나 만들었어요." },
];

const emoji: Some<string> = ["🙂", "🔧", "🐦", "🧭", "🍞", "🚲", "👩🏽‍💻"];
const cashtags: Some<string> = ["$TOOL", "$BREAD", "$MAPS"];
