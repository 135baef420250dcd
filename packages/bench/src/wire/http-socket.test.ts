import { describe, expect, test } from "vitest";
import { answerIn } from "./http-socket.ts";

const whole = {
  "a body of known length":
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n" + '{"a":1}',
  "a body in chunks":
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
    '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n',
};

describe.each(Object.entries(whole))("%s", (_what, text) => {
  const bytes = Buffer.from(text);

  test("is read when it is complete", () => {
    const answer = answerIn(bytes);
    expect(answer).toMatchObject({ status: 200, contentType: "application/json" });
    expect(answer?.body.toString()).toBe('{"a":1}');
  });

  test("is not read before that", () => {
    for (let length = 0; length < bytes.length; length++)
      expect(answerIn(bytes.subarray(0, length))).toBeUndefined();
  });
});

test("an answer without a body is read too", () => {
  const answer = answerIn(Buffer.from("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"));
  expect(answer).toMatchObject({ status: 202, body: Buffer.alloc(0) });
});
