import { badInput, type ToolCall } from "./tool-call.ts";

export const mediaCalls: Readonly<Record<string, ToolCall>> = {
  x_upload_media: {
    args: () => ({ file_path: "cat.png", alt_text: "A cat" }),
    failures: [
      {
        what: "a text",
        args: () => ({ file_path: "notes.txt" }),
        code: "unsupported_media_type",
        asksX: false,
      },
      {
        what: "what is not there",
        args: () => ({ file_path: "dog.png" }),
        code: "file_read_error",
        asksX: false,
      },
      {
        what: "too much",
        args: () => ({ file_path: "huge.png" }),
        code: "media_upload_error",
        reason: "too_large",
        asksX: false,
      },
      badInput("a file elsewhere", () => ({ file_path: "/etc/hostname" }), "path_not_allowed"),
    ],
  },
};
