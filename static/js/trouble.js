// What should not wait until somebody happens to look, and how a sentence says it.

export const TROUBLE = new Map([
  ["failed", "failed"],
  ["unknown", "has an outcome that nobody knows"],
  ["held", "is held for a person"],
]);
