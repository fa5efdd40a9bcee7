// Part of second_checker.mjs: noise laws on the integers, exactly and by enclosure, and the kinds `shift_dp`, `smooth`,
// `tail`, `equal_laws` and the half of `accuracy` that speaks of a count plus noise.

import * as r from "./reading.mjs";
import * as p from "./protocols.mjs";
import { readHistogram, readRandomizer } from "./randomizers.mjs";

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

function readParameter(value, type) {
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
function readLaw(value, schema) {
  if (!r.isObject(value)) r.malformed("a law is not an object");
  const family = value.get("family");
  const spelled = r.canonical(value);
  if (family === "finite") {
    return { family, spelled, table: p.readTable(r.fields(value, ["family", "weights"], "a law").weights) };
  }
  if (schema === 1 && family !== "binomial") r.malformed("a law that this schema does not know");
  if (family === "view") return { family, spelled, ...readViewLaw(value) };
  if (typeof family !== "string" || !Object.hasOwn(FAMILIES, family)) r.malformed("an unknown family");
  const types = FAMILIES[family];
  const written = r.fields(value, ["family", ...Object.keys(types)], "a law");
  const law = { family, spelled };
  for (const [name, type] of Object.entries(types)) law[name] = readParameter(written[name], type);
  if (schema === 1 && !law.p.real.rational) r.malformed("a real that this schema does not know");
  return law;
}

function readViewLaw(value) {
  const law = r.fields(value, ["family", "randomizer", "dataset", "weights"], "a law");
  const randomizer = readRandomizer(law.randomizer);
  const dataset = readHistogram(law.dataset, randomizer.rows.length, "dataset");
  return { randomizer, dataset, weights: r.list(law.weights, "weights", randomizer.messages).map(r.integer) };
}

function isTable(law) { return law.family === "finite" || law.family === "view"; }

/** The exact value of a rational parameter, else undefined. */
function rationalOf(parameter) { return parameter.real.rational; }

// ---- exact laws: {denominator, weights: Map from k} ----

/** Whether the law is always 0 for a parameter that is 0. */
function isAlwaysZero(law) {
  const parameter = { "negative-binomial": law.p, poisson: law.mu }[law.family];
  return parameter !== undefined && rationalOf(parameter)?.n === 0n;
}

function isExact(law) {
  if (isTable(law) || isAlwaysZero(law)) return true;
  if (law.family === "binomial") return Boolean(rationalOf(law.p));
  return law.family === "binomial-sum" && Boolean(rationalOf(law.p1) && rationalOf(law.p2));
}

function hasConstantRatios(law) {
  const parameter = { geometric: law.p, "discrete-laplace": law.exp_eps }[law.family];
  return parameter !== undefined && Boolean(rationalOf(parameter));
}

function guardExact(law) {
  if (law.family === "binomial" && law.n > BigInt(LIMITS.exactTrials)) r.overLimit("trials of an exact check");
  if (law.family !== "binomial-sum") return;
  if ((law.n1 + 1n) * (law.n2 + 1n) > BigInt(LIMITS.exactProducts)) r.overLimit("products of a sum of binomials");
  const bits = (n, parameter) => Number(n) * r.bitLength(rationalOf(parameter).d);
  const slot = bits(law.n1, law.p1) + bits(law.n2, law.p2);
  if (slot * Number(law.n1 + law.n2 + 1n) > LIMITS.packedBits) r.overLimit("products of two lists of masses");
  if (slot * Number((law.n1 + 1n) * (law.n2 + 1n)) > LIMITS.lawBits) r.overLimit("weights of a law, before sums");
}

function exactLaw(law) {
  if (law.family === "finite") return law.table;
  if (law.family === "view") return p.lawOfWeightedSum(law.randomizer, law.weights, law.dataset);
  if (isAlwaysZero(law)) return { denominator: 1n, weights: new Map([[0n, 1n]]) };
  guardExact(law);
  if (law.family === "binomial") return exactBinomial(law.n, rationalOf(law.p));
  const [first, second] = [exactBinomial(law.n1, rationalOf(law.p1)), exactBinomial(law.n2, rationalOf(law.p2))];
  const weights = p.convolve(first.weights, [...second.weights], r.bitLength(first.denominator * second.denominator));
  return { denominator: first.denominator * second.denominator, weights };
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
function span(parameter, bits) {
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
const RATIOS = {
  binomial: (law, bits) => binomialRatios(law.n, span(law.p, bits)),
  "negative-binomial": (law, bits) => negativeBinomialRatios(span(law.r, bits), span(law.p, bits)),
  geometric: (law, bits) => {
    const ratio = span(law.p, bits);
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
function walk(law, bits, side = Infinity) {
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
  const parts = [[law.n1, law.p1], [law.n2, law.p2]].map(([n, probability]) => (
    walk({ family: "binomial", n, p: probability }, bits, LIMITS.summandSide)));
  const [a, b] = parts;
  const [massA, massB] = parts.map(({ high }) => sumOf(high));
  const [restA, restB] = parts.map(({ below, above }) => below + above);
  r.spend(4, bits, bits);
  return {
    start: a.start + b.start, least: 0n, most: law.n1 + law.n2, below: 0n, above: 0n,
    low: multiplySeries(a.low, b.low), high: multiplySeries(a.high, b.high),
    blur: restA * (massB + restB) + massA * restB,
  };
}

function sumOf(values) { return values.reduce((a, b) => a + b, 0n); }

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

// Reading a walk.

/** The bits of the largest weight, which stands within the walk. */
function widest(w) {
  w.bits ??= w.high.reduce((most, weight) => Math.max(most, r.bitLength(weight)), 1);
  return w.bits;
}

function lowest(w) { return sumOf(w.low); }
function outside(w) { return w.below + w.above + w.blur; }
function highest(w) { return sumOf(w.high) + outside(w); }

/** A bound of the weight at t from above. */
function highAt(w, t) {
  if ((w.least !== null && t < w.least) || (w.most !== null && t > w.most)) return 0n;
  if (t < w.start) return w.below + w.blur;
  const i = Number(t - w.start);
  return i < w.high.length ? w.high[i] + w.blur : w.above + w.blur;
}

/** Bounds of the weights of disjoint intervals [from, to], null being infinite, without those outside the walk. */
function massOf(w, intervals) {
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
function levelBounds(level, bits) {
  if (level.exact) return [level.exact, level.exact];
  const d = 1n << BigInt(bits);
  return r.exponential(level.eps, bits).map((n) => ({ n, d }));
}

/** The least r that the law may have is at least 1, or it is another log-concave law. */
function isLogConcave(law, bits) {
  if (isTable(law)) return false;
  return law.family !== "negative-binomial" || r.compare(span(law.r, bits).low, ONE) >= 0;
}

// ---- how a witness asks for a check ----

/** Read a witness that has these keys, and for a check by enclosure "bits" as well: {witness, bits, terms}. */
function readMode(law, value, keys, level, { schema, exact }) {
  if (r.isObject(value) && value.has("bits")) {
    if (isTable(law) || schema === 1) r.malformed("bits for what is checked exactly");
    const witness = r.fields(value, [...keys, "bits"], "witness");
    return { witness, bits: readBits(witness.bits), terms: null };
  }
  if (!exact) r.malformed("this law is not checked exactly");
  guardExact(law);
  const read = level ? p.readMaybeTerms(level, value, keys) : { witness: r.fields(value, keys, "witness") };
  return { ...read, bits: null };
}

function readBits(value) { return r.between(value, 16, LIMITS.bits, "bits"); }

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

function readShiftAndOrder(claim, witness) {
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
function positiveParts(w, j, order, E, above) {
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
  const { weights, denominator } = exactLaw(law);
  r.spend(4 * weights.size, r.bitLength(denominator));
  let n = 0n;
  for (const [k, weight] of weights) {
    if (intervals.some(([from, to]) => (from === null || from <= k) && (to === null || k <= to))) n += weight;
  }
  return [{ n, d: denominator }, { n, d: denominator }];
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
  if (byBits ? laws.every(isTable) : !laws.every(isExact)) r.malformed("laws that are not compared like this");
  if (!byBits) laws.forEach(guardExact);
  return () => {
    const at = (law) => probability(law, [[outcome, outcome]], isTable(law) ? null : bits);
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
