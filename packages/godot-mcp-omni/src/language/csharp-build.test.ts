import { describe, expect, test } from "vitest";
import { buildProblems } from "./csharp-build.ts";

const problems = (root: string, ...lines: string[]) =>
  buildProblems(lines, { root, project: "res://Game.csproj" });

describe("the output of a build, in the format that MSBuild documents", () => {
  test("is read as errors and warnings of files of the project, each once", () => {
    const missing = "/game/Hero.cs(12,28): error CS1002: ; expected [/game/Game.csproj]";
    expect(
      problems(
        "/game",
        "  Determining projects to restore...",
        missing,
        `  ${missing}`,
        "/game/ui/Menu.cs(3,9,3,14): warning CS0168: The variable 'x' is declared [but] never used [/game/Game.csproj::TargetFramework=net8.0]",
        "1>ui/My Menu.cs(7): error CS0103: The name 'error: y' does not exist",
        "    0 Warning(s)",
        "There was an error : ask somebody",
      ),
    ).toEqual([
      { path: "res://Hero.cs", line: 12, severity: "error", message: "CS1002: ; expected" },
      {
        path: "res://ui/My Menu.cs",
        line: 7,
        severity: "error",
        message: "CS0103: The name 'error: y' does not exist",
      },
      {
        path: "res://ui/Menu.cs",
        line: 3,
        severity: "warning",
        message: "CS0168: The variable 'x' is declared [but] never used",
      },
    ]);
  });

  test("has the names of Windows", () => {
    expect(
      problems(
        "C:\\Games\\Mine",
        "c:\\games\\mine\\ui\\Menu.cs(2) : error BC30188: Declaration expected.",
        "ui\\Menu.cs(4,1): warning CS1591: Missing comment [C:\\Games\\Mine\\Game.csproj]",
      ),
    ).toMatchObject([
      { path: "res://ui/Menu.cs", line: 2, message: "BC30188: Declaration expected." },
      { path: "res://ui/Menu.cs", line: 4, severity: "warning", message: "CS1591: Missing comment" },
    ]);
  });

  test("has problems of tools, of no file and of files elsewhere, which are the project's", () => {
    const of = (message: string, severity = "error") => ({
      path: "res://Game.csproj",
      line: 0,
      severity,
      message,
    });
    expect(
      problems(
        "/game",
        "cl : Command line warning D4024 : unrecognized source file type",
        "error CS0006: Metadata file 'System.dll' could not be found.",
        "CSC : fatal error CS5001: No Main [/game/Game.csproj]",
        "/sdk/Sdk.props(30,5): error : Cannot build from path containing '#' [/game/Game.csproj]",
        "../other/A.cs(1,1): error CS1: x",
        "/game/Game.csproj : error NU1101: Unable to find package Nothing.",
      ),
    ).toEqual([
      of("CS0006: Metadata file 'System.dll' could not be found."),
      of("CS5001: No Main"),
      of("Sdk.props: Cannot build from path containing '#'"),
      of("A.cs: CS1: x"),
      of("NU1101: Unable to find package Nothing."),
      of("D4024: unrecognized source file type", "warning"),
    ]);
  });
});
