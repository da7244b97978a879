// Requests to the desk: same origin, with the page's CSRF token.

const token = document.querySelector('meta[name="csrf-token"]').content;

export class SignedOut extends Error {}

export async function ask(url, options = {}) {
  const response = await fetch(url, {
    redirect: "manual",
    signal: AbortSignal.timeout(15000),
    ...options,
    headers: { "X-CSRFToken": token, ...options.headers },
  });
  // who is signed out is sent to the sign-in page, or told
  if (response.type === "opaqueredirect" || response.status === 401) throw new SignedOut();
  return response;
}

// The page at `url`, for what stands in it. `also` is a status of one that says what is wrong with
// what was asked.
export async function pageOf(url, { also, ...options } = {}) {
  const response = await ask(url, options);
  if (!response.ok && response.status !== also) throw new Error(`${url} answered ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// What a press was answered; what is no answer of this version's is said by `words` of the error.
export async function toldBy(response) {
  const kind = response.headers.get("Content-Type") ?? "";
  if (kind.includes("json")) return response.json();
  throw Object.assign(new Error(kind), { words: "This page is too old to do that: load it again." });
}

// What to say where an answer did not come, or can't be used; `then` ends the sentence of the former.
export function unanswered(problem, then) {
  if (problem.words) return problem.words;
  if (problem instanceof SignedOut) return "You are signed out: sign in again, then press once more.";
  return `No answer from the desk${then}`;
}

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function csrfToken() {
  return token;
}
