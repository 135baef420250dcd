import { join } from "node:path";
import { EFFECTS } from "@toolpact/contract";
import { expect, test } from "vitest";
import { saveAgent } from "../src/agents/agents.ts";
import { limitFrom } from "../src/guards/policy/policy.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { openStore } from "../src/storage/open-store.ts";
import { isClosed } from "./calls/operations.ts";
import { openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";

/** Adds an agent with a limit to the database of a stage and returns its token. */
async function addAgent(home: string, name: string, written: string): Promise<string> {
  const store = await openStore({ path: join(home, "tuitbot.db") }, { now: Date.now });
  const limit = limitFrom(written, name, catalogFor("write").tools);
  if (!store.ok || !limit.ok) throw new Error("The agent cannot be added.");
  const agent = {
    name,
    profile: "write",
    accounts: ["default"],
    limits: [limit.value],
    ...{ perDay: undefined, perMonth: undefined, subject: undefined, expiresAt: undefined },
  } as const;
  const token = await saveAgent(store.value.db, agent, Date.now());
  await store.value.close();
  return String(token);
}

test("`--limit all=1/hour` holds for every tool that reads X or asks a model", async () => {
  const stage = await openStage("write", async (home) => ({
    TUITBOT_AGENT_TOKEN: await addAgent(home, "reader", "all=1/hour"),
  }));
  const reading = catalogFor("write").tools.filter(
    (tool) =>
      (tool.needs.includes("x") || tool.needs.includes("llm")) &&
      !isClosed(tool) &&
      tool.effects.every((effect) => !EFFECTS[effect].mutates),
  );
  expect(reading.length).toBeGreaterThan(20);
  expect(await stage.call("x_get_home_timeline", {})).toMatchObject({ success: true });
  for (const { name } of reading) {
    const args = (await toolCalls[name]?.args(stage)) ?? {};
    const before = stage.sandbox.journal.entries.length;
    const { error } = await stage.call(name, args);
    expect([name, error?.code, error?.details?.limit]).toEqual([
      name,
      "policy_denied_rate_limited",
      "agent:reader:all/hour",
    ]);
    expect(stage.sandbox.journal.entries.slice(before), name).toEqual([]);
    expect(stage.model.requests, name).toEqual([]);
  }
  await stage.close();
});
