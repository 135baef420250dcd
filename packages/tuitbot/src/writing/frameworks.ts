export interface Framework {
  /** Relative frequency. */
  readonly weight: number;
  readonly instruction: string;
}

export const ARCHETYPES = {
  agree_and_expand: { weight: 30, instruction: "Agree with the point and take it one step further." },
  ask_question: { weight: 25, instruction: "Ask one question that a curious reader would ask." },
  share_experience: { weight: 20, instruction: "Tell one thing you have seen or done that bears on it." },
  add_data: { weight: 15, instruction: "Add one fact or number that you are sure of." },
  respectful_disagree: { weight: 10, instruction: "Disagree with one part, kindly, and say why." },
} as const satisfies Record<string, Framework>;

export const FORMATS = {
  list: { weight: 1, instruction: "A short list, one thing a line." },
  contrarian_take: {
    weight: 1,
    instruction: "An opinion that most of the field does not share, with its reason.",
  },
  most_people_think_x: { weight: 1, instruction: "What most people think, then what is so instead." },
  storytelling: { weight: 1, instruction: "A small story: what happened, what you learned." },
  before_after: { weight: 1, instruction: "How it was before, how it is now, what changed it." },
  question: { weight: 1, instruction: "A question to the readers that they can answer from experience." },
  tip: { weight: 1, instruction: "One tip that a reader can use today." },
} as const satisfies Record<string, Framework>;

export const STRUCTURES = {
  transformation: {
    weight: 1,
    instruction: "From where it began, through what changed, to where it is now.",
  },
  framework: { weight: 1, instruction: "A method, one step a post." },
  mistakes: { weight: 1, instruction: "Mistakes that people make, one a post, each with its remedy." },
  analysis: { weight: 1, instruction: "Something taken apart: what it is, how it works, what follows." },
} as const satisfies Record<string, Framework>;

export type Archetype = keyof typeof ARCHETYPES;
export type Format = keyof typeof FORMATS;
export type Structure = keyof typeof STRUCTURES;

export function namesOf<Name extends string>(table: Readonly<Record<Name, Framework>>): [Name, ...Name[]] {
  // Tables have rows, and their keys are the names.
  return Object.keys(table) as [Name, ...Name[]];
}

/** Chooses by weight, leaving out those used recently: as many as half of the table. `recent` is newest first. */
export function chooseFramework<Name extends string>(
  table: Readonly<Record<Name, Framework>>,
  recent: readonly string[],
  random: () => number,
): Name {
  const names = namesOf(table);
  const rested = new Set(recent.slice(0, Math.floor(names.length / 2)));
  const fresh = names.filter((name) => !rested.has(name));
  const total = fresh.reduce((sum, name) => sum + table[name].weight, 0);
  let left = random() * total;
  for (const name of fresh) {
    left -= table[name].weight;
    if (left < 0) return name;
  }
  return fresh.at(-1) ?? names[0];
}
