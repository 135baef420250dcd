import { join } from "node:path";
import { APP_MIME_TYPE, ok, type Resource } from "@toolpact/contract";
import { pageFolder, storedFile, unpacked } from "../page-files.ts";
import { APPS } from "../tools/apps.ts";
import { defineResource } from "../tools/product.ts";

/** The apps of a profile whose calls may wait for a person. All three are one document, which is told what it shows. */
export const appResources: readonly Resource[] = [
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
