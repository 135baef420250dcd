import { availabilityOf, priceBefore } from "@toolpact/x-api";

const page = { path: { id: "12" }, query: { max_results: 1000 } };
console.log(priceBefore("getUsersFollowers", page).usd); // 10

// X parses README.md as a link, and posts with links are expensive.
console.log(priceBefore("createPosts", { body: { text: "see README.md" } }).usd); // 0.2

console.log(availabilityOf("like", { plan: "self_serve", isPremium: false }).isAvailable); // false
