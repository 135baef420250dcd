import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInMemory } from "@toolpact/cli/testing";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { program } from "../../src/command/program.ts";
import { lab, legs, published } from "./lab.ts";

test.each(legs)(
  "over $transport, $era: a gate that watches sends what it would ask about, and proposes a policy that covers just that",
  async (leg) => {
    const { connect, folder, policy } = await lab(
      (at) => `wait_seconds = 0
watch = true
[servers.files]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify(published("server-filesystem", join(at, "files")).slice(1))}
[servers.files.tools]
read_text_file = "read_only"
write_file = { rule = "person", price = 0.25 }
move_file = "deny"
`,
    );
    const files = join(folder, "files");
    mkdirSync(join(files, "notes"), { recursive: true });
    const first = await connect(leg);
    const path = join(files, "notes", "a.txt");
    for (const content of ["1", "2"])
      expect(await first.call("files__write_file", { path, content })).toMatchObject({ isError: false });
    await first.call("files__read_text_file", { path });
    await first.call("files__list_directory", { path: files });
    await first.close();

    const { out, json } = {
      ...(await runInMemory(program, ["gate", "watch", "--policy", policy], { server: [] })),
      json: (
        await runInMemory(program, ["gate", "watch", "--policy", policy, "--output", "json"], { server: [] })
      ).json(),
    };
    expect(out).toContain("# 4 calls since");
    expect(out).toContain("# The rules would have asked about 3 of them. The calls cost $0.50.");
    expect(parse(out)).toMatchObject({
      servers: {
        files: {
          tools: {
            read_text_file: "read_only",
            list_directory: { when: expect.stringContaining(`inside(args.path, "${files}") &&`) },
            write_file: { rule: "allow", when: expect.stringContaining(join(files, "notes")), price: 0.25 },
          },
        },
      },
    });
    expect(json).toMatchObject({ tools: [{ tool: "files__list_directory", calls: 1, asked: 1 }, {}, {}] });

    // As a policy, the proposal lets these calls pass and asks about others.
    const proposed = out.slice(out.indexOf("[servers.files.tools]"));
    writeFileSync(
      policy,
      `wait_seconds = 0\n[servers.files]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(published("server-filesystem", files).slice(1))}\n${proposed}`,
    );
    const second = await connect(leg);
    expect(await second.call("files__write_file", { path, content: "3" })).toMatchObject({ isError: false });
    const other = join(files, "b.txt");
    expect(await second.call("files__write_file", { path: other, content: "3" })).toMatchObject({
      gate: { code: "waiting_for_person" },
    });
    expect(existsSync(other)).toBe(false);
  },
);
