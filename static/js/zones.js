// Times in the zone that the reader has chosen, else in the browser's, named. A live frame, which
// all share, comes in the desk's.

const timeZone = known(document.documentElement.dataset.zone);
const parts = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone };
const timeForm = new Intl.DateTimeFormat("en-GB", parts);
const exactForm = new Intl.DateTimeFormat("en-GB", { ...parts, fractionalSecondDigits: 3 });
const dayForm = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone,
});

// Which short name a zone has depends on the language: IST is one in en-IN alone.
const nameForms = ["en-GB", "en-IN", "en-US", "en-AU", "en-NZ", "en-ZA"].map(
  (language) => new Intl.DateTimeFormat(language, { timeZoneName: "short", timeZone }),
);
const names = new Map(); // by the hour: the name changes with daylight saving

// Browsers keep the name that a zone was first given; these have another by now.
const RENAMED = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

// The browser's own zone, by the name that it has today.
export function ownZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return RENAMED[zone] ?? zone;
}

// A zone that is newer than this browser is shown in the browser's own, by its own name.
function known(zone) {
  try {
    return zone && new Intl.DateTimeFormat("en-GB", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function zoneName(at) {
  const hour = Math.floor(at / 3600000);
  if (!names.has(hour)) {
    const found = nameForms.map(
      (form) => form.formatToParts(at).find((part) => part.type === "timeZoneName").value,
    );
    names.set(hour, found.find((name) => !/\d/.test(name)) ?? found[0]);
  }
  return names.get(hour);
}

const forms = {
  clock: (at) => `${timeForm.format(at)} ${zoneName(at)}`,
  exact: (at) => `${exactForm.format(at)} ${zoneName(at)}`,
  line: (at) => exactForm.format(at),
  heading: (at) => `${dayForm.format(at)}, ${zoneName(at)}`,
  stamp: (at) => `${dayForm.format(at)}, ${forms.clock(at)}`,
  day: (at) => dayForm.format(at),
};

export const clock = forms.clock;

export function localize(root) {
  for (const time of root.querySelectorAll("time[datetime]:not(.ago)")) {
    const at = Date.parse(time.dateTime);
    if (!Number.isNaN(at)) time.textContent = forms[time.dataset.as ?? "clock"](at);
  }
  let before;
  for (const heading of root.querySelectorAll(".trail .day")) {
    heading.hidden = heading.textContent === before;
    before = heading.textContent;
  }
  for (const time of root.querySelectorAll("time[data-deadline]:not([datetime])")) {
    const at = Date.parse(time.dataset.deadline);
    if (!Number.isNaN(at)) time.nextElementSibling.textContent = clock(at);
  }
}
