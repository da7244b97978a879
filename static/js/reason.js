// Several are not rejected without a reason, and who presses is brought to its field.

// True: there is none although `asked`; `say(words, bad)` has said so.
export function lacksReason(field, asked, say) {
  field.removeAttribute("aria-invalid");
  if (!asked || field.value.trim()) return false;
  field.setAttribute("aria-invalid", "true");
  say("Say why they are rejected: the agent reads it.", true);
  field.focus();
  return true;
}
