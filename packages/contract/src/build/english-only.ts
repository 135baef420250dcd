import type { Plugin } from "esbuild";

/** zod brings its messages in some fifty languages, 200 kB, for programs that choose one; ours are in English. */
export const englishOnly: Plugin = {
  name: "english-only",
  setup(bundling) {
    bundling.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: `export { default as en } from "./en.js";`,
      loader: "js",
    }));
  },
};
