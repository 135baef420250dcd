import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getRawAsset, isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** In the executable, the built package, or the web app's package in the checkout. */
export function pageFolder(): string | undefined {
  if (isSea()) return "web";
  return [new URL("./web/", import.meta.url), new URL("../../tuitbot-web/dist/", import.meta.url)]
    .map((url) => fileURLToPath(url))
    .find((folder) => ["index.html.br", "index.html"].some((name) => existsSync(join(folder, name))));
}

/** The package has only the compressed form. */
export async function storedFile(
  path: string,
): Promise<{ readonly content: Bytes; readonly isPacked: boolean } | undefined> {
  const packed = await contentOf(`${path}.br`);
  if (packed !== undefined) return { content: packed, isPacked: true };
  const content = await contentOf(path);
  return content && { content, isPacked: false };
}

export async function unpacked(content: Bytes): Promise<Bytes> {
  return new Uint8Array(await promisify(brotliDecompress)(content));
}

type Bytes = Uint8Array<ArrayBuffer>;

async function contentOf(path: string): Promise<Bytes | undefined> {
  try {
    return new Uint8Array(isSea() ? getRawAsset(path) : await readFile(path));
  } catch {
    return undefined;
  }
}
