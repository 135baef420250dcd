import { columns } from "@toolpact/cli";
import type { Manifest, ManifestEntry } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import { type Profile, profiles } from "../../profiles.ts";
import { command } from "../machine.ts";
import { profileOption } from "../serving-options.ts";

export const mcpManifest = command({
  name: "manifest",
  describe: "Print every tool with its input, requirements, effects and error codes",
  options: {
    profile: profileOption("Only the tools of this profile"),
    format: {
      kind: "value",
      placeholder: "FORMAT",
      describe: "Format; json by default",
      choices: ["json", "table", "markdown"],
    },
  },
  examples: [
    { line: "tuitbot mcp manifest --format table", does: "all tools, one line each" },
    { line: "tuitbot mcp manifest --profile utility-write", does: "one profile, for a program" },
  ],
  async run({ profile, format }) {
    const { fullManifest, profileManifest } = await import("../../server/manifest.ts");
    const manifest = profile === undefined ? fullManifest() : profileManifest(profile);
    const included = profile === undefined ? profiles : [profile];
    return ok({ text: await manifestText(manifest, included, format ?? "json"), json: manifest });
  },
});

async function manifestText(
  manifest: Manifest,
  included: readonly Profile[],
  format: "json" | "table" | "markdown",
): Promise<string> {
  switch (format) {
    case "json":
      return (await import("@toolpact/contract/internal")).manifestJson(manifest);
    case "table":
      return table(manifest);
    case "markdown":
      return (await import("../../server/tools-page.ts")).toolsMarkdown(manifest, included);
  }
}

function table({ tools, tool_count }: Manifest): string {
  const rows = tools.map((tool) => [
    tool.name,
    tool.category,
    String(tool.lane),
    tool.mutation ? "changes" : "reads",
    needs(tool),
    tool.profiles.join(" "),
  ]);
  return `${columns([["TOOL", "CATEGORY", "LANE", "EFFECT", "NEEDS", "PROFILES"], ...rows])}${tool_count} tools\n`;
}

function needs(tool: ManifestEntry): string {
  const named = [
    ["requires_x_client", "x"],
    ["requires_db", "db"],
    ["requires_llm", "llm"],
  ] as const;
  return named.flatMap(([field, name]) => (tool[field] === true ? [name] : [])).join(" ") || "-";
}
