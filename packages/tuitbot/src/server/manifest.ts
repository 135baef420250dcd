import { type Manifest, manifestOf } from "@toolpact/contract/internal";
import { formatUsd, microsOf } from "@toolpact/contract/internal/money";
import { operations, prices, specVersion } from "@toolpact/x-api/operations";
import { type ErrorCode, errors } from "../errors.ts";
import { scopesOf, type TuitbotCatalog, type TuitbotTool } from "../guards/call/tool-facts.ts";
import { laneNameOf, type Profile, profiles } from "../profiles.ts";
import { product } from "../tools/product.ts";
import { version } from "../version.ts";
import { catalogFor, fullCatalog } from "./catalog.ts";
import { stackOf } from "./guard-stacks.ts";

/** Machine-readable facts about the tools of one profile. */
export interface ProfileManifest extends Manifest {
  readonly profile: Profile;
  readonly x_api_spec_version: string;
}

export function profileManifest(profile: Profile, selected = catalogFor(profile)): ProfileManifest {
  const { name, version, ...rest } = described(selected, [profile]);
  return { name, version, profile, x_api_spec_version: specVersion, ...rest };
}

/** Every tool of every profile. */
export function fullManifest(): Manifest {
  return described(fullCatalog, profiles);
}

function described(selected: TuitbotCatalog, within: readonly Profile[]): Manifest {
  const stacksFor = (tool: TuitbotTool) =>
    within.filter((profile) => tool.profiles.includes(profile)).map((profile) => stackOf(profile, tool));
  return manifestOf({
    name: "tuitbot",
    version,
    catalog: selected,
    errors,
    services: product.services,
    stacksFor,
    entry: (tool) => {
      const served = within.filter((profile) => tool.profiles.includes(profile));
      // A tool requires whatever it fails without, whether the tool or a guard before it reports that.
      const failing = (code: ErrorCode) =>
        served.filter(
          (profile) => tool.errors.includes(code) || stackOf(profile, tool).codesFor(tool).includes(code),
        );
      const withoutX = failing("x_auth_expired");
      const withoutDatabase = failing("db_error");
      const scopes = scopesOf([tool.facts]);
      return {
        lane: laneNameOf(tool),
        requires_x_client: withoutX.length === served.length,
        requires_llm: tool.needs.includes("llm"),
        requires_db: withoutDatabase.length === served.length,
        // A manifest of several profiles also names those in which the tool requires it.
        ...(within.length > 1 && { requires_x_client_in: withoutX, requires_db_in: withoutDatabase }),
        ...(scopes.length > 0 && { requires_scopes: scopes }),
      };
    },
  });
}

/** X's price of a call, in words; undefined for tools that do not use X. */
export function toolCost({ facts }: TuitbotTool): string | undefined {
  const classes = [...new Set(facts.operations?.map((id) => operations[id].price ?? "free"))];
  return classes.length === 0 ? undefined : classes.map(priceInWords).join("; ");
}

const usd = (price: number | undefined) => formatUsd(microsOf(price ?? 0));

function priceInWords(priceClass: string): string {
  const perRequest = prices.perRequest[priceClass];
  const perResource = prices.perResource[priceClass];
  if (priceClass === "post_create")
    return `${usd(perRequest)} for each post, ${usd(prices.perRequest.post_create_with_url)} with a link in it`;
  if (perRequest !== undefined) return usd(perRequest);
  return perResource === undefined ? "no published price" : `${usd(perResource)} for each thing X returns`;
}
