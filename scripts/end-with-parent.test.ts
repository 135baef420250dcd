import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFailed, test } from "vitest";

const script = `
  import { endWithParent } from ${JSON.stringify(new URL("./end-with-parent.ts", import.meta.url).href)};
  endWithParent();
  process.on("SIGTERM", () => {
    console.log("done");
    process.exit();
  });
  setInterval(() => {}, 60_000);
  console.log(process.pid);
`;

test("a script ends with the shell that npm started it in", async () => {
  // The last command keeps the shell from replacing itself.
  const line = `"$NODE" --input-type=module --eval "$SCRIPT"; exit`;
  const env = { ...process.env, NODE: process.execPath, SCRIPT: script };
  const shell = spawn("sh", ["-c", line], { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  shell.stdout.setEncoding("utf8").on("data", (part: string) => {
    said += part;
  });
  await once(shell.stdout, "data");
  onTestFailed(() => void process.kill(Number.parseInt(said, 10)));
  shell.kill("SIGTERM");
  await once(shell.stdout, "close");
  expect(said).toMatch(/^\d+\ndone\n$/);
});
