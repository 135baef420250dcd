import { failed, ok } from "@toolpact/outcome";
import type * as z from "zod";
import { describeIssues } from "./bad-input.ts";
import { bindWork, headOf, type ToolHead, type Work } from "./declaration.ts";
import { checkZod } from "./peer-versions.ts";
import type { ProductTypes } from "./product.ts";
import { wireSchema } from "./schema.ts";
import type { Tool } from "./tool.ts";

/** The declaration of a tool that does one thing. */
export type ToolDeclaration<
  T extends ProductTypes,
  Category extends string,
  Profile extends string,
  Need extends keyof T["services"],
  Code extends string,
  I extends z.ZodObject,
  O extends z.ZodType,
> = ToolHead<T["facts"], Category, Profile, Need, Code> &
  Work<Pick<T["services"], Need>, Code, T["notes"], T["plan"], I, O>;

/** A tool that does one thing. */
export function plainTool<
  T extends ProductTypes,
  Need extends keyof T["services"] & string,
  Code extends string,
  I extends z.ZodObject,
  O extends z.ZodType,
>(declaration: ToolDeclaration<T, string, string, Need, Code, I, O>): Tool<T["facts"], T["plan"]> {
  checkZod(declaration.name, declaration.input);
  checkZod(declaration.name, declaration.output);
  const parameters = Object.keys(declaration.input.shape);
  const tool: Tool<T["facts"], T["plan"]> = {
    ...headOf<T["facts"]>(declaration),
    effects: [declaration.effect],
    actions: [],
    hasParameter: (name) => parameters.includes(name),
    withActions(names) {
      if (names.length > 0) throw new Error(`${declaration.name} has no actions.`);
      return tool;
    },
    inputSchema: () => wireSchema(declaration.input, "input"),
    outputSchema: () => wireSchema(declaration.output, "output"),
    parse(args, others = []) {
      const parsed = declaration.input.safeParse(args);
      if (!parsed.success)
        return failed(describeIssues(declaration.name, parsed.error.issues, [...parameters, ...others]));
      return ok(bindWork(declaration, undefined, parsed.data));
    },
  };
  return tool;
}
