import { defineConfig } from "vite";

/** The page as static files: `dist/index.html` and `dist/assets/*`, whose names change with their content. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  logLevel: "warn",
  resolve: { conditions: ["toolpact-source", "module", "browser", "production"] },
  // Also where NODE_ENV is that of a test: the names of the sources are not in the page.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // A strict content security policy allows no data: addresses in styles and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Bundles the first view into one file: twenty small requests take longer on a slow machine.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "page", tags: ["$initial"] }] } } },
  },
});
