import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { getRawAsset, isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/**
 * The folder of the built web app: in the executable if there are no files, next to this file in the built package, in
 * the web app's package in the checkout.
 */
export function pageFolder(): string | undefined {
  if (isSea()) return "web";
  return [new URL("./web/", import.meta.url), new URL("../../tuitbot-web/dist/", import.meta.url)]
    .map((url) => fileURLToPath(url))
    .find((folder) => ["index.html.br", "index.html"].some((name) => existsSync(join(folder, name))));
}

/** A file as it is stored: the package has them compressed alone. Undefined where there is none. */
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
