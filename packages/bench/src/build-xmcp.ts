import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/run.ts";
import { fetchedFolder, fetchPackages, isFetched } from "./fetched-packages.ts";
import { noop, tools140 } from "./servers/tools140.ts";
import { NEWEST } from "./versions.ts";

const XMCP = {
  name: "xmcp",
  version: NEWEST.xmcp,
  dependencies: { xmcp: NEWEST.xmcp, zod: "4.6.7" },
  devDependencies: { "@xmcp-dev/compiler": NEWEST.xmcp },
};
const FOLDER = fetchedFolder(XMCP);
const CONFIG = `export default {
  http: { host: "127.0.0.1" },
  stdio: true,
  paths: { tools: "src/tools", prompts: false, resources: false },
  typescript: { skipTypeCheck: true },
};
`;
const TSCONFIG = {
  compilerOptions: { target: "es2022", module: "esnext", moduleResolution: "bundler", skipLibCheck: true },
  include: ["src", "xmcp.config.ts"],
};

export const xmcpIsFetched = (): boolean => isFetched(XMCP);
export const fetchXmcp = (): Promise<string | undefined> => fetchPackages(XMCP);

/** xmcp requires one file per tool and a shared module. Returns the build folder. */
export async function buildXmcp(tools: Readonly<Record<string, string>>, shared: string): Promise<string> {
  await rm(join(FOLDER, "src"), { recursive: true, force: true });
  for (const folder of ["src", "src/tools"]) await mkdir(join(FOLDER, folder));
  await cp(shared, join(FOLDER, "src", basename(shared)));
  await writeFile(join(FOLDER, "xmcp.config.ts"), CONFIG);
  await writeFile(join(FOLDER, "tsconfig.json"), JSON.stringify(TSCONFIG));
  for (const [name, text] of Object.entries(tools))
    await writeFile(join(FOLDER, `src/tools/${name}.ts`), text);
  const built = await run(join(FOLDER, "node_modules/.bin/xmcp"), ["build"], FOLDER);
  if (!built.ok) throw new Error(`xmcp cannot build:\n${built.output}`);
  return join(FOLDER, "dist");
}

export function buildXmcpServer(): Promise<string> {
  const tools = Object.fromEntries([...tools140, noop].map(({ name }) => [name, toolFile(name)]));
  return buildXmcp(tools, fileURLToPath(new URL("servers/tools140.ts", import.meta.url)));
}

function toolFile(name: string): string {
  return `import { annotationsOf, noop, tools140 } from "../tools140";

const tool = [...tools140, noop].find((one) => one.name === ${JSON.stringify(name)});
export const schema = tool.input.shape;
export const outputSchema = tool.output.shape;
export const metadata = {
  name: tool.name,
  title: tool.title,
  description: tool.description,
  annotations: { title: tool.title, ...annotationsOf(tool) },
};
export default async function run() {
  return { content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } };
}
`;
}
