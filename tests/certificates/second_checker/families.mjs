// Part of second_checker.mjs: families of randomizers, which a claim names by their parameters, and *classes*: outcomes
// of one user that have the same probabilities under the two inputs that he may hold, P and Q, and under a third law,
// the blanket (their least probability over all inputs) or the row of another user.
//
// A list of classes is {denominator, classes: [{P, Q, R, count}]}: integers over the denominator, `count` outcomes alike.

import * as r from "./reading.mjs";
import { commonDenominator, spendScaling } from "./randomizers.mjs";

const { LIMITS, ONE, ZERO } = r;
const LONGEST_POWER = 4096;  // bits of the probability of what all inputs share, beyond which it is left out

// ---- reading ----

const PARAMETERS = {
  "k-ary": { inputs: "inputs", exp_eps0: "ratio" },
  "unary-encoding": { inputs: "inputs", one: "probability", other: "probability" },
  "subset-selection": { inputs: "inputs", size: "size", exp_eps0: "ratio" },
  hadamard: { inputs: "inputs", exp_eps0: "ratio" },
  "local-hashing": { inputs: "inputs", buckets: "buckets", exp_eps0: "ratio" },
  "clipped-discrete-laplace": { top: "top", ratio: "probability" },
};

const READ = {
  inputs: (text) => r.between(text, 2, LIMITS.familyInputs, "inputs"),
  size: (text) => r.between(text, 1, LIMITS.familyInputs, "size"),
  buckets: (text) => {
    const buckets = r.integer(text);
    if (buckets < 2n) r.malformed("fewer than two buckets");
    if (buckets > LIMITS.buckets) r.overLimit("buckets");
    return buckets;
  },
  top: (text) => r.between(text, 1, LIMITS.inputs - 1, "top"),
  ratio: (text) => {
    const ratio = shortRational(text);
    if (r.compare(ratio, ONE) <= 0) r.malformed("exp_eps0 is not above 1");
    return ratio;
  },
  probability: (text) => {
    const value = shortRational(text);
    if (r.compare(value, ZERO) <= 0 || r.compare(value, ONE) >= 0) r.malformed("a parameter is not between 0 and 1");
    return value;
  },
};

export const { ratio: readRatio, probability: readProbability } = READ;

function shortRational(text) {
  const value = r.rational(text);
  if (Math.max(r.bitLength(value.n), r.bitLength(value.d)) > LIMITS.polynomialBits) r.overLimit("bits of a parameter");
  return value;
}

/** {family, ...parameters}, with a table as readRandomizer gives it if it has one. */
export function readFamily(value, schema) {
  if (schema < 3) r.malformed("a family that this schema does not know");
  const name = r.choice(value.get("family"), Object.keys(PARAMETERS), "family");
  const types = PARAMETERS[name];
  const written = r.fields(value, ["family", ...Object.keys(types)], "a family");
  const family = { family: name };
  for (const [key, type] of Object.entries(types)) family[key] = READ[type](written[key]);
  demandSensible(family);
  return name === "clipped-discrete-laplace" ? { ...family, ...laplaceTable(family) } : family;
}

function demandSensible({ family, inputs, one, other, size }) {
  if (family === "unary-encoding" && r.compare(other, one) >= 0) r.malformed("other is not below one");
  if (family === "subset-selection" && size >= inputs) r.malformed("size is not below inputs");
}

/** Whether a randomizer has rows that can be listed. */
export function hasTable(randomizer) { return randomizer.rows !== undefined; }

/** The users of a claim: more of them where the randomizer is a family. */
export function readUsersOf(randomizer, text) {
  return r.between(text, 1, randomizer.family ? LIMITS.familyUsers : LIMITS.users, "n");
}

// ---- the clipped discrete Laplace randomizer as a table ----

/** Over (a + b) b^(top-1), for the ratio a/b. */
function laplaceTable({ top, ratio: { n: a, d: b } }) {
  const bits = r.bitLength(a + b) + r.bitLength(b) * (top - 1);
  if (bits > LIMITS.numberBits) r.overLimit("common denominator");
  r.hold((top + 1) ** 2 + 3 * top, bits);
  r.spend(3 * (top + 1) ** 2, bits, r.bitLength(b));
  const places = Array.from({ length: top + 1 }, (_, y) => y);
  const powers = [b ** BigInt(top)];  // a^k b^(top-k)
  r.spendDivision(2 * top, bits, r.bitLength(b));
  while (powers.length <= top) powers.push(powers.at(-1) / b * a);
  const inside = powers.map((power) => power / b * (b - a));  // exact but for k = top, which is not inside
  const counts = places.map((y) => places.map((m) => (m === y ? 1 : 0)));
  const weight = (x, y) => (y === 0 || y === top ? powers[Math.abs(x - y)] : inside[Math.abs(x - y)]);
  const rows = places.map((x) => places.map((y) => ({ counts: counts[y], weight: weight(x, y) })));
  return { messages: top + 1, denominator: powers[0] / b * (a + b), rows };
}

// ---- classes of a family ----

function quotient(n, d) { return { n: BigInt(n), d: BigInt(d) }; }

/** The product of rationals and whole numbers. */
function product(...factors) {
  return r.reduce(factors.map((x) => (x.n === undefined ? r.whole(x) : x)).reduce(r.multiply));
}

function bitStrings(length) {
  return Array.from({ length: 2 ** length }, (_, i) => Array.from({ length }, (__, j) => i >> j & 1));
}

/**
 * The families in which an outcome supports some of the inputs and has the probability mass * high for those, mass *
 * low for the others: {high, low, mass(bits), everyone}. Here `mass` is the mass of all outcomes that support just
 * those of the first inputs whose bit is 1, and `everyone` that of what supports every input, null if nothing does or
 * the number would be too long.
 */
const SUPPORTS = {
  "k-ary": ({ inputs: k, exp_eps0: E }) => {
    const low = { n: E.d, d: E.n + E.d * BigInt(k - 1) };
    const mass = (bits) => {
      const held = bits.reduce((sum, bit) => sum + bit, 0);
      return r.whole(held === 0 ? k - bits.length : held === 1 ? 1 : 0);
    };
    return { high: product(E, low), low, mass, everyone: null };
  },
  "unary-encoding": ({ inputs, one: p, other: q }) => {
    const complement = (x) => r.subtract(ONE, x);
    const mass = (bits) => product(...bits.map((bit) => (bit ? q : complement(q))));
    const inverse = ({ n, d }) => ({ n: d, d: n });
    const [high, low] = [product(p, inverse(q)), product(complement(p), inverse(complement(q)))];
    const short = inputs === 2 || inputs * r.bitLength(q.d) <= LONGEST_POWER;
    return { high, low, mass, everyone: short ? r.raise(q, inputs) : null };
  },
  "subset-selection": ({ inputs: d, size: w, exp_eps0: E }) => {
    const norm = product(r.add(product(w, E), r.whole(d - w)), quotient(1, d));
    const low = { n: norm.d, d: norm.n };
    const mass = (bits) => {
      const held = bits.reduce((sum, bit) => sum + bit, 0);
      const chosen = bits.map((_, i) => (i < held ? w - i : d - w - (i - held)));
      return product(...chosen.map((left, i) => quotient(Math.max(0, left), d - i)));
    };
    return { high: product(E, low), low, mass, everyone: null };
  },
  hadamard: ({ inputs, exp_eps0: E }) => {
    const columns = 2 ** (32 - Math.clz32(inputs));
    const low = product(2, quotient(1, columns), { n: E.d, d: E.n + E.d });
    return { high: product(E, low), low, mass: (bits) => quotient(columns, 2 ** bits.length), everyone: ONE };
  },
  "local-hashing": ({ inputs, buckets: g, exp_eps0: E }) => {
    const low = { n: E.d, d: E.n + E.d * (g - 1n) };
    const mass = (bits) => product(r.whole(g), ...bits.map((bit) => quotient(bit ? 1 : g - 1n, g)));
    const short = inputs === 2 || (inputs - 1) * r.bitLength(g) <= LONGEST_POWER;
    return { high: product(E, low), low, mass, everyone: short ? r.raise(quotient(1, g), inputs - 1) : null };
  },
};

/** What a probability becomes where someone who is away sends a uniform one of messages of this mass. */
function withDummies({ presence }, mass) {
  if (!presence) return (x) => x;
  const dummy = product(r.subtract(ONE, presence), { n: mass.d, d: mass.n });
  return (x) => r.reduce(r.add(product(presence, x), dummy));
}

/** Classes [P, Q, R] of k-ary randomized response as rationals; R is the blanket or the row of another user. */
function kAryClasses(family, law) {
  const { inputs: k, exp_eps0: E } = family;
  const alone = { n: E.d, d: E.n + E.d * BigInt(k - 1) };
  const [p, q] = [product(E, alone), alone].map(withDummies(family, r.whole(k)));
  const own = { blanket: [q, q], first: [p, q], second: [q, p], third: [q, q] }[law];
  const classes = [[p, q, own[0]], [q, p, own[1]]];
  const others = law === "third" ? k - 3 : k - 2;
  if (law === "third") classes.push([q, q, p]);
  const rest = product(others, q);
  return [...classes, [rest, rest, rest]];
}

/** The same for the other families; `law` is also "xor". */
function supportClasses(family, law) {
  const { mass, everyone, ...alone } = SUPPORTS[family.family](family);
  const [high, low] = [alone.high, alone.low].map(withDummies(family, r.add(mass([0]), mass([1]))));
  const density = (bit) => (bit ? high : low);
  const class_ = (weight, bits) => bits.map((bit) => product(weight, density(bit)));
  if (law === "third") return bitStrings(3).map((bits) => class_(mass(bits), bits));
  if (law === "blanket" && everyone) {
    const left = ([a, b]) => (a && b ? r.subtract(mass([a, b]), everyone) : mass([a, b]));
    return [class_(everyone, [1, 1, 1]), ...bitStrings(2).map((bits) => class_(left(bits), [...bits, 0]))];
  }
  const third = { blanket: () => 0, first: (a) => a, second: (_, b) => b, xor: (a, b) => (a === b ? 1 : 0) }[law];
  return bitStrings(2).map((bits) => class_(mass(bits), [...bits, third(...bits)]));
}

/** Whether a family has such another user: "first" and "second" hold an input of the user who differs. */
function hasOthers({ family, inputs }, law) {
  if (law === "third") return inputs >= (family === "hadamard" ? 4 : 3);
  return law !== "xor" || (family === "hadamard" && inputs >= 3);
}

const OTHERS = ["first", "second", "third", "xor"];

export function othersOf(family) { return OTHERS.filter((law) => hasOthers(family, law)); }

export function readOthers(family, text) {
  const law = r.choice(text, OTHERS, "others");
  if (!hasOthers(family, law)) r.malformed("others that this family has not");
  return law;
}

/** The classes of every ordered pair of inputs: that they are alike is why one list will do. */
export function classesOfFamily(family, law) {
  return listOf(family.family === "k-ary" ? kAryClasses(family, law) : supportClasses(family, law));
}

/** The classes of a list of rationals [P, Q, R], or [P, Q, R, D] with the mass of a dummy. */
export function listOf(rationals) {
  const all = rationals.flat();
  const denominator = commonDenominator(all);
  spendScaling(all, denominator);
  const scaled = rationals.map((class_) => class_.map(({ n, d }) => n * (denominator / d)));
  return { denominator, classes: scaled.map(([P, Q, R, D = 0n]) => ({ P, Q, R, D, count: 1n })) };
}

// ---- kinds of two inputs beside a dummy: "uniform", or sent as by an "input" ----
//
// Inputs have the numbers 1, 2, 4, ...; the dummy's is 1. In Hadamard response the row of a sum is the product of rows.

function hasSums({ family, inputs }) { return family === "hadamard" && inputs >= 3; }

/** How many inputs, one for each binary digit, there can be. */
function rankOf(family) { return hasSums(family) ? family.inputs.toString(2).length : family.inputs; }

function digitsOf(number) { return number.toString(2).length; }

/** {isSame, blanket, vertices}: lists of classes, as functions. */
export function kindsBeside(family, dummy, isLess) {
  const sums = hasSums(family);
  const pairs = dummy === "uniform" ? [[1, 2], [1, 1]]
    : [[1, 2], [2, 1], [2, 4], ...(sums ? [[2, 3]] : []), [1, 1], [2, 2]];
  return pairs.filter((pair) => digitsOf(Math.max(...pair)) <= rankOf(family)).map(([x, y]) => {
    const digits = digitsOf(Math.max(x, y));
    const single = Array.from({ length: Math.min(digits + 1, rankOf(family)) }, (_, i) => 2 ** i);
    const all = Array.from({ length: 2 ** digits }, (_, v) => v);
    const held = [...single, ...(sums ? all.filter((v) => v > 0 && !single.includes(v)) : [])];
    const list = (v) => () => listOf(classesBeside(family, dummy, x, y, v, isLess));
    return { isSame: x === y, blanket: list(0), vertices: held.map(list) };
  });
}

/** Classes [P, Q, R, D]; R is the blanket for the number 0. */
function classesBeside(family, dummy, x, y, held, isLess) {
  const { high, low, mass, everyone } = SUPPORTS[family.family](family);
  const digits = digitsOf(Math.max(x, y, held));
  const isFair = dummy === "uniform" && family.family === "unary-encoding" && family.other.d !== 2n;
  const counts = isFair ? numbersOfOnes(family, family.inputs - digits, isLess) : [[ONE, ONE]];
  const whole = r.add(mass([0]), mass([1]));
  const inverse = { n: whole.d, d: whole.n };
  const found = [];
  for (const bits of bitStrings(digits)) {
    const likelihood = (number) => {
      const missing = bits.filter((bit, i) => bit === 0 && number >> i & 1).length;
      return missing % 2 ? low : high;
    };
    const add = (weight, least) => {
      if (weight.n === 0n) return;
      const D = isFair ? quotient(1, 2 ** digits) : product(weight, dummy === "input" ? likelihood(1) : inverse);
      const row = [likelihood(x), likelihood(y), held === 0 ? least : likelihood(held)].map((of) => product(weight, of));
      for (const [own, fair] of counts) found.push([...row.map((of) => product(of, own)), product(D, fair)]);
    };
    const shared = held === 0 && everyone && (!isFair || areCounted(family)) && bits.every((bit) => bit === 1);
    add(shared && counts.length === 1 ? r.reduce(r.subtract(mass(bits), everyone)) : mass(bits), low);
    if (shared && counts.length === 1) add(everyone, high);
    if (shared && counts.length > 1) found.at(-1)[2] = product(everyone, high);  // of ones alone
  }
  return found;
}

/** Whether all numbers of ones are told. */
function areCounted({ inputs, other: { d } }) {
  return inputs <= LIMITS.counts && inputs * r.bitLength(d) <= LONGEST_POWER;
}

/** Whether every kind beside a dummy is one of inputs. */
export function areAttained(family, dummy) {
  return dummy !== "input" || !hasSums(family) || family.inputs === 2 ** rankOf(family) - 1;
}

/** Whether not all numbers of ones are told beside a dummy. */
export function areFewer(family, dummy) {
  return dummy === "uniform" && family.family === "unary-encoding" && family.other.d !== 2n && !areCounted(family);
}

const LEAST_BITS = 128;  // of the least probability of a number of ones
const CELL_BITS = 96;
const RARE_BITS = 40;

/** [own, fair]: of each number of ones the chances in own bits and in fair ones, or of what tells more; or at most these. */
function numbersOfOnes(family, length, isLess) {
  if (length === 0) return [[ONE, ONE]];
  const q = family.other;
  if (areCounted(family)) {
    const numbers = Array.from({ length: length + 1 }, (_, k) => BigInt(k));
    r.spend(8 * length, LONGEST_POWER, LONGEST_POWER);
    let ways = 1n;
    return numbers.map((k) => {
      const N = BigInt(length);
      const own = { n: ways * q.n ** k * (q.d - q.n) ** (N - k), d: q.d ** N };
      const fair = { n: ways, d: 1n << N };
      ways = ways * (N - k) / (k + 1n);
      return [own, fair].map(r.reduce);
    });
  }
  const cells = [];
  const merged = [[0n, 0n], [0n, 0n]];  // of the others, those with more in own bits first
  if (isLess || length <= LIMITS.fairBits) {
    const own = q.n * 2n < q.d ? q : r.subtract(ONE, q);
    const [chances, fair] = [own, quotient(1, 2)].map((of) => chancesOfOnes(of, length));
    const rare = 1n << BigInt(CELL_BITS - RARE_BITS);
    chances.forEach((chance, k) => {
      const cell = [chance, fair[k]];
      if (cell.every((x) => x >= rare)) cells.push(cell);
      else merged[chance >= fair[k] ? 0 : 1].forEach((_, side, sums) => { sums[side] += cell[side]; });
    });
  }
  const one = 1n << BigInt(CELL_BITS);
  const rest = [0, 1].map((side) => cells.reduce((sum, cell) => sum - cell[side], one));
  const all = [...cells, ...(isLess ? merged : [[rest[0], 0n], [0n, rest[1]]])];
  return all.map((cell) => cell.map((n) => r.reduce({ n, d: one })));
}

/** Of each number of ones at most the chance, in units of 2^-CELL_BITS. */
function chancesOfOnes({ n, d }, length) {
  if (length > LIMITS.fairBits) r.malformed("a test by the numbers of ones of too many bits");
  const hit = n * 2n < d ? n : d - n;
  const miss = d - hit;
  const wide = BigInt(length + LEAST_BITS);
  r.spendDivision(4 * length, length + LEAST_BITS, r.bitLength(d));
  let chance = 1n << wide;
  for (let i = 0; i < length; i += 1) chance = chance * miss / d;
  const found = [];
  for (let k = 0n; k <= BigInt(length); k += 1n) {
    found.push(chance >> wide - BigInt(CELL_BITS));
    chance = chance * (BigInt(length) - k) * hit / ((k + 1n) * miss);
  }
  return hit === n ? found : found.reverse();
}

// ---- the closed bracket of k-ary response ----

/** C(c, a) for a = 0, ..., c. */
function binomialsOf(c) {
  const row = [1n];
  for (let a = 0; a < c; a += 1) row.push(row[a] * BigInt(c - a) / BigInt(a + 1));
  return row;
}

/** The divergence where all others hold a third symbol, at e = ratio; no other data set is worse where the bracket is closed. */
export function closedDivergence(randomizer, n, ratio) {
  const family = plainFamily(randomizer);
  if (family?.family !== "k-ary" || family.inputs < 3) r.malformed("a closed bracket of another family");
  const { high, low } = kArySupports(family);
  const E = r.reduce(product(high, { n: low.d, d: low.n }));
  if (r.compare(E, ratio) <= 0) return ZERO;
  const all = r.add(E, r.whole(family.inputs - 1));
  const q = { n: all.d, d: all.n };
  const other = r.subtract(ONE, product(2, q));
  const bits = r.bitLength(all.n) + r.bitLength(all.d);
  r.spendDivision(20 * n, n * bits + r.bitLength(ratio.n) + r.bitLength(E.n), n + r.bitLength(ratio.n));
  r.spend(n * n, n);
  const [up, down] = [r.subtract(E, ratio), r.subtract(product(ratio, E), ONE)].map(r.reduce);
  const step = r.reduce(r.subtract(ratio, ONE));
  const mean = product(step, family.inputs - 2, q, { n: other.d, d: other.n });  // of what another symbol takes off
  const unit = up.d * down.d * step.d * mean.d;
  const [U, D, S, M] = [up, down, step, mean].map(({ n: x, d }) => x * (unit / d));
  const [Q, O] = [q, other].map(({ n: x, d }) => x * (all.n * other.d * q.d / d));
  let [power, sum] = [O ** BigInt(n), 0n];  // C(n, c) q^c (1 - 2q)^(n - c)
  for (let c = 1; c <= n; c += 1) {
    const [wide, left] = [BigInt(c), BigInt(n - c)];
    power = power * (left + 1n) * Q / (wide * O);
    const first = wide * D / (U + D) + 1n;
    if (first > wide) continue;
    const t = (a) => a * U - (wide - a) * D;
    r.demand(t(first) >= S * left, "the bracket is not closed");
    const ways = binomialsOf(c);
    let gain = 0n;
    for (let a = first; a <= wide; a += 1n) gain += ways[Number(a)] * (t(a) - M * left);
    sum += power * gain;
  }
  return { n: sum, d: BigInt(n) * (all.n * other.d * q.d) ** BigInt(n) * unit };
}

/** {high, low} of k-ary response, maybe with uniform dummies. */
function kArySupports(family) {
  const { mass, high, low } = SUPPORTS["k-ary"](family);
  const [a, b] = [high, low].map(withDummies(family, r.add(mass([0]), mass([1]))));
  return { high: a, low: b };
}

// ---- families of one name as tables: which named inputs a message supports ----

const NAMED = 3;

/** A family, or one with uniform dummies that is again such a family. */
export function plainFamily(randomizer) {
  const family = randomizer.absence === "hidden" && !hasTable(randomizer) ? randomizer.of : randomizer;
  return family !== undefined && !hasTable(family) && SUPPORTS[family.family] ? family : null;
}

/** {messages, denominator, rows} with the masses, or less, in units of 2^-bits; of bits also between which cuts the others are. */
export function namedTable(family, cuts, bits) {
  const { mass, ...alone } = SUPPORTS[family.family](family);
  const [high, low] = [alone.high, alone.low].map(withDummies(family, r.add(mass([0]), mass([1]))));
  const length = Math.min(NAMED, rankOf(family));
  let cells = [1n << BigInt(CELL_BITS)];
  if (cuts.length > 0) {
    if (family.family !== "unary-encoding") r.malformed("cuts without bits");
    const ones = chancesOfOnes(family.other, family.inputs - length);
    const ends = [0, ...cuts, ones.length];
    cells = ends.slice(1).map((end, i) => ones.slice(ends[i], end).reduce((a, b) => a + b, 0n));
  }
  const patterns = Array.from({ length: 2 ** length }, (_, i) => Array.from({ length }, (__, j) => 1 - (i >> length - 1 - j & 1)));
  const messages = patterns.length * cells.length;
  r.spend(messages ** 2);
  const held = Array.from({ length: 2 ** length - 1 }, (_, i) => i + 1).filter((v) => (v & v - 1) === 0 || hasSums(family));
  const rows = held.map((row) => patterns.flatMap((pattern, p) => {
    const missing = pattern.filter((bit, i) => bit === 0 && row >> i & 1).length;
    const { n, d } = product(mass(pattern), missing % 2 ? low : high);
    r.spendDivision(2 * cells.length, r.bitLength(n) + bits + CELL_BITS, r.bitLength(d));
    return cells.map((cell, c) => ({
      counts: Array.from({ length: messages }, (_, m) => (m === p * cells.length + c ? 1 : 0)),
      weight: hasSums(family) && row > family.inputs ? 0n : (n * cell << BigInt(bits)) / (d << BigInt(CELL_BITS)),
    }));
  }));
  return { messages, denominator: 1n << BigInt(bits), rows };
}

// ---- classes of a table ----

/** Outcomes as numbers from 0, and each row as a Map from these to weights. */
export function numberedRows(rows, messages) {
  const numbers = new Map();
  const number = (counts) => {
    const key = counts.join();
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key);
  };
  r.spend(rows.reduce((sum, row) => sum + row.length, 0) * (messages + 8));
  return rows.map((row) => new Map(row.map(({ counts, weight }) => [number(counts), weight])));
}

/** Numbers of the weights, so that equal ones have one, 0 that of 0. */
function interned() {
  const numbers = new Map([[0n, 0]]);
  const weights = [0n];
  const intern = (weight) => {
    if (!numbers.has(weight)) numbers.set(weight, weights.push(weight) - 1);
    return numbers.get(weight);
  };
  return { weights, intern };
}

/** The least weight of an outcome over all rows, 0 where a row does not have it. */
function leastWeights(rows) {
  let least = new Map(rows[0]);
  for (const row of rows.slice(1)) {
    const kept = [...least].filter(([outcome]) => row.has(outcome));
    least = new Map(kept.map(([outcome, weight]) => [outcome, weight < row.get(outcome) ? weight : row.get(outcome)]));
  }
  return least;
}

/**
 * The lists of classes of all ordered pairs of inputs, with the blanket for R, in the order of the pairs; of lists that
 * are alike the first one. Outcomes that the first input never has are left out.
 */
export function* classesOfPairs(randomizer) {
  if (!hasTable(randomizer)) { yield classesOfFamily(randomizer, "blanket"); return; }
  const rows = numberedRows(randomizer.rows, randomizer.messages);
  const entries = rows.reduce((sum, row) => sum + row.size, 0);
  r.spend(entries, r.bitLength(randomizer.denominator));
  r.expect(6 * rows.length * entries);
  const { weights, intern } = interned();
  const least = new Map([...leastWeights(rows)].map(([outcome, weight]) => [outcome, intern(weight)]));
  const named = rows.map((row) => new Map([...row].map(([outcome, weight]) => [outcome, intern(weight)])));
  const seen = new Set();
  const class_ = ([key, count]) => {
    const [P, Q, R] = key.split(",").map((i) => weights[Number(i)]);
    return { P, Q, R, count: BigInt(count) };
  };
  for (const first of named) {
    for (const second of named) {
      if (first === second) continue;
      const counts = countedClasses(first, second, least);
      const spelled = [...counts].map(([key, count]) => key + ":" + count).sort().join(" ");
      if (seen.has(spelled)) continue;
      seen.add(spelled);
      yield { denominator: randomizer.denominator, classes: [...counts].map(class_) };
    }
  }
}

/** How many outcomes have the same numbers of weights in two rows and the blanket. */
function countedClasses(first, second, least) {
  r.spend(6 * first.size);
  const counts = new Map();
  for (const [outcome, P] of first) {
    const key = [P, second.get(outcome) ?? 0, least.get(outcome) ?? 0].join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
