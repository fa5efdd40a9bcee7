// Part of second_checker.mjs: reading and numbers. The limits, a strict parser for the subset of JSON that the page
// allows, the spelling of integers and rationals, rational arithmetic, and directed bounds of e^x and ln x.

export const LIMITS = {
  fileBytes: 4 * 2 ** 20, depth: 32, numberBits: 2 ** 18, lawDenominatorBits: 2 ** 22, users: 10 ** 6,
  exactTrials: 20000, trials: 10n ** 18n, exactProducts: 4 * 10 ** 6, bits: 16384, boxBits: 1024, exponent: 4096n,
  lawBits: 2 ** 33, realBits: 2 ** 18, packedBits: 2 ** 27, summandSide: 2 * 10 ** 5, messageWeightBits: 256,
  inputs: 256, messages: 256, outcomeEntries: 4 * 10 ** 6, tuple: 4096, list: 10 ** 6, eps: 64n, terms: 1000,
  termBits: 2 ** 16, shift: 1000, claims: 1000, times: 10 ** 6, variables: 16, degree: 64, polynomialBits: 4096,
  boxVariables: 6, taylor: 64, bernstein: 20000, convolution: 4 * 10 ** 6, work: 2e8,
};

// ---- outcomes of a check ----

export const STATUS = { VERIFIED: 0, REJECTED: 1, MALFORMED: 2, "NOT COVERED": 3 };

export class Stop extends Error {
  constructor(word, reason) {
    super(reason);
    this.word = word;
  }
}

export function malformed(reason) { throw new Stop("MALFORMED", reason); }
export function rejected(reason) { throw new Stop("REJECTED", reason); }
export function notCovered(reason) { throw new Stop("NOT COVERED", reason); }
export function overLimit(what) { malformed("beyond a limit: " + what); }
export function demand(holds, reason) { if (!holds) rejected(reason); }

// The page leaves the price of a step to the first checker. So what only this checker finds too long is not covered;
// what is too long by the page's own bounds is refused where these are checked.
let spent = 0;
export function resetWork() { spent = 0; }
export function pay(units) {
  spent += units;
  if (spent > LIMITS.work) notCovered("more work than this checker does");
}

// ---- JSON: objects become Maps, arrays Arrays, strings strings, and there is nothing else ----

export function parse(bytes) {
  if (bytes.length > LIMITS.fileBytes) overLimit("file size");
  for (const byte of bytes) {
    if (byte >= 0x80) malformed("not ASCII");
    if (byte === 0x5c) malformed("a backslash");
  }
  const scanner = { text: bytes.toString("latin1"), at: 0 };
  const value = parseValue(scanner, 1);
  skipBlanks(scanner);
  if (scanner.at < scanner.text.length) malformed("text after the document");
  return value;
}

function skipBlanks(scanner) {
  while (" \t\n\r".includes(scanner.text[scanner.at] ?? "end")) scanner.at += 1;
}

function take(scanner, character) {
  skipBlanks(scanner);
  if (scanner.text[scanner.at] !== character) return false;
  scanner.at += 1;
  return true;
}

function parseValue(scanner, depth) {
  skipBlanks(scanner);
  const first = scanner.text[scanner.at];
  if (first === '"') return parseString(scanner);
  if (first !== "{" && first !== "[") malformed("neither an object nor an array nor a string");
  if (depth > LIMITS.depth) overLimit("nesting");
  scanner.at += 1;
  return first === "{" ? parseObject(scanner, depth) : parseArray(scanner, depth);
}

function parseString(scanner) {
  const end = scanner.text.indexOf('"', scanner.at + 1);
  if (end < 0) malformed("an unfinished string");
  const value = scanner.text.slice(scanner.at + 1, end);
  if (/[\x00-\x1f]/.test(value)) malformed("a control character in a string");
  scanner.at = end + 1;
  return value;
}

function parseObject(scanner, depth) {
  const value = new Map();
  if (take(scanner, "}")) return value;
  do {
    skipBlanks(scanner);
    if (scanner.text[scanner.at] !== '"') malformed("a key is missing");
    const key = parseString(scanner);
    if (value.has(key)) malformed("a key stands twice");
    if (!take(scanner, ":")) malformed("a colon is missing");
    value.set(key, parseValue(scanner, depth + 1));
  } while (take(scanner, ","));
  if (!take(scanner, "}")) malformed("an unfinished object");
  return value;
}

function parseArray(scanner, depth) {
  const value = [];
  if (take(scanner, "]")) return value;
  do value.push(parseValue(scanner, depth + 1)); while (take(scanner, ","));
  if (!take(scanner, "]")) malformed("an unfinished array");
  if (value.length > LIMITS.list) overLimit("length of a list");
  return value;
}

export function canonical(value) {
  if (typeof value === "string") return '"' + value + '"';
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
  const keys = [...value.keys()].sort();
  return "{" + keys.map((key) => '"' + key + '":' + canonical(value.get(key))).join(",") + "}";
}

// ---- shapes ----

export function isObject(value) { return value instanceof Map; }

export function fields(value, keys, what) {
  if (!isObject(value)) malformed(what + " is not an object");
  for (const key of keys) if (!value.has(key)) malformed(what + " lacks " + key);
  if (value.size !== keys.length) malformed(what + " has a key too many");
  return Object.fromEntries(value);
}

export function list(value, what, length = null) {
  if (!Array.isArray(value)) malformed(what + " is not an array");
  if (length !== null && value.length !== length) malformed(what + " has another length than " + length);
  return value;
}

export function choice(value, words, what) {
  if (typeof value !== "string" || !words.includes(value)) malformed(what + " is none of " + words.join(", "));
  return value;
}

// ---- numbers ----

export function bitLength(integer) {
  const digits = (integer < 0n ? -integer : integer).toString(16);
  return digits === "0" ? 0 : 4 * (digits.length - 1) + 32 - Math.clz32(parseInt(digits[0], 16));
}

export function limbs(bits) { return Math.max(1, Math.ceil(bits / 64)); }

export function integer(text) {
  if (typeof text !== "string") malformed("a number is not a string");
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  const hexadecimal = /^0x[1-9a-f][0-9a-f]*$/.test(digits);
  if (!hexadecimal && (!/^(0|[1-9][0-9]*)$/.test(digits) || text === "-0")) malformed("not an integer");
  if (digits.length > (hexadecimal ? LIMITS.numberBits / 4 + 2 : 78)) overLimit("length of a number");
  const size = BigInt(digits);
  const bits = bitLength(size);
  if (bits > 256 !== hexadecimal) malformed("an integer in the wrong base");
  if (bits > LIMITS.numberBits) overLimit("length of a number");
  return negative ? -size : size;
}

export function between(text, low, high, what) {
  const value = integer(text);
  if (value < BigInt(low)) malformed(what + " is too small");
  if (value > BigInt(high)) overLimit(what);
  return Number(value);
}

export function gcd(a, b) {
  if (a < 0n) a = -a;
  if (b < 0n) b = -b;
  while (b) [a, b] = [b, a % b];
  return a;
}

export function lcm(a, b) { return a / gcd(a, b) * b; }

export function rational(text) {
  if (typeof text !== "string") malformed("a number is not a string");
  const parts = text.split("/");
  if (parts.length > 2) malformed("not a rational");
  const n = integer(parts[0]);
  if (parts.length === 1) return { n, d: 1n };
  const d = integer(parts[1]);
  if (d <= 1n || gcd(n, d) !== 1n) malformed("a rational that is not in lowest terms");
  return { n, d };
}

export function rationalBetween(text, low, high, what) {
  const value = rational(text);
  if (compare(value, low) < 0 || compare(value, high) > 0) malformed(what + " is out of its range");
  return value;
}

// Rationals are {n, d} with d > 0, not always reduced.
export const ZERO = { n: 0n, d: 1n };
export const ONE = { n: 1n, d: 1n };
export function whole(n) { return { n: BigInt(n), d: 1n }; }
export function add(a, b) {
  return a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}
export function negate(a) { return { n: -a.n, d: a.d }; }
export function subtract(a, b) { return add(a, negate(b)); }
export function multiply(a, b) { return { n: a.n * b.n, d: a.d * b.d }; }
export function compare(a, b) {
  const left = a.n * b.d;
  const right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}
export function absolute(a) { return a.n < 0n ? negate(a) : a; }
export function raise(a, k) { return { n: a.n ** BigInt(k), d: a.d ** BigInt(k) }; }
export function reduce(a) {
  const g = gcd(a.n, a.d);
  return g === 1n ? a : { n: a.n / g, d: a.d / g };
}
export function floorDivide(a, b) { return a >= 0n ? a / b : -((b - 1n - a) / b); }
export function ceilDivide(a, b) { return -floorDivide(-a, b); }
export function floor(a) { return floorDivide(a.n, a.d); }
export function ceil(a) { return ceilDivide(a.n, a.d); }

// ---- e^eps: a level is {exact: E} or {eps} ----

export function levelKey(claim) {
  if (!isObject(claim)) malformed("a claim is not an object");
  return claim.has("eps") ? "eps" : "exp_eps";
}

export function readLevel(claim) {
  if (claim.eps !== undefined) return { eps: rationalBetween(claim.eps, ZERO, { n: LIMITS.eps, d: 1n }, "eps") };
  const exact = rational(claim.exp_eps);
  if (compare(exact, ONE) < 0) malformed("exp_eps is below 1");
  return { exact };
}

export function readTerms(level, text) {
  const terms = between(text, 1, LIMITS.terms, "terms");
  if (terms * Math.max(bitLength(level.eps.n), bitLength(level.eps.d)) > LIMITS.termBits) overLimit("Taylor sum");
  return terms;
}

/** The Taylor sum below e^eps, or with its remainder above it. */
export function taylorBound(level, terms, above) {
  if (level.exact) return level.exact;
  const { n, d } = level.eps;
  let power = 1n;
  let sum = 0n;
  for (let k = 1; k <= terms; k += 1) {  // over the denominator d^k k!
    const step = d * BigInt(k);
    sum = (sum + power) * step;
    power *= n;
  }
  let denominator = d ** BigInt(terms);
  for (let k = 2; k <= terms; k += 1) denominator *= BigInt(k);
  const low = { n: sum, d: denominator };
  if (!above) return low;
  const next = BigInt(terms + 1) * d;
  demand(next > n, "too few terms for the remainder of the Taylor sum");
  return add(low, { n: power * next, d: denominator * (next - n) });
}

// ---- directed fixed-point bounds: pairs [low, high] of integers, in units of 2^-bits ----

export function narrow([low, high], from, to) {
  const unit = 1n << BigInt(from - to);
  return [floorDivide(low, unit), ceilDivide(high, unit)];
}

/** Bounds of e^x for a rational x. */
export function exponential(x, bits) {
  const size = absolute(x);
  if (compare(size, { n: LIMITS.exponent, d: 1n }) > 0) overLimit("argument of an exponential");
  const top = Number(ceil(size));
  const halvings = 8 + (top > 0 ? 32 - Math.clz32(top) : 0);
  const inner = bits + 2 * halvings + Math.ceil(1.5 * top) + 40;
  const unit = 1n << BigInt(inner);
  const small = { n: size.n, d: size.d << BigInt(halvings) };
  let pair = smallExponential(floorDivide(small.n * unit, small.d), ceilDivide(small.n * unit, small.d), inner);
  pay(inner / 16 * limbs(inner));
  for (let i = 0; i < halvings; i += 1) pair = [pair[0] ** 2n / unit, ceilDivide(pair[1] ** 2n, unit)];
  if (x.n < 0n) pair = [unit * unit / pair[1], ceilDivide(unit * unit, pair[0])];
  return narrow(pair, inner, bits);
}

/** Taylor's series for an argument between two multiples of 2^-inner in [0, 2^-7]. */
function smallExponential(low, high, inner) {
  const unit = 1n << BigInt(inner);
  let [sumLow, sumHigh, termLow, termHigh] = [unit, unit, unit, unit];
  for (let k = 1n; termHigh > 1n; k += 1n) {
    termLow = termLow * low / (unit * k);
    termHigh = ceilDivide(termHigh * high, unit * k);
    sumLow += termLow;
    sumHigh += termHigh;
  }
  return [sumLow, sumHigh + 2n];  // the rest is below the last term, since the argument is below 1/2
}

/** Bounds of 2 artanh(z) for a rational z in [0, 1/3]. */
function twiceArtanh(z, inner) {
  const unit = 1n << BigInt(inner);
  const square = [z.n * z.n, z.d * z.d];
  let [low, high] = [z.n * unit / z.d, ceilDivide(z.n * unit, z.d)];
  let [sumLow, sumHigh] = [0n, 0n];
  for (let k = 1n; ; k += 2n) {
    sumLow += low / k;
    sumHigh += ceilDivide(high, k);
    low = low * square[0] / square[1];
    high = ceilDivide(high * square[0], square[1]);
    if (high <= 1n) return [2n * sumLow, 2n * (sumHigh + 2n)];  // 1 + 1/9 + 1/81 + ... < 2
  }
}

/** Bounds of ln x for a rational x > 0. */
export function logarithm(x, bits) {
  let k = bitLength(x.n) - bitLength(x.d);
  const scaled = (e) => (e >= 0 ? { n: x.n, d: x.d << BigInt(e) } : { n: x.n << BigInt(-e), d: x.d });
  if (compare(scaled(k), ONE) < 0) k -= 1;
  const m = scaled(k);
  const inner = bits + 64;
  pay(inner * (limbs(inner) + limbs(bitLength(m.n))));
  const mantissa = twiceArtanh(reduce({ n: m.n - m.d, d: m.n + m.d }), inner);
  const two = twiceArtanh({ n: 1n, d: 3n }, inner);
  const factor = BigInt(k);
  const part = k >= 0 ? [factor * two[0], factor * two[1]] : [factor * two[1], factor * two[0]];
  return narrow([part[0] + mantissa[0], part[1] + mantissa[1]], inner, bits);
}

// ---- privacy curves ----

/**
 * Demand that sum of max(0, P - E Q) over the pairs [P, Q], plus rest, is at most delta times the total at each level
 * {E, delta}; the E ascend. A pair counts as long as P > E Q, so pairs are left in the order of P/Q.
 */
export function demandCurve(pairs, rest, total, levels) {
  const width = limbs(bitLength(total));
  let [P, Q] = [rest, 0n];
  for (const pair of pairs) { P += pair[0]; Q += pair[1]; }
  const finite = pairs.filter(([, q]) => q > 0n);
  pay(finite.length * (1 + bitLength(BigInt(finite.length))) * width ** 2);
  finite.sort((a, b) => {
    const [left, right] = [a[0] * b[1], b[0] * a[1]];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  let next = 0;
  for (const { E, delta } of levels) {
    pay(2 * width * (limbs(bitLength(E.n)) + limbs(bitLength(delta.d))));
    for (; next < finite.length && finite[next][0] * E.d <= finite[next][1] * E.n; next += 1) {
      P -= finite[next][0];
      Q -= finite[next][1];
    }
    demand((P * E.d - Q * E.n) * delta.d <= delta.n * total * E.d, "a curve lies below a divergence");
  }
}
