import { describe } from "vitest";
import { everyTool, guardsAnswer } from "./every-tool.ts";

// The other profiles have a part of these tools: `other-profiles.test.ts`.
describe("guards", guardsAnswer);
describe.each(["readonly", "admin", "utility-write"] as const)("in the profile %s", everyTool);
