// A server on the library as it is installed, with one tool. Plain JavaScript, so that its start does not pay for stripping types.
import { defineServer, ok } from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";

const server = defineServer({ name: "library", version: "1.0.0", instructions: "Posts." });
const getPost = server.tool({
  name: "get_post",
  title: "Get a post",
  description: "One post with its author and counts.",
  effect: "none",
  openWorld: true,
  errors: [],
  input: z.strictObject({ id: z.string().describe("The post's id") }),
  output: z.object({ id: z.string(), text: z.string() }),
  handler: ({ id }) => ok({ id, text: "A post." }),
});

serveStdio(server.app({ tools: [getPost] }));
