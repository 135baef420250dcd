/**
 * Loaded into a server before its own code: its clock stands still. What got no answer is then not looked for again by
 * itself, and the same call stays the same, however long the machine takes over a test.
 */
const startedAt = Date.now();
Date.now = () => startedAt;
