import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** Not on the internet. */
const PRIVATE: readonly (readonly [network: string, prefix: number])[] = [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const),
  ...([
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
  ] as const),
  ...([
    ["224.0.0.0", 3],
    ["::", 96],
    ["64:ff9b::", 96],
    ["64:ff9b:1::", 48],
    // 6to4 and Teredo contain an IPv4 address.
    ["2002::", 16],
    ["2001::", 32],
    ["fc00::", 7],
    ["fe80::", 10],
    ["fec0::", 10],
    ["ff00::", 8],
  ] as const),
];

const blocked = new BlockList();
for (const [network, prefix] of PRIVATE) blocked.addSubnet(network, prefix, family(network));

/** True if all its addresses are on the internet. */
export async function isPublicHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return !isPrivate(host);
  // Without an address, the host cannot be requested either.
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.every(({ address }) => !isPrivate(address));
}

export function isPrivate(address: string): boolean {
  return blocked.check(address, family(address));
}

function family(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}
