// Whether this browser may show notices: asked for by a button, as browsers want it.

const place = document.querySelector("[data-allow]");
const said = document.querySelector("[data-allow-said]");
const WORDS = {
  granted: "This browser shows them.",
  denied: "This browser refuses them: its settings for this page say so.",
};

function tell() {
  said.textContent = WORDS[Notification.permission] ?? "";
  place.querySelector("button").hidden = Notification.permission !== "default";
}

if ("Notification" in window) {
  place.hidden = false;
  tell();
  place.querySelector("button").addEventListener("click", async () => {
    await Notification.requestPermission();
    tell();
  });
}
