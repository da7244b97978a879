// Times in the reader's own zone, named. The server has written them in the desk's.

const parts = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const clockForm = new Intl.DateTimeFormat("en-GB", { ...parts, timeZoneName: "short" });
const exactForm = new Intl.DateTimeFormat("en-GB", { ...parts, fractionalSecondDigits: 3 });
const dayForm = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

const forms = {
  clock: (at) => clockForm.format(at),
  exact: (at) => exactForm.format(at),
  stamp: (at) => `${dayForm.format(at)}, ${clockForm.format(at)}`,
  day: (at) => dayForm.format(at),
};

export const clock = forms.clock;

export function localize(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.dateTime);
    if (!Number.isNaN(at)) time.textContent = forms[time.dataset.as ?? "clock"](at);
  }
  for (const time of root.querySelectorAll("time[data-deadline]:not([datetime])")) {
    const at = Date.parse(time.dataset.deadline);
    if (!Number.isNaN(at)) time.nextElementSibling.textContent = clock(at);
  }
}
