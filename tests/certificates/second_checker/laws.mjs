// Part of second_checker.mjs: noise laws on the integers. How they are read, exactly listed weights, and walks, which
// enclose the weights of the others.

import * as r from "./reading.mjs";
import * as p from "./protocols.mjs";
import { readHistogram, readRandomizer } from "./randomizers.mjs";
import { multiplySeries, sumOf } from "./series.mjs";

const { LIMITS, ZERO, ONE } = r;
const STEPS = 3 * 10 ** 6;  // of one walk: more would not fit the memory

// ---- reals ----

function readReal(value) {
  if (!r.isObject(value)) return { rational: r.rational(value) };
  if (value.size !== 1) r.malformed("a real has not one key");
  const [[name, inner]] = value;
  r.choice(name, ["exp", "log", "inverse", "sum", "product", "power"], "a real's key");
  if (name === "power") {
    const [base, exponent] = r.list(inner, "power", 2);
    return { name, base: readReal(base), exponent: r.between(exponent, 2, 1000, "the exponent of a power") };
  }
  if (name !== "sum" && name !== "product") return { name, inner: readReal(inner) };
  if (r.list(inner, name).length === 0) r.malformed("a " + name + " of nothing");
  return { name, parts: inner.map(readReal) };
}

/** Bounds of a real, in units of 2^-bits. */
function enclose(real, bits) {
  const unit = 1n << BigInt(bits);
  if (real.rational) {
    const longest = r.bitLength(real.rational.d);
    r.spendDivision(2, r.bitLength(real.rational.n) + bits, longest);
    const scaled = { n: real.rational.n * unit, d: real.rational.d };
    return [r.floor(scaled), r.ceil(scaled)];
  }
  if (real.name === "power") return encloseProduct(Array(real.exponent).fill(enclose(real.base, bits)), bits);
  if (real.parts) {
    const parts = real.parts.map((part) => enclose(part, bits));
    if (real.name === "product") return encloseProduct(parts, bits);
    return parts.reduce(([a, b], [c, d]) => [a + c, b + d]);
  }
  const [low, high] = enclose(real.inner, bits);
  if (real.name === "inverse") {
    r.demand(low > 0n || high < 0n, "an inverse of what may be 0");
    r.spendDivision(2, 2 * bits, r.bitLength(high));
    return [r.floor({ n: unit * unit * sign(high), d: high * sign(high) }),
      r.ceil({ n: unit * unit * sign(low), d: low * sign(low) })];
  }
  if (real.name === "exp") {
    return [r.exponential({ n: low, d: unit }, bits)[0], r.exponential({ n: high, d: unit }, bits)[1]];
  }
  r.demand(low > 0n, "a logarithm of what may not be positive");
  return [r.logarithm({ n: low, d: unit }, bits)[0], r.logarithm({ n: high, d: unit }, bits)[1]];
}

function sign(n) { return n < 0n ? -1n : 1n; }

function encloseProduct(parts, bits) {
  return parts.reduce(([a, b], [c, d]) => {
    r.spend(6, Math.max(r.bitLength(a), r.bitLength(b)), Math.max(r.bitLength(c), r.bitLength(d)));
    const ends = [a * c, a * d, b * c, b * d].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
    if (Math.max(r.bitLength(ends[0]), r.bitLength(ends[3])) > LIMITS.realBits) r.overLimit("a product of reals");
    return [ends[0] >> BigInt(bits), r.shiftUp(ends[3], BigInt(bits))];
  });
}

// ---- reading laws ----

const DOMAINS = {
  probability: { low: ZERO, high: ONE },
  below: { low: ZERO, high: ONE, highOpen: true },
  inside: { low: ZERO, lowOpen: true, high: ONE, highOpen: true },
  positive: { low: ZERO, lowOpen: true },
  aboveOne: { low: ONE, lowOpen: true },
  notNegative: { low: ZERO },
};

const FAMILIES = {
  binomial: { n: "trials", p: "probability" },
  "binomial-sum": { n1: "trials", p1: "probability", n2: "trials", p2: "probability" },
  "negative-binomial": { r: "positive", p: "below" },
  geometric: { p: "below" },
  "discrete-laplace": { exp_eps: "aboveOne" },
  "discrete-gaussian": { sigma_squared: "variance" },
  poisson: { mu: "notNegative" },
};

/** Whether everything between the rationals low and high lies in the domain; strictly inside its ends if asked. */
function lies(domain, low, high, strictly = false) {
  const below = r.compare(domain.low, low);
  if (below > 0 || ((strictly || domain.lowOpen) && below === 0)) return false;
  const above = domain.high ? r.compare(high, domain.high) : -1;
  return above < 0 || (above === 0 && !strictly && !domain.highOpen);
}

export function readParameter(value, type) {
  if (type === "trials") return BigInt(readTrials(value));
  if (type === "variance") {
    const variance = r.rational(value);
    if (variance.n <= 0n) r.malformed("sigma_squared is not positive");
    return variance;
  }
  const real = readReal(value);
  if (real.rational && !lies(DOMAINS[type], real.rational, real.rational)) r.malformed("a parameter out of its domain");
  return { type, real };
}

function readTrials(value) {
  const trials = r.integer(value);
  if (trials < 0n) r.malformed("trials are negative");
  if (trials > LIMITS.trials) r.overLimit("trials");
  return trials;
}

/** {family, spelled, ...parameters}; for schema 1 only what it knew. */
export function readLaw(value, schema) {
  if (!r.isObject(value)) r.malformed("a law is not an object");
  const family = value.get("family");
  const spelled = r.canonical(value);
  if (family === "finite") {
    return { family, spelled, table: p.readTable(r.fields(value, ["family", "weights"], "a law").weights) };
  }
  if (schema === 1 && family !== "binomial") r.malformed("a law that this schema does not know");
  if (family === "discrete-uniform") return { family, spelled, ...readUniform(value, schema) };
  if (family === "view") return { family, spelled, ...readViewLaw(value) };
  if (typeof family !== "string" || !Object.hasOwn(FAMILIES, family)) r.malformed("an unknown family");
  const types = FAMILIES[family];
  const written = r.fields(value, ["family", ...Object.keys(types)], "a law");
  const law = { family, spelled };
  for (const [name, type] of Object.entries(types)) law[name] = readParameter(written[name], type);
  if (schema === 1 && !law.p.real.rational) r.malformed("a real that this schema does not know");
  return law;
}

function readUniform(value, schema) {
  if (schema < 3) r.malformed("a law that this schema does not know");
  const { low, high } = r.fields(value, ["family", "low", "high"], "a law");
  const law = { low: r.integer(low), high: r.integer(high) };
  if (law.low > law.high) r.malformed("low is above high");
  if (r.bitLength(sizeOf(law)) > LIMITS.numberBits) r.overLimit("number of outcomes");
  return law;
}

/** How many outcomes a uniform law has. */
export function sizeOf({ low, high }) { return high - low + 1n; }

function readViewLaw(value) {
  const law = r.fields(value, ["family", "randomizer", "dataset", "weights"], "a law");
  const randomizer = readRandomizer(law.randomizer);
  const dataset = readHistogram(law.dataset, randomizer.rows.length, "dataset");
  return { randomizer, dataset, weights: r.list(law.weights, "weights", randomizer.messages).map(r.integer) };
}

/** Whether no witness may ask for an enclosure of the law. */
export function isNeverWalked(law) { return ["finite", "view", "discrete-uniform"].includes(law.family); }

/** The exact value of a rational parameter, else undefined. */
export function rationalOf(parameter) { return parameter.real.rational; }

// ---- exact laws: {denominator, weights: Map from k} ----

/** Whether the law is always 0 for a parameter that is 0. */
function isAlwaysZero(law) {
  const parameter = { "negative-binomial": law.p, poisson: law.mu }[law.family];
  return parameter !== undefined && rationalOf(parameter)?.n === 0n;
}

export function isExact(law) {
  if (isNeverWalked(law) || isAlwaysZero(law)) return true;
  if (law.family === "binomial") return Boolean(rationalOf(law.p));
  return law.family === "binomial-sum" && Boolean(rationalOf(law.p1) && rationalOf(law.p2));
}

export function hasConstantRatios(law) {
  const parameter = { geometric: law.p, "discrete-laplace": law.exp_eps }[law.family];
  return parameter !== undefined && Boolean(rationalOf(parameter));
}

export function guardExact(law) {
  if (law.family === "binomial" && law.n > BigInt(LIMITS.exactTrials)) r.overLimit("trials of an exact check");
  if (law.family !== "binomial-sum") return;
  if ((law.n1 + 1n) * (law.n2 + 1n) > BigInt(LIMITS.exactProducts)) r.overLimit("products of a sum of binomials");
  const bits = (n, parameter) => Number(n) * r.bitLength(rationalOf(parameter).d);
  const slot = bits(law.n1, law.p1) + bits(law.n2, law.p2);
  if (slot * Number(law.n1 + law.n2 + 1n) > LIMITS.packedBits) r.overLimit("products of two lists of masses");
  if (slot * Number((law.n1 + 1n) * (law.n2 + 1n)) > LIMITS.lawBits) r.overLimit("weights of a law, before sums");
}

export function exactLaw(law) {
  if (law.family === "finite") return law.table;
  if (law.family === "discrete-uniform") return listedUniform(law);
  if (law.family === "view") return p.lawOfWeightedSum(law.randomizer, law.weights, law.dataset);
  if (isAlwaysZero(law)) return { denominator: 1n, weights: new Map([[0n, 1n]]) };
  guardExact(law);
  if (law.family === "binomial") return exactBinomial(law.n, rationalOf(law.p));
  const [first, second] = [exactBinomial(law.n1, rationalOf(law.p1)), exactBinomial(law.n2, rationalOf(law.p2))];
  const weights = p.convolve(first.weights, [...second.weights], r.bitLength(first.denominator * second.denominator));
  return { denominator: first.denominator * second.denominator, weights };
}

function listedUniform(law) {
  if (sizeOf(law) > BigInt(LIMITS.list)) r.overLimit("outcomes of a uniform law that is listed");
  const length = Number(sizeOf(law));
  r.hold(2 * length, r.bitLength(law.low) + r.bitLength(law.high));
  r.spend(4 * length);
  const weights = new Map();
  for (let t = law.low; t <= law.high; t += 1n) weights.set(t, 1n);
  return { denominator: BigInt(length), weights };
}

/** C(n, t) a^t b^(n-t) over (a + b)^n, each from the one before. */
function exactBinomial(n, { n: a, d }) {
  const trials = Number(n);
  const b = d - a;
  const bits = trials * r.bitLength(d);
  if (d > 1n && bits > LIMITS.lawDenominatorBits) r.overLimit("common denominator of a law");
  if (d > 1n && bits * (trials + 1) > LIMITS.lawBits) r.overLimit("weights of a law");
  if (b === 0n) return { denominator: 1n, weights: new Map([[n, 1n]]) };
  r.hold(trials + 1, bits);
  r.spendDivision(2 * trials, bits, r.bitLength(d) + 64);
  r.spend(4, bits, bits);
  const weights = new Map();
  let weight = b ** n;
  for (let t = 0n; t <= n && weight > 0n; t += 1n) {
    weights.set(t, weight);
    weight = weight * ((n - t) * a) / ((t + 1n) * b);
  }
  return { denominator: d ** n, weights };
}

// ---- walks: integer bounds of the weights, outward from near the mode ----
//
// A walk is {start, low, high, below, above, blur, least, most}: weights of start, start + 1, ... lie between low[i]
// and high[i]; those below start, and above the last one, add up to at most `below` and `above`; weights all over the
// line may have at most `blur` more; outside [least, most], where these are not null, the law has no weight.

/** What a ratio lies between, as {low: {n, d}, high: {n, d}}. */
export function span(parameter, bits) {
  if (parameter.real.rational) return { low: parameter.real.rational, high: parameter.real.rational };
  const [low, high] = enclose(parameter.real, bits);
  const d = 1n << BigInt(bits);
  const bounds = { low: { n: low, d }, high: { n: high, d } };
  r.demand(lies(DOMAINS[parameter.type], bounds.low, bounds.high, true), "a parameter may lie outside its domain");
  return bounds;
}

function inverse(bounds) {
  r.demand(bounds.low.n > 0n, "a parameter may be 0");
  return { low: { n: bounds.high.d, d: bounds.high.n }, high: { n: bounds.low.d, d: bounds.low.n } };
}

function scaled({ low, high }, n, d) {
  return { low: { n: low.n * n, d: low.d * d }, high: { n: high.n * n, d: high.d * d } };
}

/** What the ratios of a law are: where to start, up(t) = w(t+1)/w(t), down(t) = w(t-1)/w(t), ends of the support. */
export const RATIOS = {
  binomial: (law, bits) => binomialRatios(law.n, span(law.p, bits)),
  "negative-binomial": (law, bits) => negativeBinomialRatios(span(law.r, bits), span(law.p, bits)),
  geometric: (law, bits) => {
    const ratio = span(law.p, bits);
    return { start: 0n, least: 0n, up: () => ratio, spread: spreadOf(ratio.high) };
  },
  "squared-geometric": (law, bits) => {  // of no file: the weights p1^(2t) of a part of correlated counts
    const { low, high } = span(law.p1, bits);
    const ratio = { low: r.multiply(low, low), high: r.multiply(high, high) };
    return { start: 0n, least: 0n, up: () => ratio, spread: spreadOf(ratio.high) };
  },
  "discrete-laplace": (law, bits) => {
    const ratio = inverse(span(law.exp_eps, bits));
    return { start: 0n, even: true, up: () => ratio, spread: spreadOf(ratio.high) };
  },
  "discrete-gaussian": (law, bits) => gaussianRatios(law.sigma_squared, bits),
  poisson: (law, bits) => {
    const mu = span(law.mu, bits);
    const start = r.floor(mu.low);
    const down = start > 0n ? inverse(mu) : null;
    const up = (t) => scaled(mu, 1n, t + 1n);
    return { start, least: 0n, up, down: (t) => scaled(down, t, 1n), spread: Math.sqrt(toNumber(mu.high)) };
  },
};

function toNumber({ n, d }) {
  const shift = BigInt(Math.max(0, r.bitLength(d) - 60));
  return Number(n >> shift) / Math.max(1, Number(d >> shift));
}

/** Of weights x^t: about how far they reach per nat. */
function spreadOf({ n, d }) { return n === 0n ? 0 : 1 / Math.max(1e-18, toNumber({ n: d - n, d })); }

function binomialRatios(n, { low, high }) {
  const start = [n, r.floor(r.multiply(low, r.whole(n + 1n)))].reduce((a, b) => (a < b ? a : b));
  if (start < n) r.demand(r.compare(high, ONE) < 0, "a probability may be 1");
  const odds = ({ n: a, d }) => ({ n: a, d: d - a });
  const up = start < n ? { low: odds(low), high: odds(high) } : null;
  const turned = ({ n: a, d }) => ({ n: d - a, d: a });
  const down = start > 0n ? { low: turned(high), high: turned(low) } : null;
  const spread = Math.sqrt(Number(n) * toNumber(high) * Math.max(0, 1 - toNumber(low)));
  return {
    start, least: 0n, most: n, spread,
    up: (t) => scaled(up, n - t, t + 1n),
    down: (t) => scaled(down, t, n - t + 1n),
  };
}

function negativeBinomialRatios(size, ratio) {
  const excess = r.subtract(size.low, ONE);
  const complement = { n: ratio.low.d - ratio.low.n, d: ratio.low.d };
  const start = excess.n > 0n ? r.floor({ n: excess.n * ratio.low.n * complement.d,
    d: excess.d * ratio.low.d * complement.n }) : 0n;
  const at = (t) => {  // (size + t) ratio
    const [low, high] = [r.add(size.low, r.whole(t)), r.add(size.high, r.whole(t))];
    return { low: r.multiply(low, ratio.low), high: r.multiply(high, ratio.high) };
  };
  const spread = spreadOf(ratio.high) * Math.sqrt(Math.max(1, toNumber(size.high)));
  return {
    start, least: 0n, spread, limit: ratio.high,
    up: (t) => scaled(at(t), 1n, t + 1n),
    down: (t) => scaled(inverse(at(t - 1n)), t, 1n),
  };
}

function gaussianRatios({ n, d }, bits) {
  const unit = 1n << BigInt(bits);
  const q = r.exponential({ n: -d, d: 2n * n }, bits);
  const square = encloseProduct([q, q], bits);
  const powers = [q];  // q^(2t+1)
  const up = (t) => {
    while (BigInt(powers.length) <= t) powers.push(encloseProduct([powers.at(-1), square], bits));
    const [low, high] = powers[Number(t)];
    return { low: { n: low, d: unit }, high: { n: high < unit ? high : unit, d: unit } };
  };
  return { start: 0n, even: true, up, spread: Math.sqrt(toNumber({ n, d })) };
}

/** One side of a walk: bounds of the weights beyond the start, and of what remains after them. */
function walkSide(bits, start, end, step, ratio, { limit, side }) {
  const [lows, highs] = [[], []];
  let [low, high] = [1n << BigInt(bits), 1n << BigInt(bits)];
  for (let t = start; t !== end; t += step) {
    const bounds = ratio(t);
    r.spendDivision(3, Math.max(r.bitLength(high), r.bitLength(bounds.high.d)), r.bitLength(bounds.high.d));
    if (lows.length % 256 === 255) r.hold(3 * lows.length, bits + r.bitLength(high));
    low = low * bounds.low.n / bounds.low.d;
    high = r.ceilDivide(high * bounds.high.n, bounds.high.d);
    lows.push(low);
    highs.push(high);
    if (lows.length > side) r.overLimit("weights of a summand");
    if (lows.length > STEPS) r.notCovered("a walk of more than " + STEPS + " weights");
    const worst = limit && r.compare(limit, bounds.high) > 0 ? limit : bounds.high;
    if (low === 0n && worst.n < worst.d) {
      return { lows, highs, rest: r.ceilDivide(high * worst.n, worst.d - worst.n) };
    }
  }
  return { lows, highs, rest: 0n };
}

/** Refuse at once a walk that is bound to be too long. */
function expectWalk(spread, bits) {
  const steps = spread * Math.sqrt(bits);  // at least, to each side
  if (steps > STEPS) r.notCovered("a walk of more than " + STEPS + " weights");
  r.hold(4 * steps, bits);
  r.expect(4 * steps, bits);
}

/** The walk of a law, at most `side` steps to one side. */
export function walk(law, bits, side = Infinity) {
  if (law.family === "binomial-sum") return walkSum(law, bits);
  const { start, up, down, even, limit, spread, least = null, most = null } = RATIOS[law.family](law, bits);
  if (spread * Math.sqrt(bits) > LIMITS.work) r.overLimit("work of a walk");
  if (spread > side) r.overLimit("weights of a summand");
  expectWalk(spread, bits);
  const above = walkSide(bits, start, most, 1n, up, { limit, side });
  const below = even ? above : walkSide(bits, start, least, -1n, down, { side });
  const unit = 1n << BigInt(bits);
  return {
    start: start - BigInt(below.lows.length), least, most, blur: 0n, below: below.rest, above: above.rest,
    low: [...below.lows].reverse().concat([unit], above.lows),
    high: [...below.highs].reverse().concat([unit], above.highs),
  };
}

function walkSum(law, bits) {
  return sumOfWalks([[law.n1, law.p1], [law.n2, law.p2]].map(([n, probability]) => (
    () => walk({ family: "binomial", n, p: probability }, bits, LIMITS.summandSide))), bits);
}

/** The walk of a sum of independent summands, each a function that gives its walk, one after the other. */
export function sumOfWalks(summands, bits) {
  return summands.map((make) => make()).reduce((a, b) => {
    r.spend(4, bits, bits);
    return {
      start: a.start + b.start, least: a.least + b.least, below: 0n, above: 0n,
      most: a.most === null || b.most === null ? null : a.most + b.most,
      low: multiplySeries(a.low, b.low), high: multiplySeries(a.high, b.high),
      blur: outside(a) * (sumOf(b.high) + outside(b)) + sumOf(a.high) * outside(b),
    };
  });
}

// Reading a walk.

/** The bits of the largest weight, which stands within the walk. */
export function widest(w) {
  w.bits ??= w.high.reduce((most, weight) => Math.max(most, r.bitLength(weight)), 1);
  return w.bits;
}

export function lowest(w) { return sumOf(w.low); }
export function outside(w) { return w.below + w.above + w.blur; }
export function highest(w) { return sumOf(w.high) + outside(w); }

/** A bound of the weight at t from above. */
export function highAt(w, t) {
  if ((w.least !== null && t < w.least) || (w.most !== null && t > w.most)) return 0n;
  if (t < w.start) return w.below + w.blur;
  const i = Number(t - w.start);
  return i < w.high.length ? w.high[i] + w.blur : w.above + w.blur;
}

/** Bounds of the weights of disjoint intervals [from, to], null being infinite, without those outside the walk. */
export function massOf(w, intervals) {
  const end = w.start + BigInt(w.low.length);
  const place = (t) => Number((t < w.start ? w.start : t > end ? end : t) - w.start);
  let [low, high] = [0n, 0n];
  for (const [from, to] of intervals) {
    const [first, last] = [from === null ? 0 : place(from), to === null ? w.low.length : place(to + 1n)];
    low += sumOf(w.low.slice(first, Math.max(first, last)));
    high += sumOf(w.high.slice(first, Math.max(first, last)));
  }
  return [low, high];
}

/** Bounds of e^eps as rationals, [low, high]. */
export function levelBounds(level, bits) {
  if (level.exact) return [level.exact, level.exact];
  const d = 1n << BigInt(bits);
  return r.exponential(level.eps, bits).map((n) => ({ n, d }));
}

/** The least r that the law may have is at least 1, or it is another log-concave law. */
export function isLogConcave(law, bits) {
  if (isNeverWalked(law)) return false;
  return law.family !== "negative-binomial" || r.compare(span(law.r, bits).low, ONE) >= 0;
}
