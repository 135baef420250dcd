import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser on this machine; undefined where there is none and none can be installed. */
export function chromiumPath(): string | undefined {
  return found() ?? installed();
}

function found(): string | undefined {
  return [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path));
}

/** Debian's, where this may be installed: as root, with apt. */
function installed(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return undefined;
  try {
    const words = ["install", "-y", "--no-install-recommends", "chromium"];
    execFileSync("apt-get", words, { stdio: "ignore", timeout: 300_000 });
  } catch {
    return undefined;
  }
  return found();
}

/** Nothing of it calls anybody but the server of the test. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function openChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}
