import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameReader, frame } from "./link.ts";

test("messages survive any cutting of the stream, also through the middle of a letter", () => {
  const messages = fc.array(fc.record({ text: fc.string({ unit: "grapheme" }), n: fc.integer() }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 9 })), (sent, cuts) => {
      const stream = Buffer.concat(sent.map(frame));
      const reader = new FrameReader(1 << 20);
      const received: unknown[] = [];
      for (let at = 0, i = 0; at < stream.length; i++) {
        const end = at + (cuts[i % (cuts.length || 1)] ?? stream.length);
        received.push(...(reader.push(stream.subarray(at, end)) ?? ["broken"]));
        at = end;
      }
      expect(received).toEqual(sent);
    }),
  );
});

test("a length beyond the limit ends the stream before its bytes are taken", () => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(1025);
  expect(new FrameReader(1024).push(head)).toBeUndefined();
});

test.each(["[1]", "null", "{", '"text"'])("a body that is no JSON object ends the stream: %s", (body) => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  expect(new FrameReader(1024).push(Buffer.concat([head, Buffer.from(body)]))).toBeUndefined();
});
