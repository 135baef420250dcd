import type { Caller, JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { agentId } from "../../src/agents/agent.ts";
import { saveAgent } from "../../src/agents/agents.ts";
import { type Approvals, approvalsFor } from "../../src/app/approvals.ts";
import { type Acceptance, acceptProposal, rulesReport, turnOffRule } from "../../src/app/learned-rules.ts";
import type { QueuedMutation } from "../../src/approval/item.ts";
import { type Desk, type DeskSetting, openDesk } from "../engagement/desk.ts";

export const DAY = 86_400_000;
const ANA = 'person via terminal, user "ana"';

/** The product with agents that have tokens, and a person who decides. */
export interface LearningDesk extends Desk {
  /** Makes a call as an agent. */
  readonly as: (agent: string, tool: string, args: JsonObject) => ReturnType<Desk["call"]>;
  readonly decide: Approvals;
  readonly decideAs: (by: string, mayDecide: () => Promise<boolean>) => Approvals;
  readonly waiting: () => Promise<readonly QueuedMutation[]>;
  readonly report: () => ReturnType<typeof rulesReport>;
  readonly accept: (chosen: Acceptance) => ReturnType<typeof acceptProposal>;
  readonly off: (id: number) => ReturnType<typeof turnOffRule>;
  /** Somebody mentions the account. Returns their post. */
  readonly mention: (text: string, by?: string) => string;
  readonly nextDay: () => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

export async function openLearningDesk(
  agents: readonly string[],
  { config, ...setting }: DeskSetting = {},
): Promise<LearningDesk> {
  const desk = await openDesk({ config: { approval_mode: true, ...config }, ...setting });
  const { sandbox, services } = desk;
  for (const name of agents) await addAgent(desk, name);
  const { signal } = new AbortController();
  const decide = approvalsFor(services, { by: ANA, mayDecide: async () => true, signal });
  return {
    ...desk,
    as: (agent, tool, args) => desk.call(tool, args, callerOf(agent)),
    decide,
    decideAs: (by, mayDecide) => approvalsFor(services, { by, mayDecide, signal }),
    waiting: decide.waiting,
    report: () => rulesReport(services),
    accept: (chosen) => acceptProposal(services, chosen, { by: ANA }),
    off: (id) => turnOffRule(services, id, ANA),
    mention: (text, by = cast.friend) => sandbox.say(by, `@${cast.owner} ${text}`).id,
    nextDay: () => sandbox.clock.set(sandbox.clock.now() + DAY),
    [Symbol.asyncDispose]: desk.close,
  };
}

function callerOf(agent: string): Caller {
  return { transport: "http", client: "client", principal: agentId({ name: agent }) };
}

export async function addAgent({ services, sandbox }: Desk, name: string): Promise<void> {
  await saveAgent(
    services.db.store.db,
    {
      name,
      profile: "admin",
      accounts: ["default"],
      perDay: undefined,
      perMonth: undefined,
      limits: [],
      subject: undefined,
      expiresAt: undefined,
    },
    sandbox.clock.now(),
  );
}

/** An agent thanks people on several days, and the person approves each reply. */
export async function approveThanks(desk: LearningDesk, agent = "news", count = 6): Promise<void> {
  for (let index = 0; index < count; index++) {
    await thank(desk, agent);
    for (const item of await desk.waiting()) {
      const approved = await desk.decide.approve(item);
      if (!approved.ok) throw new Error(approved.failure.message);
    }
    if (index % 2 === 1) desk.nextDay();
  }
}

let said = 0;

/** A reply of an agent to somebody who mentioned the account; with the same words, always of the same length. */
export function thank(desk: LearningDesk, agent = "news", words = "reader"): ReturnType<Desk["call"]> {
  said += 1;
  const post = desk.mention(`great bread ${said}`, `${PEOPLE[said % PEOPLE.length]}`);
  return desk.as(agent, "x_reply_to_tweet", {
    in_reply_to_id: post,
    text: `Thanks, ${words} ${100 + said}!`,
  });
}

const PEOPLE = [cast.friend, cast.stranger];
