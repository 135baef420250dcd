import { Secret } from "@toolpact/x-api";
import { expect, test } from "vitest";
import { oauth1Header } from "./oauth1.ts";

// X's published example, with its public keys.
test("signs as X's own example does", () => {
  const address = new URL("https://api.twitter.com/1.1/statuses/update.json");
  address.searchParams.set("include_entities", "true");
  address.searchParams.set("status", "Hello Ladies + Gentlemen, a signed OAuth request!");
  const header = oauth1Header(
    "POST",
    address.href,
    {
      consumerKey: new Secret("xvz1evFS4wEEPTGEFPHBog"),
      consumerSecret: new Secret("kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw"),
      accessToken: new Secret("370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"),
      accessTokenSecret: new Secret("LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"),
    },
    { nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", timestamp: 1_318_622_958 },
  );
  expect(header).toContain('oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D"');
  expect(header).not.toContain("kAcSOq");
});
