import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourcesHash } from "./built-page.ts";
import { takeFilm } from "./film.ts";
import { takePictures } from "./pictures.ts";

/**
 * `npm run generate -- --pictures`: takes the pictures of the dashboard and of every surface if their sources have
 * changed. Two runs look the same and differ in bytes, so `npm run check` compares the texts in them instead.
 */
const stamp = join(import.meta.dirname, "../../../docs/pictures/web-pictures.txt");
const line = `Taken by npm run generate -- --pictures of the page with the sources ${sourcesHash(["test/{pictures,picture-files,sandbox-week,film,surface-pictures,service-frames}.ts"])}\n`;

if (existsSync(stamp) && readFileSync(stamp, "utf8") === line)
  console.log("The pictures of the page are up to date.");
else {
  await takePictures();
  await takeFilm();
  await import("./surface-pictures.ts");
  writeFileSync(stamp, line);
}
