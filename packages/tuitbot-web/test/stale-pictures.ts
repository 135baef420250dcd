import { stalePictures } from "./picture-files.ts";

/** Part of `npm run check`: lists pictures that no longer look like the dashboard. */
for (const stale of stalePictures()) {
  const command = stale.includes("/hero.")
    ? "npx node --conditions=toolpact-source scripts/pictures.ts hero"
    : "npm run generate -- --pictures";
  console.log(`${stale}, a text that the dashboard no longer has: run ${command}.`);
  process.exitCode = 1;
}
