import type * as z from "zod";
import { describeIssues } from "./bad-input.ts";
import { failed, ok } from "./outcome.ts";
import { wireSchema } from "./schema.ts";
import type { Tool, ToolHead, Work } from "./tool.ts";
import { headOf } from "./tool-head.ts";
import { bindWork } from "./work.ts";

export type ToolDeclaration<
  Category extends string,
  Profile extends string,
  Services,
  Need extends keyof Services,
  Code extends string,
  Notes,
  I extends z.ZodObject,
  O extends z.ZodType,
> = ToolHead<Category, Profile, Need, Code> & Work<Pick<Services, Need>, Code, Notes, I, O>;

/** A tool that does one thing. */
export function plainTool<
  Services,
  Need extends keyof Services & string,
  Code extends string,
  Notes,
  I extends z.ZodObject,
  O extends z.ZodType,
>(declaration: ToolDeclaration<string, string, Services, Need, Code, Notes, I, O>): Tool {
  const parameters = Object.keys(declaration.input.shape);
  return {
    ...headOf(declaration),
    effects: [declaration.effect],
    actions: [],
    inputSchema: () => wireSchema(declaration.input, "input"),
    outputSchema: () => wireSchema(declaration.output, "output"),
    parse(args) {
      const parsed = declaration.input.safeParse(args);
      if (!parsed.success) return failed(describeIssues(declaration.name, parsed.error.issues, parameters));
      return ok(bindWork(declaration, undefined, parsed.data));
    },
  };
}
