// Part of second_checker.mjs: claims about noise laws, the kinds `shift_dp`, `smooth`, `tail`, `equal_laws` and the half
// of `accuracy` that speaks of a count plus noise.

import * as r from "./reading.mjs";
import * as p from "./protocols.mjs";
import {
  exactLaw, guardExact, hasConstantRatios, highAt, highest, isExact, isLogConcave, isNeverWalked, levelBounds, lowest,
  massOf, outside, rationalOf, RATIOS, readLaw, sizeOf, span, walk, widest,
} from "./laws.mjs";
import { sumOf } from "./series.mjs";

const { LIMITS, ZERO, ONE } = r;

// ---- how a witness asks for a check ----

/** Read a witness that has these keys, and for a check by enclosure "bits" as well: {witness, bits, terms}. */
function readMode(law, value, keys, level, { schema, exact }) {
  if (r.isObject(value) && value.has("bits")) {
    if (isNeverWalked(law) || schema === 1) r.malformed("bits for what is checked exactly");
    const witness = r.fields(value, [...keys, "bits"], "witness");
    return { witness, bits: readBits(witness.bits), terms: null };
  }
  if (!exact) r.malformed("this law is not checked exactly");
  guardExact(law);
  const read = level ? r.readMaybeTerms(level, value, keys) : { witness: r.fields(value, keys, "witness") };
  return { ...read, bits: null };
}

export function readBits(value) { return r.between(value, 16, LIMITS.bits, "bits"); }

// ---- shift_dp ----

function readShift(value, schema) {
  const claim = r.fields(value, ["kind", "law", "shift", r.levelKey(value), "delta", "least"], "shift_dp");
  const level = r.readLevel(claim);
  const least = r.choice(claim.least, ["none", "delta", "exp_eps"], "least");
  if (least !== "none" && level.eps) r.malformed("least with eps");
  const law = readLaw(claim.law, schema);
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  const shift = r.between(claim.shift, 1, LIMITS.shift, "shift");
  return { schema, law, level, least, delta, shift, exact: isExact(law) || hasConstantRatios(law) };
}

/** The pairs (Y, Y + j) with one entry [P, Q] per outcome or group of outcomes, and their denominator. */
function makePairs(law) {
  if (hasConstantRatios(law)) return (j) => constantRatioPair(law, j);
  if (law.family === "discrete-uniform") return (j) => uniformPair(law, BigInt(j));
  const { weights, denominator } = exactLaw(law);
  const bits = r.bitLength(denominator);
  return (j) => {
    const shift = BigInt(j);
    r.spend(2 * weights.size, bits);
    r.hold(2 * weights.size, 256);
    const pairs = [];
    for (const [k, weight] of weights) {
      pairs.push([weight, weights.get(k - shift) ?? 0n]);
      if (!weights.has(k + shift)) pairs.push([0n, weight]);
    }
    return { pairs, denominator };
  };
}

/** Moved by j, the interval leaves min(j, N) of its N integers behind, and as many are new. */
function uniformPair({ low, high }, j) {
  const denominator = sizeOf({ low, high });
  const shared = sizeOf({ low: low + j, high });
  const alone = shared > 0n ? j : denominator;
  r.spend(8, r.bitLength(denominator));
  return { pairs: [[alone, 0n], ...(shared > 0n ? [[shared, shared]] : []), [0n, alone]], denominator };
}

function guardRatio({ d }, j) {
  if (r.bitLength(d) * j > LIMITS.numberBits) r.overLimit("common denominator of constant ratios");
}

/** Powers [a^i d^(j-i)] for the ratio x = a/d, i from 0 to j: x^i over d^j. */
function ratioPowers({ n: a, d }, j) {
  guardRatio({ d }, j);
  const bits = r.bitLength(d);
  r.hold(4 * j, bits * j);
  r.spend(2, bits * j, bits * j);
  r.spendDivision(2 * j, bits * j, bits);
  const powers = [d ** BigInt(j)];
  while (powers.length <= j) powers.push(powers.at(-1) / d * a);
  return powers;
}

function baseRatio(law) {
  if (law.family === "geometric") return rationalOf(law.p);
  const { n, d } = rationalOf(law.exp_eps);
  return { n: d, d: n };
}

function constantRatioPair(law, j) {
  const x = baseRatio(law);
  if (law.family === "geometric") {
    guardRatio(x, j);
    r.spend(2, r.bitLength(x.d) * j, r.bitLength(x.d) * j);
    const [one, power] = [x.d ** BigInt(j), x.n ** BigInt(j)];
    return { pairs: [[one - power, 0n], [power, one]], denominator: one };
  }
  // Over (d + a) d^j: t <= 0 has weight d, t >= j has d x^j, and each t between (d - a) x^t.
  const powers = ratioPowers(x, j);
  r.spend(2 * j + 4, r.bitLength(powers[0]), r.bitLength(x.d));
  const pairs = [[x.d * powers[0], x.d * powers[j]], [x.d * powers[j], x.d * powers[0]]];
  for (let t = 1; t < j; t += 1) pairs.push([(x.d - x.n) * powers[t], (x.d - x.n) * powers[j - t]]);
  return { pairs, denominator: (x.d + x.n) * powers[0] };
}

function ordered(pairs, order) { return order === "forward" ? pairs : pairs.map(([P, Q]) => [Q, P]); }

const ORDERS = ["forward", "backward"];

function exactDivergence({ pairs, denominator }, order, E) {
  r.spend(2 * pairs.length, r.bitLength(denominator), r.bitLength(E.n));
  r.spend(4, r.bitLength(denominator) + r.bitLength(E.n), r.bitLength(E.n));
  let sum = 0n;
  for (const [P, Q] of ordered(pairs, order)) {
    const gain = E.d * P - E.n * Q;
    if (gain > 0n) sum += gain;
  }
  return { n: sum, d: E.d * denominator };
}

function demandAllShifts({ law, shift }, E, delta) {
  const pairs = makePairs(law);
  for (let j = 1; j <= shift; j += 1) {
    const pair = pairs(j);
    for (const order of ORDERS) {
      r.demand(r.compare(exactDivergence(pair, order, E), delta) <= 0, "a shift has a divergence above delta");
    }
  }
}

export function readShiftAndOrder(claim, witness) {
  return { j: r.between(witness.shift, 1, claim.shift, "shift"), order: r.choice(witness.order, ORDERS, "order") };
}

function proveShift(claim, value) {
  const { law, level, least, delta } = claim;
  if (r.isObject(value) && value.has("pure")) return provePure(claim, value);
  if (least !== "none") return proveLeastShift(claim, value);
  const { bits, terms } = readMode(law, value, [], level, claim);
  if (bits === null) return () => demandAllShifts(claim, r.taylorBound(level, terms, false), delta);
  return () => {
    const w = walk(law, bits);
    const first = isLogConcave(law, bits) ? claim.shift : 1;
    const [E] = levelBounds(level, bits);
    for (let j = first; j <= claim.shift; j += 1) {
      for (const order of ORDERS) demandEnclosed(w, j, order, E, delta);
    }
  };
}

function proveLeastShift(claim, value) {
  const { law, level, least, delta } = claim;
  const nothingSmaller = least === "delta" ? delta.n === 0n : r.compare(level.exact, ONE) === 0;
  if (!claim.exact) r.malformed("this law is not checked exactly");
  guardExact(law);
  const witness = r.fields(value, nothingSmaller ? [] : ["shift", "order"], "witness");
  const at = nothingSmaller ? null : readShiftAndOrder(claim, witness);
  return () => {
    if (at) demandAttained(claim, at);
    demandAllShifts(claim, level.exact, delta);
  };
}

function demandAttained({ law, level, least, delta }, { j, order }) {
  const pair = makePairs(law)(j);
  const E = level.exact;
  r.demand(r.compare(exactDivergence(pair, order, E), delta) === 0, "delta is not attained");
  if (least === "delta") return;
  const event = ordered(pair.pairs, order).some(([P, Q]) => Q > 0n && E.d * P >= E.n * Q);
  r.demand(event, "Q gives the event no probability");
}

function provePure({ schema, law, level, least, shift }, value) {
  r.choice(r.fields(value, ["pure"], "witness").pure, ["yes"], "pure");
  if (schema === 1 || law.family !== "discrete-laplace" || least !== "none") r.malformed("pure for another claim");
  const real = law.exp_eps.real;
  if (level.exact) {
    if (!real.rational) r.malformed("pure of exp_eps and a real that is not rational");
    if (r.bitLength(real.rational.n) * shift > LIMITS.numberBits) r.overLimit("power of a ratio");
    return () => r.demand(r.compare(level.exact, powerOf(real.rational, shift)) >= 0, "exp_eps is below the ratio");
  }
  if (real.name !== "exp" || !real.inner.rational) r.malformed("pure of eps and a real that is no exponential");
  const x = real.inner.rational;
  return () => {
    r.demand(x.n > 0n, "a parameter out of its domain");
    r.demand(r.compare(level.eps, r.multiply(x, r.whole(shift))) >= 0, "eps is below the ratio's logarithm");
  };
}

/** Sums of the positive parts of p - E q, p and q bounds of the weights of an outcome under P and Q; times E's d. */
export function positiveParts(w, j, order, E, above) {
  r.spend(3 * w.low.length, widest(w) + 64, r.bitLength(E.n));
  const [ps, qs] = above ? [w.high, w.low] : [w.low, w.high];
  const step = order === "forward" ? -j : j;
  let sum = 0n;
  ps.forEach((weight, i) => {
    const gain = E.d * weight - E.n * (qs[i + step] ?? 0n);
    if (gain > 0n) sum += gain;
  });
  return sum;
}

function demandEnclosed(w, j, order, E, delta) {
  const above = positiveParts(w, j, order, E, true) + outside(w) * E.d;
  r.demand(above * delta.d <= delta.n * lowest(w) * E.d, "the divergence is not shown to be at most delta");
}

function refuteShift(claim, value) {
  const { law, level, least, delta } = claim;
  if (least !== "none" && r.isObject(value) && value.has("smaller")) {
    if (!claim.exact) r.malformed("this law is not checked exactly");
    guardExact(law);
    const smaller = p.readSmaller(claim, value);
    return () => demandAllShifts(claim, ...smaller());
  }
  const { witness, bits, terms } = readMode(law, value, ["shift", "order"], level, claim);
  if (bits !== null && least !== "none") r.malformed("bits with least");
  const { j, order } = readShiftAndOrder(claim, witness);
  if (bits !== null) return () => refuteEnclosed(walk(law, bits), j, order, levelBounds(level, bits)[1], delta);
  return () => {
    const found = exactDivergence(makePairs(law)(j), order, r.taylorBound(level, terms, true));
    r.demand(r.compare(found, delta) > 0, "the divergence is not above delta");
  };
}

function refuteEnclosed(w, j, order, E, delta) {
  const below = positiveParts(w, j, order, E, false) - outside(w) * E.n;
  r.demand(below * delta.d > delta.n * highest(w) * E.d, "the divergence is not shown to be above delta");
}

// ---- runs of a composition ----

export function readShiftedLaw(run, schema) {
  const law = readLaw(run.law, schema);
  const shift = r.between(run.shift, 1, LIMITS.shift, "shift");
  return { schema, law, shift, exact: isExact(law) || hasConstantRatios(law) };
}

/** A check of all levels {E, delta} of a privacy curve at once. */
export function proveCurve(run, value) {
  const { law, shift } = run;
  if (r.isObject(value) && value.has("pure")) {
    const check = (level) => provePure({ ...run, level: { exact: level }, least: "none" }, value);
    check(ONE);
    return (levels) => levels.forEach(({ E }) => check(E)());
  }
  const { bits } = readMode(law, value, [], null, run);
  return bits === null ? proveExactCurve(run) : (levels) => {
    const w = walk(law, bits);
    for (let j = isLogConcave(law, bits) ? shift : 1; j <= shift; j += 1) {
      for (const step of [-j, j]) {
        r.demandCurve(w.high.map((weight, i) => [weight, w.low[i + step] ?? 0n]), outside(w), lowest(w), levels);
      }
    }
  };
}

function proveExactCurve({ law, shift }) {
  return (levels) => {
    const make = makePairs(law);
    for (let j = 1; j <= shift; j += 1) {
      const { pairs, denominator } = make(j);
      for (const order of ORDERS) r.demandCurve(ordered(pairs, order), 0n, denominator, levels);
    }
  };
}

/** Outcomes [P, Q] of a shift, lower bounds of P over `below` and upper ones of Q over `above`. */
export function readOutcomes(run, value) {
  const { law } = run;
  const { witness, bits } = readMode(law, value, ["shift", "order"], null, run);
  const { j, order } = readShiftAndOrder(run, witness);
  if (bits === null) {
    return () => {
      const { pairs, denominator } = makePairs(law)(j);
      return { pairs: ordered(pairs, order), below: denominator, above: denominator };
    };
  }
  return () => {
    const w = walk(law, bits);
    const step = BigInt(order === "forward" ? -j : j);
    const pairs = w.low.map((weight, i) => [weight, highAt(w, w.start + BigInt(i) + step)]);
    return { pairs, below: highest(w), above: lowest(w) };
  };
}

// ---- smooth ----

function readSmooth(value, schema) {
  const claim = r.fields(value, ["kind", "law", "k", r.levelKey(value), "delta"], "smooth");
  const law = readLaw(claim.law, schema);
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  const k = r.between(claim.k, 1, LIMITS.shift, "k");
  return { schema, law, level: r.readLevel(claim), delta, k, exact: isExact(law) || hasConstantRatios(law) };
}

/** E^k, paid for before it is computed. */
function powerOf(E, k) {
  const bits = Math.max(r.bitLength(E.n), r.bitLength(E.d)) * k;
  r.hold(4, bits);
  r.spend(4, bits, bits);
  return r.raise(E, k);
}

/** The mass of {w(Y)/w(Y + by) >= E^abs(by)} for an exact law: P/Q of (Y, Y + j) for by = -j, Q/P for by = j. */
function exactSmoothMass(pairs, by, E) {
  const { pairs: outcomes, denominator } = pairs(Math.abs(by));
  const power = powerOf(E, Math.abs(by));
  r.spend(2 * outcomes.length, r.bitLength(denominator), r.bitLength(power.n));
  let sum = 0n;
  for (const [P, Q] of ordered(outcomes, by < 0 ? "forward" : "backward")) {
    if (P > 0n && P * power.d >= power.n * Q) sum += P;
  }
  return { n: sum, d: denominator };
}

/** Bounds of the same mass from a walk: what may count, from above, and what must, from below. */
function enclosedSmoothMass(law, w, by, [least, most], decide) {
  const size = Math.abs(by);
  const [low, high] = [powerOf(least, size), powerOf(most, size)];
  const bits = r.bitLength(high.n) + r.bitLength(low.n);
  r.spend(4 * w.low.length, widest(w) + 128, bits);
  let [may, must] = [0n, 0n];
  w.high.forEach((weight, i) => {
    const y = w.start + BigInt(i);
    const other = y + BigInt(by);
    const certain = w.low[i] * high.d >= high.n * highAt(w, other);
    const possible = (weight + w.blur) * low.d >= low.n * (w.low[i + by] ?? 0n);
    if (certain || (possible && (decide ? decide(y, by) : true))) may += weight;
    if (certain || (possible && decide && decide(y, by))) must += w.low[i];
  });
  return [may + outside(w), must];
}

/** The exact comparison for laws of rational ratios and a rational E, or null. */
function exactDecision(law, level) {
  const parameters = { binomial: ["p"], "negative-binomial": ["r", "p"], geometric: ["p"], poisson: ["mu"],
    "discrete-laplace": ["exp_eps"] }[law.family];
  if (!level.exact || !parameters || !parameters.every((name) => rationalOf(law[name]))) return null;
  const { up, least = null, most = null, even } = RATIOS[law.family](law, 16);
  const ratio = (t) => {
    if (even && t < 0n) return { n: up(0n).low.d, d: up(0n).low.n };  // of the discrete Laplace law
    return law.family === "binomial" ? binomialUp(law, t) : up(t).low;
  };
  return (y, by) => {
    const other = y + BigInt(by);
    if ((least !== null && other < least) || (most !== null && other > most)) return true;
    let product = ONE;
    for (let t = y < other ? y : other; t < (y < other ? other : y); t += 1n) {
      const next = ratio(t);
      const bits = r.bitLength(product.d);
      r.spend(2, bits, Math.max(r.bitLength(next.n), r.bitLength(next.d)));
      r.hold(4, bits);
      product = r.multiply(product, next);
    }
    r.spend(2, r.bitLength(product.d), Math.abs(by) * r.bitLength(level.exact.n));
    const power = powerOf(level.exact, Math.abs(by));  // w(larger)/w(smaller) is the product
    return by > 0 ? product.n * power.n <= product.d * power.d : product.n * power.d >= product.d * power.n;
  };
}

function binomialUp({ n, p: probability }, t) {
  const { n: a, d } = rationalOf(probability);
  return { n: (n - t) * a, d: (t + 1n) * (d - a) };
}

function enclosedSmooth({ law, level }, bits) {
  const w = walk(law, bits);
  const bounds = levelBounds(level, bits);
  const decide = exactDecision(law, level);
  return { w, mass: (by) => enclosedSmoothMass(law, w, by, bounds, decide) };
}

function proveSmooth(claim, value) {
  const { law, level, delta, k } = claim;
  const { bits, terms } = readMode(law, value, [], level, claim);
  const steps = (first) => Array.from({ length: k - first + 1 }, (_, i) => [first + i, -first - i]).flat();
  if (bits === null) {
    return () => {
      const pairs = makePairs(law);
      const E = r.taylorBound(level, terms, false);
      for (const by of steps(1)) {
        r.demand(r.compare(exactSmoothMass(pairs, by, E), delta) <= 0, "too much mass has a large ratio");
      }
    };
  }
  return () => {
    const { w, mass } = enclosedSmooth(claim, bits);
    for (const by of steps(isLogConcave(law, bits) ? k : 1)) {
      r.demand(mass(by)[0] * delta.d <= delta.n * lowest(w), "too much mass may have a large ratio");
    }
  };
}

function refuteSmooth(claim, value) {
  const { law, level, delta, k } = claim;
  const { witness, bits, terms } = readMode(law, value, ["by"], level, claim);
  const by = r.between(witness.by, -k, k, "by");
  if (by === 0) r.malformed("by is 0");
  if (bits === null) {
    return () => {
      const mass = exactSmoothMass(makePairs(law), by, r.taylorBound(level, terms, true));
      r.demand(r.compare(mass, delta) > 0, "too little mass has a large ratio");
    };
  }
  return () => {
    const { w, mass } = enclosedSmooth(claim, bits);
    r.demand(mass(by)[1] * delta.d > delta.n * highest(w), "too little mass is shown to have a large ratio");
  };
}

// ---- probabilities of unions of intervals: tail and accuracy ----

/** Bounds of the probability of disjoint intervals [from, to], null being infinite, as two rationals. */
function probability(law, intervals, bits) {
  if (bits !== null) return enclosedProbability(walk(law, bits), intervals);
  if (law.family === "discrete-uniform") return uniformProbability(law, intervals);
  const { weights, denominator } = exactLaw(law);
  r.spend(4 * weights.size, r.bitLength(denominator));
  let n = 0n;
  for (const [k, weight] of weights) {
    if (intervals.some(([from, to]) => (from === null || from <= k) && (to === null || k <= to))) n += weight;
  }
  return [{ n, d: denominator }, { n, d: denominator }];
}

/** The integers of disjoint intervals that a uniform law reaches, over all that it reaches. */
function uniformProbability({ low, high }, intervals) {
  let n = 0n;
  for (const [from, to] of intervals) {
    const [first, last] = [from === null || from < low ? low : from, to === null || to > high ? high : to];
    if (first <= last) n += last - first + 1n;
  }
  r.spend(4 * intervals.length, r.bitLength(high - low));
  const value = { n, d: sizeOf({ low, high }) };
  return [value, value];
}

/** in/(in + out), where the remainder is out for the lower bound and in for the upper one. */
function enclosedProbability(w, intervals) {
  const [low, high] = massOf(w, intervals);
  const [outLow, outHigh] = [sumOf(w.low) - low, sumOf(w.high) - high + outside(w)];
  const most = high + outside(w);
  return [{ n: low, d: low + outHigh }, { n: most, d: most + outLow }];
}

function readTail(value, schema) {
  const claim = r.fields(value, ["kind", "law", "from", "to", "bound", "probability"], "tail");
  const law = readLaw(claim.law, schema);
  const from = claim.from === "-infinity" ? null : r.integer(claim.from);
  const to = claim.to === "infinity" ? null : r.integer(claim.to);
  const bound = r.choice(claim.bound, ["at most", "at least"], "bound");
  const limit = r.rationalBetween(claim.probability, ZERO, ONE, "probability");
  return { schema, law, from, to, bound, limit, exact: isExact(law) };
}

function decideTail(claim, value, truth) {
  const { law, from, to, limit } = claim;
  const { bits } = readMode(law, value, [], null, claim);
  return () => {
    const [low, high] = probability(law, [[from, to]], bits);
    const above = (claim.bound === "at least") === truth;  // what is to be shown: >= or >, else <= or <
    const sign = above ? r.compare(low, limit) : r.compare(limit, high);
    r.demand(truth ? sign >= 0 : sign > 0, "the probability does not show it");
  };
}

// ---- accuracy ----

function readAccuracy(value, schema) {
  if (r.isObject(value) && value.has("randomizer")) return { protocol: p.readProtocolAccuracy(value) };
  const keys = ["kind", "law", "least", "most", "weight", "offset", "zero_unless_above", "alpha", "beta"];
  const claim = r.fields(value, keys, "accuracy");
  const law = readLaw(claim.law, schema);
  const [least, most, weight] = [r.integer(claim.least), r.integer(claim.most), r.rational(claim.weight)];
  if (least < 0n || most < least) r.malformed("least and most");
  if (weight.n <= 0n) r.malformed("weight is not positive");
  const threshold = p.readThreshold(claim.zero_unless_above);
  const levels = p.readAccuracyLevels(claim);
  const offset = r.rational(claim.offset);
  return { schema, law, least, most, weight, threshold, offset, ...levels, exact: isExact(law) };
}

/** For b > 0. */
function divide(a, b) { return { n: a.n * b.d, d: a.d * b.n }; }

/** The noise for which the error of the worst count exceeds alpha, as disjoint intervals. */
function badNoise({ least, most, weight, offset, threshold, alpha }) {
  const first = r.ceil(divide(r.subtract(r.negate(alpha), offset), weight));  // good: first <= Y <= last
  const last = r.floor(divide(r.subtract(alpha, offset), weight));
  const good = first <= last;
  if (!threshold) return good ? [[null, first - 1n], [last + 1n, null]] : [[null, null]];
  let count = r.floor(divide(alpha, weight)) + 1n;
  if (count < least) count = least;
  if (count > most) count = most;
  const start = r.floor(divide(threshold, weight)) + 1n - count;  // above the threshold: Y >= start
  const bad = r.compare(r.multiply(weight, r.whole(count)), alpha) > 0 ? [[null, start - 1n]] : [];
  const from = first > start ? first : start;
  if (!good || from > last) return [...bad, [start, null]];
  return [...bad, ...(start < from ? [[start, from - 1n]] : []), [last + 1n, null]];
}

function decideAccuracy(claim, value, truth) {
  if (claim.protocol) return (truth ? p.proveProtocolAccuracy : p.refuteProtocolAccuracy)(claim.protocol, value);
  const { law, beta } = claim;
  const { bits } = readMode(law, value, [], null, claim);
  return () => {
    const [low, high] = probability(law, badNoise(claim), bits);
    const shown = truth ? r.compare(high, beta) <= 0 : r.compare(low, beta) > 0;
    r.demand(shown, "the probability of an error does not show it");
  };
}

// ---- equal_laws ----

function readEqual(value, schema) {
  const claim = r.fields(value, ["kind", "first", "second"], "equal_laws");
  return { laws: [claim.first, claim.second].map((law) => readLaw(law, schema)) };
}

/** A and B of the ratio (A t + B)/(t + 1), for rational parameters, else null. */
function linearRatio(law) {
  const names = { geometric: ["p"], "negative-binomial": ["p", "r"], poisson: ["mu"] }[law.family];
  if (!names || !names.every((name) => rationalOf(law[name]))) return null;
  const first = rationalOf(law[names[0]]);
  if (law.family === "poisson") return [ZERO, first];
  return [first, law.r ? r.multiply(first, rationalOf(law.r)) : first];
}

function proveEqual({ laws: [first, second] }, value) {
  r.fields(value, [], "witness");
  const exact = isExact(first) && isExact(second);
  const lines = [linearRatio(first), linearRatio(second)];
  if (first.spelled === second.spelled) return () => demandDomains(first);
  if (exact) return () => demandSameWeights(exactLaw(first), exactLaw(second));
  if (!lines[0] || !lines[1]) r.malformed("no check shows that two such laws are equal");
  return () => r.demand([0, 1].every((i) => r.compare(lines[0][i], lines[1][i]) === 0), "the ratios differ");
}

function demandDomains(law) {
  for (const parameter of Object.values(law)) if (parameter?.real) span(parameter, 256);
}

function demandSameWeights(a, b) {
  const size = (law) => [...law.weights.values()].filter((weight) => weight > 0n).length;
  r.demand(size(a) === size(b), "the supports differ");
  r.spend(2 * a.weights.size, r.bitLength(a.denominator), r.bitLength(b.denominator));
  for (const [k, weight] of a.weights) {
    r.demand(weight * b.denominator === (b.weights.get(k) ?? 0n) * a.denominator, "the weights differ");
  }
}

function refuteEqual({ laws }, value) {
  const byBits = r.isObject(value) && value.has("bits");
  const witness = r.fields(value, byBits ? ["outcome", "bits"] : ["outcome"], "witness");
  const outcome = r.integer(witness.outcome);
  const bits = byBits ? readBits(witness.bits) : null;
  if (!byBits && !laws.every(isExact)) r.malformed("laws that are not compared like this");
  if (!byBits) laws.forEach(guardExact);
  return () => {
    const at = (law) => probability(law, [[outcome, outcome]], isNeverWalked(law) ? null : bits);
    const [[lowA, highA], [lowB, highB]] = laws.map(at);
    r.demand(r.compare(highA, lowB) < 0 || r.compare(highB, lowA) < 0, "the probabilities are not shown to differ");
  };
}

export const KINDS = {
  shift_dp: { read: readShift, prove: proveShift, refute: refuteShift, since: 1 },
  smooth: { read: readSmooth, prove: proveSmooth, refute: refuteSmooth, since: 2 },
  tail: {
    read: readTail, since: 2,
    prove: (claim, value) => decideTail(claim, value, true), refute: (claim, value) => decideTail(claim, value, false),
  },
  accuracy: {
    read: readAccuracy, since: 2,
    prove: (claim, value) => decideAccuracy(claim, value, true),
    refute: (claim, value) => decideAccuracy(claim, value, false),
  },
  equal_laws: { read: readEqual, prove: proveEqual, refute: refuteEqual, since: 2 },
};
