import { defineConfig, type Plugin } from "vite";
import page from "./vite.config.ts";

/** The pages for the windows of chats as one file, `dist/mcp-app.html`: it loads nothing from anywhere. */
export default defineConfig({
  ...page,
  publicDir: false,
  build: {
    ...page.build,
    emptyOutDir: false,
    cssCodeSplit: false,
    rolldownOptions: { input: `${import.meta.dirname}/mcp-app.html`, output: { codeSplitting: false } },
  },
  plugins: [allInOne()],
});

/** Puts the script and the styles into the document, in the place of the tags that would load them. */
function allInOne(): Plugin {
  return {
    name: "all-in-one",
    enforce: "post",
    generateBundle(_options, bundle) {
      const document = bundle["mcp-app.html"];
      if (document?.type !== "asset") throw new Error("The document was not built.");
      let html = String(document.source);
      let script = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file === document) continue;
        const tag = new RegExp(`<(script|link)[^>]*"/${name.replaceAll(".", "\\.")}"[^>]*>(</script>)?`);
        if (!tag.test(html)) throw new Error(`${name} is loaded apart from the document.`);
        html = html.replace(tag, () =>
          file.type === "asset" ? `<style>${String(file.source)}</style>` : "",
        );
        // Nothing inside may look like the end of the script.
        if (file.type === "chunk") script += file.code.replaceAll("</script", "<\\/script");
        delete bundle[name];
      }
      document.source = html.replace("</body>", () => `<script type="module">${script}</script></body>`);
    },
  };
}
