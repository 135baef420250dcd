import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { list, text } from "../../shapes.ts";
import * as p from "../params.ts";
import { product } from "../product.ts";
import { count } from "../words.ts";

const className = z.string().describe("CharacterBody2D or @GDScript");

const memberDocs = list(
  z.strictObject({ name: text, signature: text, description: text.exactOptional() }),
).exactOptional();

const classDoc = z.strictObject({
  version: text,
  name: text,
  inherits: text.exactOptional(),
  brief: text,
  description: text.exactOptional(),
  properties: memberDocs,
  methods: memberDocs,
  signals: memberDocs,
  constants: memberDocs,
  annotations: memberDocs,
});

const docHits = z.strictObject({
  version: text,
  hits: list(
    z.strictObject({
      name: text,
      member: text.exactOptional(),
      kind: z.enum(["class", "properties", "methods", "signals", "constants", "annotations"]),
      brief: text.exactOptional(),
    }),
  ),
});

export const docsTool = product.defineActionTool({
  name: "godot_docs",
  title: "Class reference",
  describe:
    "Read the class reference of the installed Godot version. For classes of the project use godot_inspector.",
  category: "docs",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["godots"],
  errors: ["E_NOT_FOUND", "E_TIMEOUT", "E_UNSUPPORTED"],
  deadlineMs: 120_000,
  goOn: "Ask for one member with get_member.",
  actions: (action) => ({
    search: action({
      describe: "Find classes and members by name or purpose.",
      effect: "none",
      input: z.strictObject({ query: z.string().describe("Words: move body"), limit: p.limit("20") }),
      output: docHits,
      run: async ({ query, limit = 20 }, { godots, signal }) => {
        const docs = await godots.docs(signal);
        if (!docs.ok) return docs;
        const { version } = docs.value;
        const hits = docs.value.search(query, limit);
        const summary = `${count(hits.length, "hit")} in the reference of Godot ${version}.`;
        return ok({ version, hits }, { summary });
      },
    }),
    get_class: action({
      describe: "Get a class with its members.",
      effect: "none",
      input: z.strictObject({ class: className }),
      output: classDoc,
      run: async ({ class: name }, { godots, signal }) => {
        const docs = await godots.docs(signal);
        if (!docs.ok) return docs;
        const found = await docs.value.lookUp(name);
        if (!found.ok) return found;
        const summary = `${name}: ${found.value.brief}`.slice(0, 200);
        return ok({ version: docs.value.version, ...found.value }, { summary });
      },
    }),
    get_member: action({
      describe: "Get one member with its full text.",
      effect: "none",
      input: z.strictObject({
        class: className,
        member: z.string().describe("move_and_slide"),
      }),
      output: classDoc,
      run: async ({ class: name, member }, { godots, signal }) => {
        const docs = await godots.docs(signal);
        if (!docs.ok) return docs;
        const found = await docs.value.lookUp(name, member);
        if (!found.ok) return found;
        const { version } = docs.value;
        const summary = `${found.value.name}.${member} in Godot ${version}.`;
        return ok({ version, ...found.value }, { summary });
      },
    }),
  }),
});
