/** Where a command serves the page. */
export const pageOptions = {
  host: {
    kind: "value",
    placeholder: "HOST",
    describe:
      "Host of the page, 127.0.0.1 by default; localhost for passkeys on this machine; any other needs server.public_url",
  },
  port: {
    kind: "number",
    placeholder: "PORT",
    describe: "Port of the page; any free one by default",
    min: 0,
    max: 65_535,
  },
} as const;
