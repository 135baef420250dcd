import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundaryOf, readForm } from "./multipart.ts";

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const place of [...places, bytes.length]) {
    yield bytes.subarray(from, place);
    from = place;
  }
}

test("what FormData wrote is read back, however the network cuts it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.string({ maxLength: 40 }).filter((text) => !text.includes("\r") && !text.includes("\n")),
      fc.array(fc.nat(5_000), { maxLength: 12 }),
      async (file, note, cuts) => {
        const form = new FormData();
        form.set("note", note);
        form.set("media", new Blob([file]));
        form.set("segment_index", "3");
        const request = new Request("http://x.test", { method: "POST", body: form });
        const boundary = boundaryOf(request.headers.get("content-type") ?? "") ?? "";
        const read = await readForm(pieces(await request.bytes(), cuts), boundary, 5_000);
        if (typeof read === "string") throw new Error(read);
        expect([...read.fields]).toEqual([
          ["note", note],
          ["segment_index", "3"],
        ]);
        expect(read.files.get("media")).toEqual({
          bytes: file.length,
          sha256: createHash("sha256").update(file).digest("hex"),
          head: Buffer.from(file.subarray(0, 64)),
        });
      },
    ),
  );
});

test("a file that looks like a delimiter is still a file", async () => {
  const body = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="media"; filename="f"\r\n\r\n\r\n--a\r\n--\r\n--b--\r\n',
  );
  const read = await readForm(pieces(body, [70, 73, 75]), "b", 100);
  expect(typeof read === "string" ? read : read.files.get("media")?.bytes).toBe(
    Buffer.byteLength("\r\n--a\r\n--"),
  );
});

test("a form that ends too early or a file that is too large is refused", async () => {
  const body = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="media"; filename="f"\r\n\r\n12345\r\n--b--\r\n',
  );
  expect(await readForm(pieces(body.subarray(0, -8), []), "b", 100)).toBe("malformed");
  expect(await readForm(pieces(body, []), "b", 4)).toBe("file_too_large");
});
