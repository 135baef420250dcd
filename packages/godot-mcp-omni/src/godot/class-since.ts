/** Node classes newer than Godot 4.2, by the version that added them. */
const SINCE: Readonly<Record<string, readonly string[]>> = {
  "4.3": [
    "TileMapLayer",
    "Parallax2D",
    "SkeletonModifier3D",
    "PhysicalBoneSimulator3D",
    "XRBodyModifier3D",
    "XRHandModifier3D",
  ],
  "4.4": [
    "LookAtModifier3D",
    "RetargetModifier3D",
    "SpringBoneSimulator3D",
    "SpringBoneCollision3D",
    "SpringBoneCollisionCapsule3D",
    "SpringBoneCollisionPlane3D",
    "SpringBoneCollisionSphere3D",
  ],
  "4.5": [
    "FoldableContainer",
    "BoneConstraint3D",
    "AimModifier3D",
    "ConvertTransformModifier3D",
    "CopyTransformModifier3D",
  ],
  "4.6": ["IKModifier3D", "TwoBoneIK3D", "SplineIK3D", "FABRIK3D", "CCDIK3D", "JacobianIK3D"],
};

export const NEWER_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries(SINCE).flatMap(([version, names]) => names.map((name) => [name, version] as const)),
);
