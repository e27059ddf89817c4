// Figures and times as people read them. Knows nothing else.

const counts = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** @param {number | undefined | null} value */
export function count(value) {
  return value === undefined || value === null ? "–" : counts.format(value);
}

/** @param {number | undefined | null} value */
export function units(value) {
  return value === undefined || value === null ? "–" : new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(value);
}

/** @param {number | undefined | null} bytes */
export function size(bytes) {
  if (bytes === undefined || bytes === null) return "–";
  const names = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let place = 0;
  while (value >= 1000 && place < names.length - 1) {
    value /= 1000;
    place += 1;
  }
  return `${short.format(value)} ${names[place]}`;
}

/** @param {number | null | undefined} micros */
export function duration(micros) {
  if (micros === null || micros === undefined) return "–";
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1_000_000) return `${short.format(micros / 1000)} ms`;
  return `${short.format(micros / 1_000_000)} s`;
}

/** @param {number} value */
export function dollars(value) {
  return `$${new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: value !== 0 && value < 0.01 ? 4 : 2 }).format(value)}`;
}

/** @param {number} value */
function two(value) {
  return String(value).padStart(2, "0");
}

/**
 * A moment in the reader's own time.
 * @param {number} ms
 */
export function moment(ms) {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(ms)}`;
}

/** @param {number} ms */
export function clock(ms) {
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/**
 * How far away a moment is.
 * @param {number} ms
 * @param {number} [now]
 */
export function away(ms, now = Date.now()) {
  const seconds = Math.round((ms - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 2) return "just now";
  const text =
    size < 60 ? `${size} s` : size < 3600 ? `${Math.round(size / 60)} min` : size < 172_800 ? `${Math.round(size / 3600)} h` : `${Math.round(size / 86_400)} days`;
  return seconds >= 0 ? `in ${text}` : `${text} ago`;
}

/**
 * A count with its word.
 * @param {number} number
 * @param {string} word
 */
export function many(number, word) {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}
