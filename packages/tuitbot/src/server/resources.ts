import { join } from "node:path";
import { APP_MIME_TYPE, ok, type Resource, type Skill, skillResource } from "@toolpact/contract";
import type { Guide } from "../app/services.ts";
import { dashboardUrl } from "../config/account-name.ts";
import { errors } from "../errors.ts";
import type { TuitbotCatalog } from "../guards/call/tool-facts.ts";
import { pageFolder, storedFile, unpacked } from "../page-files.ts";
import type { Profile } from "../profiles.ts";
import { APPS, defineResource } from "../tools/product.ts";
import { promptsFor } from "./prompts.ts";
import { skills } from "./skills.gen.ts";
import { APPROVALS } from "./watch-approvals.ts";

/** The skills whose every step a client of these tools can carry out. */
export function skillsFor(selected: TuitbotCatalog): readonly Skill[] {
  return skills.filter((skill) => toolsIn(skill).every((tool) => selected.get(tool) !== undefined));
}

/** Skills and prompts, for agents whose client offers them neither. */
export function guidesFor(selected: TuitbotCatalog): readonly Guide[] {
  return [
    ...skillsFor(selected).map((skill) => ({
      name: skill.name,
      description: skillResource(skill).description,
      text: skill.text,
    })),
    ...promptsFor(selected).map(({ name, description }) => ({ name, description })),
  ];
}

function toolsIn({ text }: Skill): readonly string[] {
  return [...text.matchAll(/"tool": "(\w+)"/g)].map(([, tool = ""]) => tool);
}

/** The resources of a profile. */
export function resourcesFor(profile: Profile, selected: TuitbotCatalog): readonly Resource[] {
  return [
    defineResource({
      uri: "tuitbot://config",
      name: "config",
      title: "Configuration",
      description: "Every setting in force, secrets masked.",
      mimeType: "application/json",
      needs: ["config"],
      read: async (_request, { config }) => ok(asJson(config.masked())),
    }),
    defineResource({
      uri: "tuitbot://errors",
      name: "errors",
      title: "Error codes",
      description: "Every code a tool can fail with: meaning, reasons, and whether to try again.",
      mimeType: "application/json",
      needs: [],
      read: async () => ok(asJson(errors.rows)),
    }),
    defineResource({
      uri: "tuitbot://tools/{name}",
      name: "tool",
      title: "A tool in full",
      description: "What one tool takes, answers with, needs and costs, and how it can fail.",
      mimeType: "application/json",
      needs: [],
      complete: {
        name: (prefix) => selected.tools.map(({ name }) => name).filter((name) => name.startsWith(prefix)),
      },
      async read({ params: { name = "" } }) {
        const tool = selected.get(name);
        if (tool === undefined) return errors.fail("not_found", `The profile ${profile} has no such tool.`);
        const { profileManifest, toolCost } = await import("./manifest.ts");
        const [entry] = profileManifest(profile, selected.select({ tools: [name] })).tools;
        return ok(asJson({ ...entry, output_schema: tool.outputSchema(), cost_at_x: toolCost(tool) }));
      },
    }),
    ...(selected.get(DRAFTS_TOOL) === undefined ? [] : [drafts]),
    ...(selected.get(APPROVALS_TOOL) === undefined ? [] : [approvals, approval, ...appResources]),
  ];
}

const DRAFTS_TOOL = "list_drafts";
const APPROVALS_TOOL = "list_pending_approvals";

/** The tools without which a resource or skill is not offered, by its address. */
export function toolsOfResources(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([
    [drafts.uri, [DRAFTS_TOOL]],
    ...[approvals, approval, ...appResources].map(({ uri }) => [uri, [APPROVALS_TOOL]]),
    ...skills.map((skill) => [skillResource(skill).uri, toolsIn(skill)]),
  ]);
}

const drafts = defineResource({
  uri: "tuitbot://drafts",
  name: "drafts",
  title: "Drafts",
  description: "Posts and threads still to be decided about, newest first.",
  mimeType: "application/json",
  needs: ["db", "workflow"],
  async read(_request, { db, workflow }) {
    const [{ listDrafts }, { draftView }, { orStorageFailure }] = await Promise.all([
      import("../drafts/find-draft.ts"),
      import("../drafts/draft-view.ts"),
      import("../storage/storage-error.ts"),
    ]);
    return orStorageFailure(async () => {
      const found = await listDrafts({ ...db, now: workflow.now }, { limit: 100 });
      return ok(asJson(found.items.map(draftView)));
    });
  },
});

const approvals = defineResource({
  uri: APPROVALS,
  name: "approvals",
  title: "Approvals",
  description:
    "Calls that wait for a person, and the latest decisions. Subscribe to hear of each decision at once.",
  mimeType: "application/json",
  needs: ["db", "workflow"],
  async read(_request, { db, workflow }) {
    const [{ approvalsForAgent }, { orStorageFailure }] = await Promise.all([
      import("../approval/agent-view.ts"),
      import("../storage/storage-error.ts"),
    ]);
    return orStorageFailure(async () => ok(asJson(await approvalsForAgent(db, workflow.now()))));
  },
});

const approval = defineResource({
  uri: `${APPROVALS}/{id}`,
  name: "approval",
  title: "One approval",
  description: "A call that waits or was decided: what it does, the person's reason or edit, and its result.",
  mimeType: "application/json",
  needs: ["config", "db", "workflow"],
  async read({ params: { id = "" } }, { config, db, workflow }) {
    const [{ approvalForAgent }, { orStorageFailure }] = await Promise.all([
      import("../approval/agent-view.ts"),
      import("../storage/storage-error.ts"),
    ]);
    const pageUrl = dashboardUrl(config.values.server.public_url, config.account);
    return orStorageFailure(async () => {
      const found = await approvalForAgent(db, Number(id), { now: workflow.now(), pageUrl });
      return found.ok ? ok(asJson(found.value)) : found;
    });
  },
});

function asJson(value: unknown): { readonly text: string } {
  return { text: JSON.stringify(value, null, 2) };
}

/** The apps of profiles with calls that may wait for approval. All three are one document, whose input differs. */
const appResources: readonly Resource[] = [
  app(
    APPS.approval,
    "Approval",
    "What waits for a person, and what became of it. It approves nothing by itself.",
  ),
  app(APPS.postPreview, "Post preview", "A post or thread as X will show it."),
  app(APPS.analytics, "Analytics", "Followers, engagement, topics and the best hours to post."),
];

function app(uri: string, title: string, description: string): Resource {
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  return defineResource({
    uri,
    name: `app-${name}`,
    title,
    description,
    mimeType: APP_MIME_TYPE,
    // It asks nobody but its host.
    meta: { ui: { csp: {}, prefersBorder: true } },
    needs: [],
    async read() {
      const document = await appDocument();
      return ok({ text: document.replace('data-app=""', `data-app="${name}"`) });
    },
  });
}

async function appDocument(): Promise<string> {
  const folder = pageFolder();
  const stored = folder === undefined ? undefined : await storedFile(join(folder, "mcp-app.html"));
  if (stored === undefined) return NOT_BUILT;
  return Buffer.from(stored.isPacked ? await unpacked(stored.content) : stored.content).toString();
}

/** In a checkout, until `npm run build`. */
const NOT_BUILT =
  "<!doctype html><title>tuitbot</title><p>This page is not built yet. The answer of the tool says the same in words.";
