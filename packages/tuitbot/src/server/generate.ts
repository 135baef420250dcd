import { manifestJson } from "@toolpact/contract/internal";
import { configurationMarkdown } from "../config/reference.ts";
import { templates } from "../guards/policy/templates.ts";
import { profiles } from "../profiles.ts";
import { engagements, policyCategories } from "../x/operation-table.ts";
import { fullManifest, profileManifest } from "./manifest.ts";
import { toolsPages } from "./tools-page.ts";

/** Every generated file about this package: path from the root of the repository, and content. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const full = fullManifest();
  return {
    ...Object.fromEntries(
      profiles.map((profile) => [
        `docs/generated/mcp-manifest-${profile}.json`,
        manifestJson(profileManifest(profile)),
      ]),
    ),
    "roadmap/artifacts/session-05-tool-manifest.json": manifestJson(full),
    ...Object.fromEntries(
      Object.entries(toolsPages(full, profiles)).map(([page, text]) => [`docs/${page}`, text]),
    ),
    "docs/configuration.md": configurationMarkdown({ templates, categories: policyCategories, engagements }),
  };
}
