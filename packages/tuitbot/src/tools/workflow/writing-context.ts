import type { Services } from "../../app/services.ts";
import type { WritingContext } from "../../writing/write.ts";

export function writingContext({
  db,
  llm,
  config,
  workflow,
}: Pick<Services, "db" | "llm" | "config" | "workflow">): WritingContext {
  const { access, now } = workflow;
  return { ...db, llm, config: config.values, access, now, random: Math.random };
}
