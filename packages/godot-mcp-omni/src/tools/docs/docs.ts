import * as z from "zod";
import { told } from "../answer.ts";
import { ANY_CODE } from "../codes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { count } from "../words.ts";

export const docsTool = product.defineActionTool({
  name: "godot_docs",
  title: "Class reference",
  describe: "The class reference of the person's own Godot, offline and of exactly its version.",
  category: "docs",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["godots"],
  errors: ANY_CODE,
  deadlineMs: 120_000,
  goOn: "Ask for one member with get_member.",
  actions: (action) => ({
    search: action({
      describe: "Classes and members by name or purpose.",
      effect: "none",
      input: z.strictObject({ query: z.string().describe("Words"), limit: p.limit }),
      output: p.answer,
      run: async ({ query, limit = 20 }, { godots, signal }) => {
        const docs = await godots.docs(signal);
        if (!docs.ok) return docs;
        const hits = docs.value.search(query, limit);
        return told(
          { version: docs.value.version, hits },
          { summary: `${count(hits.length, "hit")} in the reference of Godot ${docs.value.version}.` },
        );
      },
    }),
    get_class: action({
      describe: "A class with its members.",
      effect: "none",
      input: z.strictObject({ class: z.string().describe("Such as CharacterBody2D or @GDScript") }),
      output: p.answer,
      run: async ({ class: name }, { godots, signal }) => {
        const docs = await godots.docs(signal);
        if (!docs.ok) return docs;
        const found = await docs.value.lookUp(name);
        if (!found.ok) return found;
        return told(
          { version: docs.value.version, ...found.value },
          {
            summary: `${name}: ${found.value.brief}`.slice(0, 200),
          },
        );
      },
    }),
    get_member: action({
      describe: "One property, method, signal or constant with its whole text.",
      effect: "none",
      input: z.strictObject({
        class: z.string().describe("Such as CharacterBody2D or @GDScript"),
        member: z.string().describe("Such as move_and_slide"),
      }),
      output: p.answer,
      run: async ({ class: name, member }, { godots, signal }) => {
        const docs = await godots.docs(signal);
        if (!docs.ok) return docs;
        const found = await docs.value.lookUp(name, member);
        if (!found.ok) return found;
        return told(
          { version: docs.value.version, ...found.value },
          {
            summary: `${found.value.name}.${member} in Godot ${docs.value.version}.`,
          },
        );
      },
    }),
  }),
});
