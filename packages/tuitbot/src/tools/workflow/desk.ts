import type { Desk } from "../../writing/write.ts";
import type { Services } from "../product.ts";

/** The desk of a server, for a tool that names these services. */
export function deskFor({
  db,
  llm,
  config,
  workflow,
}: Pick<Services, "db" | "llm" | "config" | "workflow">): Desk {
  const { access, now } = workflow;
  return { ...db, llm, config: config.values, access, now, random: Math.random };
}
