import { availabilityOf, priceBefore } from "@toolpact/x-api";

const page = { path: { id: "12" }, query: { max_results: 1000 } };
console.log(priceBefore("getUsersFollowers", page).usd); // 10

// X takes README.md for a link, and a link makes a post dear.
console.log(priceBefore("createPosts", { body: { text: "see README.md" } }).usd); // 0.2

console.log(availabilityOf("like", { plan: "self_serve", isPremium: false }).isAvailable); // false
