export { matchesTemplate, operationAt } from "@toolpact/x-api";
