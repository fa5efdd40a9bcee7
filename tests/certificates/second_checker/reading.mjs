// Part of second_checker.mjs: reading and numbers. The limits, a strict parser for the subset of JSON that the page
// allows, the spelling of integers and rationals, rational arithmetic, and directed bounds of e^x and ln x.

export const LIMITS = {
  fileBytes: 4 * 2 ** 20, depth: 32, numberBits: 2 ** 18, lawDenominatorBits: 2 ** 22, users: 10 ** 6,
  exactTrials: 20000, trials: 10n ** 18n, exactProducts: 4 * 10 ** 6, bits: 16384, boxBits: 1024, exponent: 4096n,
  lawBits: 2 ** 33, realBits: 2 ** 18, packedBits: 2 ** 27, summandSide: 2 * 10 ** 5, messageWeightBits: 256,
  inputs: 256, messages: 256, outcomeEntries: 4 * 10 ** 6, tuple: 4096, list: 10 ** 6, eps: 64n, terms: 1000,
  termBits: 2 ** 16, shift: 1000, claims: 1000, times: 10 ** 6, variables: 16, degree: 64, polynomialBits: 4096,
  boxVariables: 6, deltas: 16, familyUsers: 10 ** 12, familyInputs: 10 ** 9, buckets: 2n ** 64n, taylor: 64,
  factors: 64, classes: 64, counts: 64, fairBits: 2 ** 14, plans: 4096, nodes: 2 ** 14, stages: 1000, phase: 2 ** 20,
  latticeBits: 4096, latticeLength: 2 ** 17, baseLength: 2 ** 18, places: 2 ** 20, tiltBits: 2 ** 14, placeBits: 64,
  bernstein: 20000, convolution: 4 * 10 ** 6, work: 2e8,
};

// What this checker does and holds for one file, in nanoseconds and bytes as measured with Node 20 on a busy machine of
// 2 to 3 GHz. The page leaves the price of a step to the first checker, so what is beyond these is NOT COVERED, at once.
const MAX_NANOSECONDS = 1.5e10;
const MAX_HELD_BYTES = 3e8;

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

// ---- schemas: a document of the fourth one has to say something that the third one cannot ----

export const FOURTH_SCHEMA = 4;

let newest = 1;

/** Where a document says what there is from one schema on. */
export function needSchema(schema, since, what) {
  if (schema < since) malformed(what + " that this schema does not know");
  newest = Math.max(newest, since);
}

export function demandNeeded(schema) {
  if (schema === FOURTH_SCHEMA && newest < schema) malformed("a document of the fourth schema says nothing that needs it");
}

// ---- prices: work is paid for before it is done, and room asked for before a list grows ----

let spent = 0;

export function startDocument() { [spent, newest] = [0, 1]; }

/** The nanoseconds of a product of numbers of these bits, from school multiplication to Fourier transforms. */
function priceOf(bits, factorBits) {
  const [short, long] = [limbs(Math.min(bits, factorBits)), limbs(Math.max(bits, factorBits))];
  return 60 + long * (short < 12 ? 3.5 * short : Math.min(9 * short ** 0.6, 80 * Math.log2(short)));
}

function pay(nanoseconds) {
  spent += nanoseconds;
  if (!(spent <= MAX_NANOSECONDS)) notCovered("more work than this checker does");
}

/** Pay for so many steps: in each, a number of these bits is multiplied by one of `factorBits`. */
export function spend(steps, bits = 64, factorBits = 64) { pay(steps * priceOf(bits, factorBits)); }

/** Refuse at once where at least these steps are to come. */
export function expect(steps, bits = 64) {
  if (!(spent + steps * priceOf(bits, 64) <= MAX_NANOSECONDS)) notCovered("more work than this checker does");
}

/** The same for divisions by numbers of `divisorBits`. */
export function spendDivision(steps, bits, divisorBits = 64) { spend(3 * steps, bits, divisorBits); }

/** Pay for gcds of numbers of these bits. */
export function spendGcd(steps, bits, otherBits = bits) {
  const size = limbs(Math.min(bits, otherBits));
  spendDivision(steps, Math.max(bits, otherBits), Math.min(bits, otherBits));
  pay(steps * size * (15000 + 25 * size));
}

/** Ask for the room of so many numbers of these bits. */
export function hold(numbers, bits) {
  if (!(numbers * (bits / 8 + 100) <= MAX_HELD_BYTES)) notCovered("more room than this checker has");
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

const SHORT = 2n ** 53n;

export function bitLength(integer) {
  if (-SHORT < integer && integer < SHORT) {
    const size = Math.abs(Number(integer));
    return size < 2 ** 32 ? 32 - Math.clz32(size) : 64 - Math.clz32(size / 2 ** 32);
  }
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

// Lehmer's gcd: the quotients of Euclid's algorithm are found from the leading bits, in numbers of a machine word, and
// for long numbers from their leading halves in the same way. Each matrix [a, b, c, d] that replaces (x, y) by
// (a x + b y, c x + d y) has the determinant 1 or -1, so that the gcd stays the same whatever the quotients were.

const EUCLID_LIMIT = 2n ** 256n;  // below it, plain divisions are as fast
const NUMBER_BITS = 52;
const LEHMER_BITS = 960;

/** The bits of a number >= 0 that is known to have at most `most`; perhaps one too many if it has fewer than 1000. */
function bitsWithin(value, most) {
  if (most >= 1000) return bitLength(value);
  return value === 0n ? 0 : Math.floor(Math.log2(Number(value))) + 1;
}

/** Euclid's steps on numbers below 2^52 until the second is short; null if it is short at once. */
function shortSteps(x, y) {
  let [a, b, c, d] = [1, 0, 0, 1];
  while (y > 2 ** (NUMBER_BITS / 2)) {
    const q = Math.floor(x / y);
    [x, y, a, b, c, d] = [y, x - q * y, c, d, a - q * c, b - q * d];
  }
  return b === 0 ? null : [BigInt(a), BigInt(b), BigInt(c), BigInt(d)];
}

/** Euclid's steps on x >= y until x has about `stop` bits: {x, y, matrix}. */
function manySteps(x, y, stop) {
  let matrix = null;
  let length = bitLength(x);
  const part = length <= LEHMER_BITS ? NUMBER_BITS : length >> 1;
  while (length > stop + 1 && y > 0n) {
    const size = Math.min(length, Math.max(NUMBER_BITS, Math.min(part, 2 * (length - stop))));
    const shift = BigInt(length - size);
    const leading = [x >> shift, y >> shift];
    let step = size > NUMBER_BITS ? manySteps(...leading, size >> 1).matrix : shortSteps(...leading.map(Number));
    if (!step && bitsWithin(y, length) <= stop) break;
    step ??= [0n, 1n, 1n, -(x / y)];
    [x, y, step] = applied(step, x, y);
    matrix = matrix ? multiplied(step, matrix) : step;
    length = bitsWithin(x, length);
  }
  return { x, y, matrix };
}

/** What a matrix makes of (x, y), and the matrix, with signs and rows changed so that x >= y >= 0. */
function applied([a, b, c, d], x, y) {
  let [first, second] = [a * x + b * y, c * x + d * y];
  if (first < 0n) [first, a, b] = [-first, -a, -b];
  if (second < 0n) [second, c, d] = [-second, -c, -d];
  return first >= second ? [first, second, [a, b, c, d]] : [second, first, [c, d, a, b]];
}

function multiplied([a, b, c, d], [e, f, g, h]) {
  return [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h];
}

export function gcd(a, b) {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  if (x < y) [x, y] = [y, x];
  if (y >= EUCLID_LIMIT) [x, y] = [y, x % y];
  while (y >= EUCLID_LIMIT) {
    ({ x, y } = manySteps(x, y, bitLength(x) >> 1));  // no step where y has less than half the bits of x
    if (y > 0n) [x, y] = [y, x % y];
  }
  while (y >= SHORT) [x, y] = [y, x % y];
  if (y === 0n) return x;
  let [p, q] = [Number(y), Number(x % y)];
  while (q) [p, q] = [q, p % q];
  return BigInt(p);
}

export function lcm(a, b) { return a / gcd(a, b) * b; }

export function rational(text) {
  if (typeof text !== "string") malformed("a number is not a string");
  const parts = text.split("/");
  if (parts.length > 2) malformed("not a rational");
  const n = integer(parts[0]);
  if (parts.length === 1) return { n, d: 1n };
  const d = integer(parts[1]);
  spendGcd(1, bitLength(n), bitLength(d));
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
  spendGcd(1, bitLength(a.n), bitLength(a.d));
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

/** Witness fields and, with eps, the number of Taylor terms. */
export function readMaybeTerms(level, value, keys) {
  const witness = fields(value, level.eps ? [...keys, "terms"] : keys, "witness");
  return { witness, terms: level.eps ? readTerms(level, witness.terms) : null };
}

/** The Taylor sum below e^eps, or with its remainder above it. */
export function taylorBound(level, terms, above) {
  if (level.exact) return level.exact;
  const { n, d } = level.eps;
  const most = LIMITS.termBits + 10 * terms;
  spend(5 * terms, most, Math.max(bitLength(n), bitLength(d)) + 10);
  spend(4, most, most);
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

/** x / 2^bits, rounded up. */
export function shiftUp(x, bits) { return -(-x >> bits); }

/** Bounds of e^x for a rational x. */
export function exponential(x, bits) {
  const size = absolute(x);
  if (compare(size, { n: LIMITS.exponent, d: 1n }) > 0) overLimit("argument of an exponential");
  const top = Number(ceil(size));
  const halvings = 8 + (top > 0 ? 32 - Math.clz32(top) : 0);
  const inner = bits + 2 * halvings + Math.ceil(1.5 * top) + 40;
  const terms = inner / 12;  // of full length; the later ones are shorter
  spend(terms + 2 * halvings, inner, inner);
  spendDivision(2 * terms, inner);
  spendDivision(4, bitLength(x.n) + inner, Math.max(inner, bitLength(x.d)));
  const [unit, shift] = [1n << BigInt(inner), BigInt(inner)];
  const small = { n: size.n, d: size.d << BigInt(halvings) };
  let pair = smallExponential(floorDivide(small.n * unit, small.d), ceilDivide(small.n * unit, small.d), shift);
  for (let i = 0; i < halvings; i += 1) pair = [pair[0] ** 2n >> shift, shiftUp(pair[1] ** 2n, shift)];
  if (x.n < 0n) pair = [unit * unit / pair[1], ceilDivide(unit * unit, pair[0])];
  return narrow(pair, inner, bits);
}

/** Taylor's series for an argument between two multiples of 2^-inner in [0, 2^-7]. */
function smallExponential(low, high, inner) {
  const unit = 1n << inner;
  let [sumLow, sumHigh, termLow, termHigh] = [unit, unit, unit, unit];
  for (let k = 1n; termHigh > 1n; k += 1n) {
    termLow = (termLow * low >> inner) / k;
    termHigh = ceilDivide(shiftUp(termHigh * high, inner), k);
    sumLow += termLow;
    sumHigh += termHigh;
  }
  return [sumLow, sumHigh + 2n];  // the rest is below the last term, since the argument is below 1/2
}

/** Bounds of 2 artanh(z) for a rational z in [0, 1/3]. */
function twiceArtanh(z, inner) {
  const [unit, shift] = [1n << BigInt(inner), BigInt(inner)];
  spend(inner / 3, inner, inner);
  spendDivision(inner, inner);
  spendDivision(4, bitLength(z.d) + inner, bitLength(z.d));
  let [low, high] = [z.n * unit / z.d, ceilDivide(z.n * unit, z.d)];
  const [lowSquare, highSquare] = [low * low >> shift, shiftUp(high * high, shift)];
  let [sumLow, sumHigh] = [0n, 0n];
  for (let k = 1n; ; k += 2n) {
    sumLow += low / k;
    sumHigh += ceilDivide(high, k);
    low = low * lowSquare >> shift;
    high = shiftUp(high * highSquare, shift);
    if (high <= 1n) return [2n * sumLow, 2n * (sumHigh + 2n)];  // 1 + 1/9 + 1/81 + ... < 2
  }
}

let lastLogarithmOf2 = { inner: 0, pair: [] };

function logarithmOf2(inner) {
  if (lastLogarithmOf2.inner !== inner) lastLogarithmOf2 = { inner, pair: twiceArtanh({ n: 1n, d: 3n }, inner) };
  return lastLogarithmOf2.pair;
}

/** Bounds of ln x for a rational x > 0. */
export function logarithm(x, bits) {
  let k = bitLength(x.n) - bitLength(x.d);
  const scaled = (e) => (e >= 0 ? { n: x.n, d: x.d << BigInt(e) } : { n: x.n << BigInt(-e), d: x.d });
  if (compare(scaled(k), ONE) < 0) k -= 1;
  const m = scaled(k);
  const inner = bits + 64;
  const mantissa = twiceArtanh({ n: m.n - m.d, d: m.n + m.d }, inner);
  const two = logarithmOf2(inner);
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
  const bits = bitLength(total);
  let [P, Q] = [rest, 0n];
  for (const pair of pairs) { P += pair[0]; Q += pair[1]; }
  const finite = pairs.filter(([, q]) => q > 0n);
  spend(2 * finite.length * bitLength(BigInt(finite.length)), bits, bits);
  finite.sort((a, b) => {
    const [left, right] = [a[0] * b[1], b[0] * a[1]];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  let next = 0;
  for (const { E, delta } of levels) {
    const longest = bitLength(E.n);
    spend(4, bits + longest, Math.max(longest, bitLength(delta.d)));
    for (; next < finite.length && finite[next][0] * E.d <= finite[next][1] * E.n; next += 1) {
      spend(2, bits, longest);
      P -= finite[next][0];
      Q -= finite[next][1];
    }
    demand((P * E.d - Q * E.n) * delta.d <= delta.n * total * E.d, "a curve lies below a divergence");
  }
}
