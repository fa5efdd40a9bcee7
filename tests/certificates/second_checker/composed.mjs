// Part of second_checker.mjs: the kind `composed`, privacy under adaptive composition.
//
// A list of masses is {least, masses, infinite}: masses[i] has the loss (least + i) ln rho, and all are integers, in
// units of 2^-precision. To prove, they are upper bounds of the masses of a curve; to refute, a list has two of them,
// the lower bounds p and the upper bounds q of what the outcomes of a label have under P and Q.

import * as r from "./reading.mjs";
import * as p from "./protocols.mjs";
import { innerPart, multiplySeries, sumOf } from "./series.mjs";
import * as noise from "./noise.mjs";

const { LIMITS, ZERO, ONE } = r;
const STEP_BITS = 64n;  // of the levels E_j
const GUARD_BITS = 64;  // of the powers of rho beyond the precision
const LABEL_BITS = 256n;

// ---- claims ----

function readRun(value, schema) {
  if (!r.isObject(value)) r.malformed("a run is not an object");
  const keys = value.has("law") ? ["law", "shift", "times"] : ["randomizer", "n", "neighbors", "times"];
  const run = r.fields(value, keys, "a run");
  const times = r.between(run.times, 1, LIMITS.times, "times");
  if (run.law === undefined) return { times, ...p.readMechanism(run, schema) };
  return { times, ...noise.readShiftedLaw(run, schema) };
}

function readComposed(value, schema) {
  const claim = r.fields(value, ["kind", "runs", r.levelKey(value), "delta"], "composed");
  if (r.list(claim.runs, "runs").length === 0) r.malformed("a composition of nothing");
  if (claim.runs.length > LIMITS.claims) r.overLimit("runs of a composition");
  const level = r.readLevel(claim);
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  return { runs: claim.runs.map((run) => readRun(run, schema)), level, delta };
}

function readRatio(text) {
  const ratio = r.rational(text);
  if (r.compare(ratio, ONE) <= 0) r.malformed("ratio is not above 1");
  if (Math.max(r.bitLength(ratio.n), r.bitLength(ratio.d)) > LIMITS.polynomialBits) r.overLimit("bits of the ratio");
  return ratio;
}

function readLattice(witness) {
  return { ratio: readRatio(witness.ratio), precision: r.between(witness.precision, 16, LIMITS.bits, "precision") };
}

// ---- lists of masses ----

/** The coefficients of the product of two lists, in units of the square of the unit. */
function multiplyLists(a, b) { return a.length && b.length ? multiplySeries(a, b) : []; }

/** The product of the lists, each so many times. */
function productOf(lists, runs, multiply) {
  let product = null;
  lists.forEach((list, i) => {
    let power = list;
    for (const bit of runs[i].times.toString(2).slice(1)) {
      power = multiply(power, power);
      if (bit === "1") power = multiply(power, list);
    }
    product = product ? multiply(product, power) : power;
  });
  return product;
}

// ---- proved ----

/** E_0, E_1, ... in units of 2^-64, none above the power of rho. */
function levels({ n, d }, count) {
  const all = [1n << STEP_BITS];
  while (all.length < count) {
    r.hold(all.length, r.bitLength(all.at(-1)));
    r.spendDivision(2, r.bitLength(all.at(-1)) + r.bitLength(n), r.bitLength(n));
    all.push(all.at(-1) * n / d);
    if (r.bitLength(all.at(-1)) > r.LIMITS.polynomialBits) r.overLimit("power of a curve's ratio");
  }
  return all;
}

function readCurve(run, value, precision) {
  const { deltas, witness } = r.fields(value, ["deltas", "witness"], "a curve");
  if (r.list(deltas, "deltas").length === 0) r.malformed("a curve of nothing");
  const most = 1n << BigInt(precision);
  const numbers = deltas.map(r.integer);
  if (numbers.some((d) => d < 0n || d > most)) r.malformed("a delta of a curve is out of its range");
  const read = (part) => (run.law ? noise.proveCurve : p.proveCurve)(run, part);
  if (!r.isObject(witness) || !witness.has("levels")) {
    r.fields(witness, r.isObject(witness) && witness.has("bits") ? ["bits"] : [], "the witness of a curve");
    return { deltas: numbers, check: read(witness) };
  }
  if (run.schema < 3) r.malformed("a witness that this schema does not know");
  return { deltas: numbers, check: checkByLevels(readLevels(witness, numbers.length), read) };
}

function readLevels(value, count) {
  return r.list(r.fields(value, ["levels"], "witness").levels, "levels", count);
}

/** Levels with the same witness are checked together. */
function checkByLevels(witnesses, read) {
  const groups = new Map();
  witnesses.forEach((witness, j) => {
    const key = r.canonical(witness);
    if (!groups.has(key)) groups.set(key, { check: read(witness), places: [] });
    groups.get(key).places.push(j);
  });
  return (levels) => {
    for (const { check, places } of groups.values()) check(places.map((j) => levels[j]));
  };
}

/** Powers rho^-j for 0 <= j <= count, rounded up to fixed point, exact while they are short: {n, d}. */
function inversePowers({ n: a, d: b }, count, bits) {
  const unit = 1n << BigInt(bits);
  r.hold(4 * count, bits);
  r.spendDivision(3 * count, bits, r.bitLength(a));
  let exact = ONE;
  let rounded = unit;
  return Array.from({ length: count + 1 }, () => {
    const power = exact ?? { n: rounded, d: unit };
    if (exact) exact = r.bitLength(exact.d) > bits ? null : { n: exact.n * b, d: exact.d * a };
    rounded = r.ceilDivide(rounded * b, a);
    return power;
  });
}

/** The masses of a curve: its bends, where these are positive, rounded up. */
function massesOf(deltas, { ratio, precision }) {
  const { n: a, d: b } = ratio;
  const last = deltas.length - 1;
  const at = (j) => deltas[Math.min(j, last)];
  const one = 1n << BigInt(precision);
  const bend = (j) => (j === 0 ? (a - b) * one + 2n * b * at(1) - (a + b) * at(0)
    : b * (at(j + 1) - at(j)) - a * (at(j) - at(j - 1)));
  const powers = inversePowers(ratio, last, precision + GUARD_BITS);
  r.spendDivision(4 * deltas.length, 2 * precision + r.bitLength(a), precision + r.bitLength(a));
  const masses = [];
  for (let j = -last; j <= last; j += 1) {
    const m = bend(Math.abs(j));
    const power = j < 0 ? powers[-j] : ONE;
    masses.push(m > 0n ? r.ceilDivide(m * power.n, (a - b) * power.d) : 0n);
  }
  return { least: -last, masses, infinite: at(last) };
}

function multiplyMasses(a, b, precision) {
  const shift = BigInt(precision);
  const up = (x) => (x + (1n << shift) - 1n) >> shift;
  const masses = multiplyLists(a.masses, b.masses).map(up);
  let infinite = up(b.infinite * (a.infinite + sumOf(a.masses)) + a.infinite * sumOf(b.masses));
  const [from, to] = innerPart(masses, 1);
  infinite += sumOf(masses.slice(to));
  if (from > 0) masses[from] += sumOf(masses.slice(0, from));
  return { least: a.least + b.least + from, masses: masses.slice(from, to), infinite };
}

/** The j with rho^j = E, or null; E and rho are in lowest terms. */
function exponentOf({ n: a, d: b }, E) {
  const j = Math.round(logarithmOf(E.n) / logarithmOf(a));
  const bits = r.bitLength(E.n) + r.bitLength(a);
  r.spend(4, bits, bits);
  return a ** BigInt(j) === E.n && b ** BigInt(j) === E.d ? j : null;
}

/** The logarithm of a long integer to base 2, as a float. */
function logarithmOf(n) {
  const shift = Math.max(0, r.bitLength(n) - 1000);
  return shift + Math.log2(Number(n >> BigInt(shift)));
}

/** Demand that the sum of the masses times max(0, 1 - E rho^-j) and the infinite mass is at most delta, if it is below 1. */
function demandTotal({ least, masses, infinite }, { ratio, precision }, E, delta) {
  if (r.compare(delta, ONE) >= 0) return;
  const one = 1n << BigInt(precision + GUARD_BITS);
  const reduced = r.reduce(E);
  const exact = exponentOf(ratio, reduced);
  const [bits, longest] = [precision + GUARD_BITS, r.bitLength(E.n)];
  const steps = Math.max(0, least + masses.length);
  r.spendDivision(steps, bits + r.bitLength(ratio.n), r.bitLength(ratio.n));
  r.spend(3 * steps, bits + longest, Math.min(bits, longest));
  r.spend(steps, bits + longest, bits);
  let power = one;  // at most rho^-j
  let sum = infinite * E.d * one;
  for (let j = 0; j < least + masses.length; j += 1) {
    const gain = E.d * one - E.n * power;
    if (j >= least && gain > 0n && j !== exact) sum += masses[j - least] * gain;
    power = power * ratio.d / ratio.n;
  }
  r.demand(sum * delta.d <= (delta.n * E.d * one) << BigInt(precision), "the composed curves do not show delta");
}

function proveComposed(claim, value) {
  const { witness, terms } = r.readMaybeTerms(claim.level, value, ["ratio", "precision", "curves"]);
  const lattice = readLattice(witness);
  const { ratio, precision } = lattice;
  const given = r.list(witness.curves, "curves", claim.runs.length);
  const curves = claim.runs.map((run, i) => readCurve(run, given[i], precision));
  return () => {
    const steps = levels(ratio, Math.max(...curves.map(({ deltas }) => deltas.length)));
    const [step, unit] = [1n << STEP_BITS, 1n << BigInt(precision)];
    for (const { deltas, check } of curves) {
      check(deltas.map((d, j) => ({ E: { n: steps[j], d: step }, delta: { n: d, d: unit } })));
    }
    const lists = curves.map(({ deltas }) => massesOf(deltas, lattice));
    const product = productOf(lists, claim.runs, (a, b) => multiplyMasses(a, b, precision));
    demandTotal(product, lattice, r.taylorBound(claim.level, terms, false), claim.delta);
  };
}

// ---- refuted ----

/** A function of P and Q, both positive: the j with rho^j <= P/Q < rho^(j+1), or of Q/P its negative. */
function makeLabels({ ratio: { n: a, d: b }, precision }) {
  const [lows, highs, sizes] = [[1n << LABEL_BITS], [1n << LABEL_BITS], [Number(LABEL_BITS) + 1]];
  const width = r.bitLength(a);
  const extend = () => {
    if (lows.length * precision > LIMITS.packedBits) r.overLimit("products of two lists of masses");
    r.spendDivision(4, sizes.at(-1) + width, width);
    r.hold(2 * highs.length, sizes.at(-1));
    lows.push(lows.at(-1) * a / b);
    highs.push(r.ceilDivide(highs.at(-1) * a, b));
    sizes.push(r.bitLength(highs.at(-1)));
  };
  const isBelow = (j, large, small, bits) => {
    r.spend(2, bits, sizes[j]);
    const scaled = large << LABEL_BITS;
    if (highs[j] * small <= scaled) return true;
    if (lows[j] * small > scaled || j * width > LIMITS.numberBits) return false;
    r.spend(4, j * width, j * width);
    r.spend(2, bits, j * width);
    return a ** BigInt(j) * small <= b ** BigInt(j) * large;
  };
  return (P, Q) => {
    const [large, small] = P < Q ? [Q, P] : [P, Q];
    const bits = r.bitLength(large);
    while (isBelow(lows.length - 1, large, small, bits)) extend();
    let [low, high] = [0, lows.length - 1];  // the powers ascend
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (isBelow(middle, large, small, bits)) low = middle;
      else high = middle;
    }
    return P < Q ? -low : low;
  };
}

/** Merge the outcomes [P, Q] of bounds over the denominators of P and Q into {least, p, q, infinite}. */
function mergeOutcomes({ pairs, below, above }, lattice, label) {
  const shift = BigInt(lattice.precision);
  const sums = new Map();
  let infinite = 0n;
  r.spend(4 * pairs.length, r.bitLength(below), r.bitLength(above));
  for (const [P, Q] of pairs) {
    if (P === 0n) continue;
    if (Q === 0n) { infinite += P; continue; }
    const j = label(P * above, Q * below);
    const [oldP, oldQ] = sums.get(j) ?? [0n, 0n];
    sums.set(j, [oldP + P, oldQ + Q]);
  }
  const labels = [...sums.keys()];
  const least = labels.reduce((x, y) => Math.min(x, y), Infinity);
  const most = labels.reduce((x, y) => Math.max(x, y), -Infinity);
  const length = labels.length ? most - least + 1 : 0;
  if (length * lattice.precision > LIMITS.packedBits) r.overLimit("products of two lists of masses");
  r.hold(2 * length, lattice.precision);
  r.spendDivision(2 * sums.size, r.bitLength(below) + lattice.precision, r.bitLength(below));
  const [lower, upper] = [Array(length).fill(0n), Array(length).fill(0n)];
  for (const [j, [P, Q]] of sums) {
    lower[j - least] = (P << shift) / below;
    upper[j - least] = r.ceilDivide(Q << shift, above);
  }
  return { least: length ? least : 0, p: lower, q: upper, infinite: (infinite << shift) / below };
}

function multiplyOutcomes(a, b, precision) {
  const shift = BigInt(precision);
  const one = 1n << shift;
  const lower = multiplyLists(a.p, b.p).map((x) => x >> shift);
  const upper = multiplyLists(a.q, b.q).map((x) => (x + one - 1n) >> shift);
  const infinite = (a.infinite * one + b.infinite * one - a.infinite * b.infinite) >> shift;
  const [from, to] = innerPart(lower, 0);
  return { least: a.least + b.least + from, p: lower.slice(from, to), q: upper.slice(from, to), infinite };
}

/** Whether some event "q = 0 in a run, or a sum of at least s" has P - E Q > delta. */
function demandEvent({ p: lower, q: upper, infinite }, precision, E, delta) {
  const bound = (delta.n * E.d) << BigInt(precision);
  let gain = infinite * E.d;
  let best = gain;
  r.spend(3 * lower.length, Math.max(precision, r.bitLength(E.n)), Math.min(precision, r.bitLength(E.n)));
  for (let i = lower.length - 1; i >= 0; i -= 1) {
    gain += lower[i] * E.d - upper[i] * E.n;
    if (gain > best) best = gain;
  }
  r.demand(best * delta.d > bound, "no event shows a divergence above delta");
}

function refuteComposed(claim, value) {
  const { witness, terms } = r.readMaybeTerms(claim.level, value, ["ratio", "precision", "pairs"]);
  const lattice = readLattice(witness);
  const { precision } = lattice;
  const given = r.list(witness.pairs, "pairs", claim.runs.length);
  const outcomes = claim.runs.map((run, i) => (run.law ? noise.readOutcomes : p.readOutcomes)(run, given[i], precision));
  return () => {
    const label = makeLabels(lattice);
    const lists = outcomes.map((pairs) => mergeOutcomes(pairs(), lattice, label));
    const product = productOf(lists, claim.runs, (a, b) => multiplyOutcomes(a, b, precision));
    demandEvent(product, precision, r.taylorBound(claim.level, terms, true), claim.delta);
  };
}

export const KINDS = { composed: { read: readComposed, prove: proveComposed, refute: refuteComposed, since: 2 } };
