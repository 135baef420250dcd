import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourcesHash } from "./built-page.ts";
import { takeFilm } from "./film.ts";
import { takePictures } from "./pictures.ts";

/**
 * `npm run generate -- --pictures`: takes the pictures of the page for docs/web-app.md and the README, and those of
 * every surface for docs/approve-anywhere.md, if the page or
 * what they show has changed since. Two runs are alike to the eye and not to the byte, so nothing checks them.
 */
const stamp = join(import.meta.dirname, "../../../docs/pictures/web-pictures.txt");
const line = `Taken by npm run generate -- --pictures of the page with the sources ${sourcesHash(["test/{pictures,sandbox-week,film,surface-pictures}.ts"])}\n`;

if (existsSync(stamp) && readFileSync(stamp, "utf8") === line)
  console.log("The pictures of the page are up to date.");
else {
  await takePictures();
  await takeFilm();
  await import("./surface-pictures.ts");
  writeFileSync(stamp, line);
}
