import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { ClassDoc } from "../../godot/docs.ts";
import { list, count as shapeOfCount, text } from "../../shapes.ts";
import { onePage } from "../../shortened-page.ts";
import * as p from "../params.ts";
import { count, product } from "../product.ts";

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

const classPage = classDoc.extend({ total: shapeOfCount, next: shapeOfCount.exactOptional() });

const MEMBERS = ["properties", "methods", "signals", "constants", "annotations"] as const;
const MAX_TEXT_LENGTH = 1500;

/** A class with a page of its members' signatures. get_member returns the text of each. */
function pageOf(doc: ClassDoc, contains: string, after: number, limit: number | undefined) {
  const wanted = contains.toLowerCase();
  const all = MEMBERS.flatMap((kind) =>
    (doc[kind] ?? [])
      .filter((member) => member.name.toLowerCase().includes(wanted))
      .map(({ name, signature }) => ({ kind, member: { name, signature } })),
  );
  const rest = all.slice(after, limit === undefined ? undefined : after + limit);
  const description = doc.description ?? "";
  const isFirst = after === 0 && contains === "";
  const shown =
    limit === undefined
      ? onePage([description.slice(0, isFirst ? MAX_TEXT_LENGTH : 0), ...rest]).slice(1)
      : rest;
  // The first item is the text, which takes up space on the page.
  const members = shown as typeof rest;
  const next = after + members.length;
  return {
    name: doc.name,
    ...(doc.inherits !== undefined && { inherits: doc.inherits }),
    brief: doc.brief,
    ...(isFirst &&
      description !== "" && {
        description:
          description.length > MAX_TEXT_LENGTH ? `${description.slice(0, MAX_TEXT_LENGTH)}…` : description,
      }),
    ...Object.fromEntries(
      MEMBERS.flatMap((kind) => {
        const own = members.flatMap((row) => (row.kind === kind ? [row.member] : []));
        return own.length === 0 ? [] : [[kind, own]];
      }),
    ),
    total: all.length,
    ...(next < all.length && { next }),
  };
}

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
  description:
    "Read the class reference of the installed Godot version. For classes of the project use godot_inspector.",
  category: "docs",
  openWorld: false,
  profiles: ["default", "full"],
  needs: ["workspace"],
  errors: ["E_NOT_FOUND", "E_TIMEOUT", "E_UNSUPPORTED"],
  deadlineMs: 120_000,
  goOn: "Ask for one member with get_member, or for the next page.",
  actions: (action) => ({
    search: action({
      description: "Find classes and members by name or purpose.",
      effect: "none",
      input: z.strictObject({
        query: z.string().describe("Words: move body"),
        limit: p.limit("a page; search 20"),
      }),
      output: docHits,
      handler: async ({ query, limit = 20 }, { workspace, signal }) => {
        const docs = await workspace.docs(signal);
        if (!docs.ok) return docs;
        const { version } = docs.value;
        const hits = docs.value.search(query, limit);
        const summary = `${count(hits.length, "hit")} in the reference of Godot ${version}.`;
        return ok({ version, hits }, { summary });
      },
    }),
    get_class: action({
      description: "Get a class and the signatures of its members, by page.",
      effect: "none",
      input: z.strictObject({
        class: className,
        contains: z.string().optional().describe("Part of its name"),
        after: z.int().min(0).optional().describe("`next` of the last page"),
        limit: p.limit("a page; search 20"),
      }),
      output: classPage,
      handler: async ({ class: name, contains, after = 0, limit }, { workspace, signal }) => {
        const docs = await workspace.docs(signal);
        if (!docs.ok) return docs;
        const found = await docs.value.lookUp(name);
        if (!found.ok) return found;
        const page = pageOf(found.value, contains ?? "", after, limit);
        const rest = page.next === undefined ? "" : ` Members ${after + 1}–${page.next} of ${page.total}.`;
        const summary = `${name}: ${found.value.brief}`.slice(0, 200) + rest;
        return ok({ version: docs.value.version, ...page }, { summary });
      },
    }),
    get_member: action({
      description: "Get one member with its full text.",
      effect: "none",
      input: z.strictObject({
        class: className,
        member: z.string().describe("move_and_slide"),
      }),
      output: classDoc,
      handler: async ({ class: name, member }, { workspace, signal }) => {
        const docs = await workspace.docs(signal);
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
