import { expect, test } from "vitest";
import { profileManifest } from "../../server/manifest.ts";

const { tools } = profileManifest("write");

function codesOf(name: string): readonly string[] {
  return tools.find((tool) => tool.name === name)?.possible_error_codes ?? [];
}

test.each(["x_post_tweet", "x_post_thread"])(
  "publish_draft announces every way in which %s can end",
  (tool) => {
    expect(codesOf(tool)).not.toEqual([]);
    const unannounced = codesOf(tool).filter((code) => !codesOf("publish_draft").includes(code));
    // A draft without media and a signed-in publisher cannot end in these.
    expect(unannounced.filter((code) => !["file_read_error", "x_not_configured"].includes(code))).toEqual([]);
  },
);
