import { stalePictures } from "./picture-files.ts";

/** Part of `npm run check`: lists pictures that no longer look like the dashboard. */
for (const stale of stalePictures()) {
  console.log(`${stale}, a text that the dashboard no longer has: run npm run generate -- --pictures.`);
  process.exitCode = 1;
}
