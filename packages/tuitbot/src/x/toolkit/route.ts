export { matchesTemplate, operationAt, type Route } from "@toolpact/x-api";
