// Part of second_checker.mjs: the witness "blanket", an upper bound of the divergences of all neighbouring data sets.
//
// A *profile* is what the bound of a pair of inputs rests on: {charge, atoms}, a rational and a list of {value, mass},
// the values ascending. A *measure* is {low, masses, lost, exponent}: the tilted mass at the place low + i of a lattice is at
// most masses[i] / 2^exponent, and what was cut off has at most lost / 2^exponent in all.

import * as r from "./reading.mjs";
import { blanketsOf } from "./user_pairs.mjs";
import { multiplySeries, sumOf } from "./series.mjs";

const { LIMITS, ZERO, ONE } = r;
const TILT_BITS = 64;  // of a tilt 1 + T/2^64, and of the numbers at a place beyond those of a mass
const CUT_BITS = 48;  // masses with so many bits less than the sum are cut off the ends
const E_BELOW = { n: 2718281828n, d: 10n ** 9n };

// ---- reading ----

/** The keys that a blanket has in common with a likelihood test. */
export function readLattice({ bits, length }) {
  return {
    bits: r.between(bits, CUT_BITS + 16, LIMITS.latticeBits, "bits"),
    length: r.between(length, 16, LIMITS.latticeLength, "length"),
  };
}

export function readStep(text) {
  const step = r.rational(text);
  if (step.n <= 0n) r.malformed("a step is not positive");
  if (Math.max(r.bitLength(step.n), r.bitLength(step.d)) > LIMITS.polynomialBits) r.overLimit("bits of a step");
  return step;
}

function readBound(value) {
  const [step, tilt] = r.list(value, "a bound", 2);
  const T = r.integer(tilt);
  if (T < 1n) r.malformed("a tilt is not positive");
  if (T >= 2n ** 72n) r.overLimit("a tilt");
  return { step: readStep(step), tilt: T };
}

export function readBlanket(value) {
  const blanket = r.fields(value, ["bits", "length", "bounds"], "blanket");
  return { ...readLattice(blanket), bounds: r.list(blanket.bounds, "bounds").map(readBound) };
}

// ---- profiles ----

/** The values (P - ratio Q)/R of classes with R > 0, equal ones together: [{value, classes}]. */
export function valuesOf({ classes }, { n: a, d: b }) {
  const values = new Map();
  for (const class_ of classes) {
    const { P, Q, R, count } = class_;
    if (R === 0n) continue;
    r.spend(3, Math.max(r.bitLength(P), r.bitLength(Q)), r.bitLength(a));
    const value = r.reduce({ n: b * P - a * Q, d: b * R });
    const key = value.n.toString(16) + "/" + value.d.toString(16);
    if (!values.has(key)) values.set(key, { value, classes: [] });
    values.get(key).classes.push(class_);
  }
  return [...values.values()];
}

/** The sum of max(0, P - ratio Q) over the classes with R = 0. */
export function chargeOf({ denominator, classes }, { n: a, d: b }) {
  let sum = 0n;
  for (const { P, Q, R, count } of classes) {
    if (R > 0n) continue;
    r.spend(3, Math.max(r.bitLength(P), r.bitLength(Q)), r.bitLength(a));
    const gain = b * P - a * Q;
    if (gain > 0n) sum += gain * count;
  }
  return { n: sum, d: b * denominator };
}

/** The sum of count * weight over classes; `name` is P, Q or R. */
export function weightOf(classes, name) {
  return classes.reduce((sum, class_) => sum + class_.count * class_[name], 0n);
}

function profileOf(list, ratio) {
  const { n: a, d: b } = ratio;
  const values = valuesOf(list, ratio);
  const shown = values.flatMap(({ classes }) => classes);
  let charge = chargeOf(list, ratio);
  const gain = b * weightOf(shown, "P") - a * weightOf(shown, "Q");
  if (gain > 0n) charge = { n: charge.n + gain, d: charge.d };
  const turned = (value) => (gain > 0n ? r.negate(value) : value);
  const nonzero = values.filter(({ value }) => value.n !== 0n);
  const atoms = nonzero.map(({ value, classes }) => ({ value: turned(value), weight: weightOf(classes, "R") }));
  const rest = list.denominator - atoms.reduce((sum, { weight }) => sum + weight, 0n);
  if (rest > 0n) atoms.push({ value: ZERO, weight: rest });
  atoms.sort((x, y) => r.compare(x.value, y.value));
  const mass = (weight) => r.reduce({ n: weight, d: list.denominator });
  return { charge: r.reduce(charge), atoms: atoms.map(({ value, weight }) => ({ value, mass: mass(weight) })) };
}

function spelledProfile({ charge, atoms }) {
  const spelled = ({ n, d }) => n.toString(16) + "/" + d.toString(16);
  return [spelled(charge), ...atoms.map(({ value, mass }) => spelled(value) + ":" + spelled(mass))].join(" ");
}

// ---- tilts: level j has the lattice step h 2^j and the tilt rho^(2^j), between lo and hi in units of 2^-places ----

function makeTilts(T, bits) {
  const places = BigInt(bits + TILT_BITS);
  const unit = 1n << places;
  const tilts = [];
  const add = (lo, hi) => tilts.push({ lo, hi, inverse: r.ceilDivide(unit * unit, lo) });
  add(unit + (T << BigInt(bits)), unit + (T << BigInt(bits)));
  const at = (level) => {
    while (tilts.length <= level) {
      const { lo, hi } = tilts.at(-1);
      r.spendDivision(4, 2 * r.bitLength(hi), r.bitLength(hi));
      const squared = r.shiftUp(hi * hi, places);
      if (r.bitLength(squared) > LIMITS.tiltBits) r.overLimit("power of a tilt");
      add(lo * lo >> places, squared);
    }
    return tilts[level];
  };
  /** An upper bound of base^k in units of 2^-places, k >= 0. */
  const power = (base, k) => {
    if (k > LIMITS.places) r.overLimit("places of a lattice");
    let result = unit;
    for (const digit of k.toString(2)) {
      r.spend(3, r.bitLength(result), r.bitLength(result));
      result = r.shiftUp(result * result, places);
      if (digit === "1") result = r.shiftUp(result * base, places);
      if (r.bitLength(result) > LIMITS.tiltBits) r.overLimit("power of a tilt");
    }
    return result;
  };
  return { at, power, places, unit };
}

// ---- measures ----

/** The place of a value on the lattice and what it is above it: t = i + f/d, as {i, f, d}. */
export function placeOf(value, step, level) {
  const n = value.n * step.d;
  const d = value.d * (step.n << BigInt(level));
  r.spendDivision(1, r.bitLength(n), r.bitLength(d));
  const i = r.floorDivide(n, d);
  if (i > BigInt(LIMITS.places) || -i > BigInt(LIMITS.places)) r.overLimit("places of a lattice");
  return { i: Number(i), f: n - i * d, d };
}

/** Entries [place, weight] as {low, masses}. */
export function listed(entries, bits) {
  const low = entries.reduce((least, [place]) => Math.min(least, place), Infinity);
  const high = entries.reduce((most, [place]) => Math.max(most, place), -Infinity);
  if (high - low + 1 > LIMITS.baseLength) r.overLimit("length of a base");
  r.hold(high - low + 1, bits);
  const masses = Array(high - low + 1).fill(0n);
  for (const [place, weight] of entries) masses[place - low] += weight;
  return { low, masses };
}

function baseOf(atoms, step, level, tilts, bits) {
  const { hi, inverse } = tilts.at(level);
  const tilted = (mass, part, whole, place) => {
    const power = place >= 0 ? tilts.power(hi, place) : tilts.power(inverse, -place);
    const n = mass.n * part;
    r.spendDivision(2, r.bitLength(n) + r.bitLength(power), r.bitLength(mass.d) + r.bitLength(whole));
    return [place, r.ceilDivide(n * power, mass.d * whole << BigInt(TILT_BITS))];
  };
  const entries = atoms.flatMap(({ value, mass }) => {
    const { i, f, d } = placeOf(value, step, level);
    const lower = tilted(mass, d - f, d, i);
    return f > 0n ? [lower, tilted(mass, f, d, i + 1)] : [lower];
  });
  return normalised({ ...listed(entries, bits), lost: 0n, exponent: bits }, bits);
}

/** Rounded up to so many bits in all, the ends of small masses cut off. */
function normalised({ low, masses, lost, exponent }, bits) {
  const shift = Math.max(0, r.bitLength(sumOf(masses) + lost) - bits);
  r.spend(3 * masses.length, bits + shift);
  const up = (x) => r.shiftUp(x, BigInt(shift));
  const rounded = masses.map(up);
  const bound = 1n << BigInt(bits - CUT_BITS);  // the least number of more than bits - 48 bits
  let [from, to] = [rounded.findIndex((x) => x >= bound), rounded.findLastIndex((x) => x >= bound) + 1];
  if (from < 0) {
    const most = rounded.reduce((a, b) => (a > b ? a : b));
    from = rounded.indexOf(most);
    to = from + 1;
  }
  const cut = sumOf(rounded.slice(0, from)) + sumOf(rounded.slice(to));
  return { low: low + from, masses: rounded.slice(from, to), lost: up(lost) + cut, exponent: exponent - shift };
}

function multiplied(a, b, bits) {
  const [s, t] = [sumOf(a.masses), sumOf(b.masses)];
  return normalised({
    low: a.low + b.low, masses: multiplySeries(a.masses, b.masses),
    lost: s * b.lost + a.lost * t + a.lost * b.lost, exponent: a.exponent + b.exponent,
  }, bits);
}

/** The lattice of twice the step: what is at an odd place goes to both its neighbours, by `share(x)`: [down, up]. */
export function onCoarser({ low, masses }, share) {
  const padded = low % 2 === 0 ? masses : [0n, ...masses];
  const coarser = Array(Math.floor(padded.length / 2) + 1).fill(0n);
  for (let i = 0; i < padded.length; i += 2) coarser[i / 2] = padded[i];
  for (let i = 1; i < padded.length; i += 2) {
    const [down, up] = share(padded[i]);
    coarser[(i - 1) / 2] += down;
    coarser[(i + 1) / 2] += up;
  }
  return { low: Math.floor(low / 2), masses: coarser };
}

/** The bound of one pair, without its charge, times n: a rational. */
function latticeBound({ atoms }, n, { step, tilt }, { bits, length }) {
  const tilts = makeTilts(tilt, bits);
  const { places, unit } = tilts;
  let level = 0;
  let current = baseOf(atoms, step, level, tilts, bits);
  const shorten = () => {
    while (current.masses.length > length) {
      const { lo, hi } = tilts.at(level);
      r.spendDivision(2 * current.masses.length, bits + r.bitLength(hi), r.bitLength(lo));
      const share = (x) => [r.ceilDivide(x * unit, 2n * lo), r.shiftUp(x * hi, places + 1n)];
      current = { ...current, ...onCoarser(current, share) };
      level += 1;
    }
  };
  shorten();
  for (const digit of n.toString(2).slice(1)) {
    current = multiplied(current, current, bits);
    shorten();
    if (digit === "0") continue;
    current = multiplied(current, baseOf(atoms, step, level, tilts, bits), bits);
    shorten();
  }
  return meanAbove(current, step, level, tilts);
}

/** A bound of the sum over places s > 0 of s times their mass, with what was cut off, in units of the first step. */
function meanAbove({ low, masses, lost, exponent }, step, level, tilts) {
  if (Math.abs(exponent) > LIMITS.numberBits) r.overLimit("exponent of a measure");
  const { lo, inverse } = tilts.at(level);
  const { places, unit } = tilts;
  const start = Math.max(1, low);
  r.spend(4 * masses.length, r.bitLength(unit) * 2, r.bitLength(inverse));
  let sum = 0n;  // in units of 2^-places
  if (low + masses.length > start) {
    let power = tilts.power(inverse, start);
    for (let s = start; s < low + masses.length; s += 1) {
      sum += BigInt(s) * masses[s - low] * power;
      power = r.shiftUp(power * inverse, places);
    }
  }
  const kept = { n: sum, d: unit };
  const charged = { n: lost * lo * E_BELOW.d, d: (lo - unit) * E_BELOW.n };
  const total = r.multiply(r.add(kept, charged), { n: step.n << BigInt(level), d: step.d });
  return exponent >= 0 ? { n: total.n, d: total.d << BigInt(exponent) } : { n: total.n << BigInt(-exponent), d: total.d };
}

// ---- the check ----

/** Bounds of the divergences of all pairs of inputs at a lower bound of e^eps; one for pairs that are alike. */
export function* boundsOfPairs(randomizer, n, ratio, witness) {
  const seen = new Set();
  const reduced = r.reduce(ratio);
  for (const list of blanketsOf(randomizer)) {
    const profile = profileOf(list, reduced);
    const key = spelledProfile(profile);
    if (seen.has(key)) continue;
    if (!profile.atoms.some(({ value }) => value.n > 0n)) { yield profile.charge; continue; }
    r.demand(seen.size < witness.bounds.length, "a pair of inputs has no bound");
    const bound = latticeBound(profile, n, witness.bounds[seen.size], witness);
    yield r.add(profile.charge, { n: bound.n, d: bound.d * BigInt(n) });
    seen.add(key);
  }
  r.demand(seen.size === witness.bounds.length, "a bound that belongs to no pair of inputs");
}

export function demandBlanket(randomizer, n, ratio, delta, witness) {
  for (const bound of boundsOfPairs(randomizer, n, ratio, witness)) {
    r.demand(r.compare(bound, delta) <= 0, "a bound is above delta");
  }
}
