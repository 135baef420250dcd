export function isThisMachine(host: string): boolean {
  return host === "localhost" || /^(\[::1\]|::1|127(\.\d{1,3}){3})$/.test(host);
}
