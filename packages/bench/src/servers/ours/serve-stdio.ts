import { serveStdio } from "@toolpact/contract/stdio";
import { app } from "./app.ts";

serveStdio(app);
