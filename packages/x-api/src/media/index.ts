export type { FileProblem } from "./media-file.ts";
export { HEAD_BYTES, type MediaKind, mediaKindOf } from "./media-kind.ts";
export type { ProcessingProblem } from "./processing.ts";
export {
  type UploadedMedia,
  type UploadFailure,
  type UploadOptions,
  type UploadProgress,
  uploadMedia,
} from "./upload.ts";
