import { ok } from "@toolpact/outcome";
import type { JsonObject } from "./json.ts";
import { type Resource, resource } from "./resource.ts";

/** The text of a SKILL.md, for agents. */
export interface Skill {
  readonly name: string;
  readonly text: string;
}

/** The resource of a skill. */
export function skillResource(skill: Skill): Resource {
  return resource<object, never, never>({
    uri: skillUri(skill),
    name: skill.name,
    title: skill.name,
    description: frontmatterOf(skill).description ?? "",
    mimeType: "text/markdown",
    needs: [],
    read: async () => ok({ text: skill.text }),
  });
}

/** The frontmatter, and the file with a digest for hosts. */
export function skillEntry(skill: Skill): JsonObject {
  const uri = skillUri(skill);
  const bytes = Buffer.from(skill.text);
  const digest = process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex");
  return {
    uri,
    frontmatter: frontmatterOf(skill),
    resources: [{ uri, digest: `sha256:${digest}`, size: bytes.length }],
  };
}

function skillUri({ name }: Skill): string {
  return `skill://${name}/SKILL.md`;
}

const HEAD = /^---\n(.*?)\n---\n/s;
const LINE = /^([a-z-]+): ([^\n'"[{&*!|>%@`#].*)$/;

/** Skills need only plain one-line values, so other YAML is rejected. */
function frontmatterOf({ name, text }: Skill): Readonly<Record<string, string>> {
  const lines = HEAD.exec(text)?.[1]?.split("\n") ?? [];
  const members = lines.map((line) => {
    const [, key, value] = LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || value.includes(": ") || value.includes(" #"))
      throw new Error(`The skill ${name} has a line before its text that is not a plain member: ${line}`);
    return [key, value] as const;
  });
  const found: Readonly<Record<string, string>> = Object.fromEntries(members);
  if (found.name !== name || !found.description)
    throw new Error(`The skill ${name} must begin with its name and a description.`);
  return found;
}
