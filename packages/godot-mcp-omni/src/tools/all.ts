import { type Catalog, catalog } from "@toolpact/contract/internal";
import { assetTool } from "./asset/asset.ts";
import { batchTool } from "./batch/batch.ts";
import { codeTool } from "./code/code.ts";
import { contentTool } from "./content/content.ts";
import { diagnosticsTool } from "./diagnostics/diagnostics.ts";
import { docsTool } from "./docs/docs.ts";
import { editorTool } from "./editor/editor.ts";
import { exportTool } from "./export/export.ts";
import { gameTool } from "./game/game.ts";
import { inspectorTool } from "./inspector/inspector.ts";
import { logTool } from "./log/log.ts";
import { metaTool } from "./meta/meta.ts";
import type { ProjectFacts } from "./product.ts";
import { projectTool } from "./project/project.ts";
import { recordingTool } from "./recording/recording.ts";
import { sceneTool } from "./scene/scene.ts";
import { testTool } from "./test-runner/test-runner.ts";
import { understandTool } from "./understand/understand.ts";
import { workflowTool } from "./workflow/workflow.ts";
import { workspaceTool } from "./workspace/workspace.ts";

export const allTools: Catalog<ProjectFacts | undefined> = catalog([
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
  understandTool,
  contentTool,
]);
