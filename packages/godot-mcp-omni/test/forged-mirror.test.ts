import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const script = path.join(import.meta.dirname, "../scripts/get-godot.sh");
const run = promisify(execFile);
const TOOLS = ["gpg", "gpgv", "dpkg-deb", "xz", "curl"];
const missing = TOOLS.filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);
const ARCH = { x64: "amd64", arm64: "arm64" }[process.arch as string] ?? "";
const canRun = process.platform === "linux" && ARCH !== "" && missing.length === 0;

/** Files of a mirror by their path. */
type Mirror = Map<string, Buffer>;

const RELEASE = "/dists/sid/Release";
const SIGNATURE = "/dists/sid/Release.gpg";
const LIST = `/dists/sid/main/binary-${ARCH}/Packages.xz`;
const GODOT = "/pool/godot.deb";

if (!canRun)
  it.skip(`get-godot is not tried on forged mirrors: Linux with ${TOOLS.join(", ")} is needed`, () => {});

describe.runIf(canRun)("get-godot", () => {
  let folder: string;
  let honest: Mirror;

  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "forged-mirror-"));
    makeKey("debian");
    makeKey("mallory");
    honest = honestMirror();
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A separate key, and the keyring to check it with. */
  function makeKey(name: string): void {
    const home = path.join(folder, name);
    mkdirSync(home, { mode: 0o700 });
    gpg(name, "--passphrase", "", "--quick-gen-key", `${name}@example.com`, "ed25519", "sign", "never");
    writeFileSync(`${home}.gpg`, gpg(name, "--export"));
  }

  function gpg(name: string, ...args: string[]): Buffer {
    const home = path.join(folder, name);
    return execFileSync(
      "gpg",
      ["--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", ...args],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
  }

  function sign(name: string, release: Buffer): Buffer {
    const file = path.join(folder, "to-sign");
    writeFileSync(file, release);
    return gpg(name, "--output", "-", "--detach-sign", file);
  }

  /** A package whose program leaves a trace when it runs. */
  function packageOf(name: string): Buffer {
    const tree = path.join(folder, `tree-${name}`);
    mkdirSync(path.join(tree, "DEBIAN"), { recursive: true });
    mkdirSync(path.join(tree, "usr/bin"), { recursive: true });
    writeFileSync(
      path.join(tree, "DEBIAN/control"),
      `Package: ${name}\nVersion: 4.5\nArchitecture: ${ARCH}\nMaintainer: nobody\nDescription: test\n`,
    );
    const program = path.join(tree, "usr/bin", name);
    writeFileSync(program, `#!/bin/sh\ntouch "${folder}/ran"\n`);
    chmodSync(program, 0o755);
    const deb = path.join(folder, `${name}.deb`);
    execFileSync("dpkg-deb", ["--build", "--root-owner-group", tree, deb], { stdio: "ignore" });
    return readFileSync(deb);
  }

  function honestMirror(): Mirror {
    const debs = { godot: packageOf("godot"), patchelf: packageOf("patchelf") };
    const entries = Object.entries(debs).map(
      ([name, deb]) =>
        `Package: ${name}\nVersion: 4.5\nFilename: pool/${name}.deb\nSize: ${deb.length}\nSHA256: ${hashOf(deb)}\n\n`,
    );
    const list = execFileSync("xz", ["-c"], { input: entries.join("") });
    const release = releaseOf(list);
    return new Map([
      [RELEASE, release],
      [SIGNATURE, sign("debian", release)],
      [LIST, list],
      [GODOT, debs.godot],
      ["/pool/patchelf.deb", debs.patchelf],
    ]);
  }

  function releaseOf(list: Buffer, { suite = "sid", validForMs = 86_400_000 } = {}): Buffer {
    const until = new Date(Date.now() + validForMs).toUTCString();
    return Buffer.from(
      `Suite: ${suite}\nValid-Until: ${until}\nSHA256:\n ${hashOf(list)} ${list.length} main/binary-${ARCH}/Packages.xz\n`,
    );
  }

  /** A configuration of apt that checks whether a list is too old, or does not. */
  function aptConfig(checksAge: boolean): string {
    const file = path.join(folder, `apt-${checksAge}.conf`);
    const machine = 'Dir::Etc::Parts "none";\nDir::Etc::Main "none";\n';
    writeFileSync(file, `${machine}Acquire::Check-Valid-Until "${checksAge}";\n`);
    return file;
  }

  /** Runs the script against a tampered mirror. */
  async function fetchFrom(mirror: Mirror, env: NodeJS.ProcessEnv = {}) {
    const asked: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      asked.push(url);
      const file = mirror.get(url);
      const to = String(file).match(/^redirect to (\S+)$/)?.[1];
      if (to !== undefined) response.writeHead(302, { location: to }).end();
      else response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const dest = mkdtempSync(path.join(folder, "dest-"));
    const words = [script, "--dest", dest, "--mirror", `http://127.0.0.1:${port}`, "--suites", "sid"];
    const { code, stderr } = await run("bash", words, {
      env: {
        ...process.env,
        APT_CONFIG: aptConfig(true),
        GODOT_KEYRING: path.join(folder, "debian.gpg"),
        ...env,
      },
    }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    );
    server.close();
    const isUnpacked = existsSync(path.join(dest, "root"));
    return { code, said: stderr, asked, isUnpacked, hasRun: existsSync(path.join(folder, "ran")) };
  }

  it("unpacks what an honest mirror has", async () => {
    const { code, said, isUnpacked } = await fetchFrom(honest);
    // The packages of this test have no loader, which is missed after they are checked and unpacked.
    expect(said).toContain("in the unpacked tree");
    expect({ code, isUnpacked }).toEqual({ code: 5, isUnpacked: true });
  }, 60_000);

  const forgedList = () => execFileSync("xz", ["-c"], { input: "Package: godot\nVersion: 4.6\n\n" });
  const signedBy = (name: string, release: Buffer): readonly [string, Buffer][] => [
    [RELEASE, release],
    [SIGNATURE, sign(name, release)],
  ];
  const file = (name: string) => honest.get(name) ?? Buffer.alloc(0);
  const FORGERIES: Readonly<Record<string, readonly [() => readonly (readonly [string, Buffer])[], string]>> =
    {
      "a changed package": [
        () => [[GODOT, Buffer.concat([file(GODOT).subarray(0, -1), Buffer.from("!")])]],
        "hash mismatch",
      ],
      "a package that is cut short": [() => [[GODOT, file(GODOT).subarray(0, 200)]], "hash mismatch"],
      "another package under its name": [() => [[GODOT, file("/pool/patchelf.deb")]], "hash mismatch"],
      "a package at another address": [
        () => [[GODOT, Buffer.from("redirect to /pool/patchelf.deb")]],
        "could not be fetched",
      ],
      "a changed package list": [() => [[LIST, forgedList()]], "fails its hash"],
      "a changed release": [() => [[RELEASE, releaseOf(forgedList())]], "bad signature"],
      "text in front of the signed release": [
        () => [[RELEASE, Buffer.concat([releaseOf(forgedList()), file(RELEASE)])]],
        "bad signature",
      ],
      "text after the signed release": [
        () => [[RELEASE, Buffer.concat([file(RELEASE), Buffer.from("SHA512:\n")])]],
        "bad signature",
      ],
      "a release that somebody else has signed": [() => signedBy("mallory", file(RELEASE)), "bad signature"],
      "an empty signature": [() => [[SIGNATURE, Buffer.alloc(0)]], "bad signature"],
      "a release that is too old": [
        () => signedBy("debian", releaseOf(file(LIST), { validForMs: -1_000 })),
        "too old",
      ],
      "another signed release in its place": [
        () => signedBy("debian", releaseOf(file(LIST), { suite: "oldstable" })),
        "another release",
      ],
    };

  it.each(Object.entries(FORGERIES))(
    "unpacks and runs nothing of a mirror with %s",
    async (_, [forge, why]) => {
      const result = await fetchFrom(new Map([...honest, ...forge()]));
      expect(result.said).toContain(why);
      expect(result).toMatchObject({ code: 4, isUnpacked: false, hasRun: false });
    },
    60_000,
  );

  it("unpacks what a frozen mirror has if apt is configured to accept it", async () => {
    const old = releaseOf(file(LIST), { validForMs: -1_000 });
    const frozen = new Map([...honest, ...signedBy("debian", old)]);
    const { code, isUnpacked } = await fetchFrom(frozen, { APT_CONFIG: aptConfig(false) });
    expect({ code, isUnpacked }).toEqual({ code: 5, isUnpacked: true });
  }, 60_000);

  it("unpacks nothing of a mirror without a signature", async () => {
    const unsigned = new Map(honest);
    unsigned.delete(SIGNATURE);
    const { code, said, isUnpacked } = await fetchFrom(unsigned);
    expect(said).toContain("no signed sid");
    expect({ code, isUnpacked }).toEqual({ code: 4, isUnpacked: false });
  }, 60_000);

  it("asks no mirror if the signature cannot be checked here", async () => {
    const noKeyring = await fetchFrom(honest, { GODOT_KEYRING: path.join(folder, "none.gpg") });
    expect(noKeyring).toMatchObject({ code: 3, asked: [], isUnpacked: false });
    expect(noKeyring.said).toContain("debian-archive-keyring");
    // Every program but those that check signatures.
    const bin = path.join(folder, "bin");
    mkdirSync(bin);
    for (const tool of [
      "bash",
      "uname",
      "grep",
      "curl",
      "xz",
      "awk",
      "sha256sum",
      "xargs",
      "tar",
      "mkdir",
      "sed",
    ]) {
      const found = spawnSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).stdout.trim();
      symlinkSync(found, path.join(bin, tool));
    }
    const noProgram = await fetchFrom(honest, { PATH: bin });
    expect(noProgram).toMatchObject({ code: 3, asked: [], isUnpacked: false });
    expect(noProgram.said).toContain("needs gpgv or sqv");
  }, 60_000);
});

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
