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

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function csrfToken() {
  return token;
}
