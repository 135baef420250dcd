/** What is used of jose. Named here, since a bundle holds all of a package that is imported whole and lazily. */
export { createRemoteJWKSet, errors, jwtVerify } from "jose";
