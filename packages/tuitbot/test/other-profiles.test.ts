import { describe } from "vitest";
import { everyTool, guardsAnswer } from "./every-tool.ts";

describe("guards", guardsAnswer);
describe.each(["api-readonly", "write", "utility-readonly"] as const)("in the profile %s", everyTool);
