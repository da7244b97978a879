// What each button's letter does to a row, as the page says that it was done.

export const DONE = {
  cancel: "cancelled",
  hold: "held",
  approve: "approved",
  reject: "rejected",
  compensate: "taken back",
  extend: "given more time",
};
