// Numbers as the library writes them (plots/numbers.py); a test compares the two.

const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

const grouped = (value, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Python's format(value, ".3g"). */
function general(value, digits = 3) {
  if (value === 0) return "0";
  const power = Number(value.toExponential(digits - 1).split("e")[1]);
  if (power < -4 || power >= digits) {
    const [head, tail] = value.toExponential(digits - 1).split("e");
    const shown = head.includes(".") ? head.replace(/\.?0+$/, "") : head;
    const size = Math.abs(Number(tail));
    return `${shown}e${tail.startsWith("-") ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
  }
  const fixed = value.toFixed(Math.max(0, digits - 1 - power));
  return fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
}

const digits = (value) => (Math.abs(value) >= 999.5 ? grouped(value) : general(value));

/** 12.3 ms; a question mark for what is not known. */
export function seconds(value) {
  if (value === null || value === undefined) return "?";
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0 s";
  const [size, unit] = UNITS.find(([u]) => Math.abs(value) >= 0.9995 * u) ?? UNITS[3];
  return `${digits(value / size)} ${unit}`;
}

/** 1,234,567 */
export const count = (value) => (Number.isInteger(value) ? grouped(value) : digits(value));

/** 20k */
export function short(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= size) return general(value / size) + letter;
  }
  return general(value);
}

/** 12.3 % */
export const percent = (value) => `${digits(value * 100)} %`;

/** 3.14× */
export const factor = (value) => `${digits(value)}×`;

/** 3.2 MB */
export function bytes(size) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  while (size >= 999.5 && units.length > 1) {
    size /= 1000;
    units.shift();
  }
  return `${size.toFixed(units[0] === "B" || size >= 99.95 ? 0 : 1)} ${units[0]}`;
}
