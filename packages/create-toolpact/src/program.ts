import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { createProject } from "./create-project.ts";

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const USAGE = `Usage: npm create toolpact FOLDER

Makes an MCP server with a tool, a guard, a test, a Dockerfile and CI in a new or an empty folder.
The name of the folder is the name of the server.`;

/** The command line behind `npm create toolpact`. */
export async function run(words: readonly string[]): Promise<Result> {
  const read = readWords(words);
  if (typeof read === "string") return { code: 2, out: "", err: `create-toolpact: ${read}\n\n${USAGE}\n` };
  const { values, positionals } = read;
  if (values.version) return { code: 0, out: `create-toolpact ${packageJson.version}\n`, err: "" };
  if (values.help) return { code: 0, out: `${USAGE}\n`, err: "" };
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    return { code: 2, out: "", err: `create-toolpact: Name one folder.\n\n${USAGE}\n` };
  const created = await createProject(folder, packageJson.devDependencies);
  if (!created.ok)
    return { code: 1, out: "", err: `create-toolpact: ${created.failure.message} ${created.failure.fix}\n` };
  const out = `Made ${created.value.name} in ${folder}. Next:

  cd ${folder}
  npm install
  npm test
  npm start

README.md says how to give it to an agent.
`;
  return { code: 0, out, err: "" };
}

function readWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, version: { type: "boolean" } },
    });
  } catch (error) {
    return (error as Error).message;
  }
}
