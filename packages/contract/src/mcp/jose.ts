/** A bundle would include the whole package if it were imported lazily itself. */
export { createRemoteJWKSet, errors, jwtVerify } from "jose";
