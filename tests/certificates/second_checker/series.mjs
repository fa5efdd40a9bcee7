// Part of second_checker.mjs: lists of integers >= 0 as polynomials.

import * as r from "./reading.mjs";

const { LIMITS } = r;
const NEGLIGIBLE = 1n << 16n;

export function sumOf(values) { return values.reduce((a, b) => a + b, 0n); }

/** The product of two polynomials with coefficients >= 0, packed into long integers. */
export function multiplySeries(a, b) {
  const widest = (values) => values.reduce((most, v) => Math.max(most, r.bitLength(v)), 0);
  const digits = Math.ceil((widest(a) + widest(b) + r.bitLength(BigInt(a.length))) / 4) + 1;
  const count = a.length + b.length - 1;
  if (4 * digits * count > LIMITS.packedBits) r.overLimit("products of two lists of masses");
  r.hold(2 * count, 4 * digits);
  r.hold(1, 32 * digits * count);
  r.spend(1, 4 * digits * a.length, 4 * digits * b.length);
  r.spend(20 * count, 4 * digits);
  const pack = (values) => BigInt("0x" + values.map((v) => v.toString(16).padStart(digits, "0")).join(""));
  const text = (pack(a) * pack(b)).toString(16).padStart(digits * count, "0");
  return Array.from({ length: count }, (_, i) => BigInt("0x" + text.slice(i * digits, (i + 1) * digits)));
}

/** Where a list without its small ends starts and ends; its first so many entries are kept in any case. */
export function innerPart(masses, kept, least = NEGLIGIBLE) {
  let [from, to] = [0, masses.length];
  while (to > kept && masses[to - 1] < least) to -= 1;
  while (from < to - kept && masses[from] < least) from += 1;
  return [from, to];
}
