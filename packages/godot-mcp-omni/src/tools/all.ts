import { type Catalog, catalog } from "@toolpact/contract";
import { assetTool } from "./asset.ts";
import { batchTool } from "./batch.ts";
import { codeTool } from "./code.ts";
import { diagnosticsTool } from "./diagnostics.ts";
import { docsTool } from "./docs.ts";
import { editorTool } from "./editor.ts";
import { exportTool } from "./export.ts";
import { gameTool } from "./game.ts";
import { inspectorTool } from "./inspector.ts";
import { logTool } from "./log.ts";
import { metaTool } from "./meta.ts";
import { projectTool } from "./project.ts";
import { recordingTool } from "./recording.ts";
import { sceneTool } from "./scene.ts";
import { testTool } from "./test.ts";
import { workflowTool } from "./workflow.ts";
import { workspaceTool } from "./workspace.ts";

export const allTools: Catalog = catalog([
  workspaceTool,
  sceneTool,
  inspectorTool,
  assetTool,
  codeTool,
  projectTool,
  docsTool,
  diagnosticsTool,
  batchTool,
  metaTool,
  editorTool,
  logTool,
  workflowTool,
  testTool,
  exportTool,
  recordingTool,
  gameTool,
]);
