// Part of second_checker.mjs: functions of parameters, which are quotients of polynomials, and what they are on a cell.
// A function is {top, bottom}. A group of functions is written over one bottom. On a cell, with x = (l + h z)/(1 + z),
// polynomials with no negative coefficient in z are packed into one long integer each, a coefficient to a slot: so the
// sweeps over data sets, which multiply and add integers, multiply and add polynomials.

import * as r from "./reading.mjs";
import * as q from "./polynomials.mjs";

const { LIMITS, ZERO, ONE } = r;

// ---- reading ----

export function readParameters(claim, most) {
  const parameters = q.readVariables(claim.parameters, most).length;
  if (parameters === 0) r.malformed("no parameters");
  return { parameters, box: r.list(claim.box, "box", parameters).map(q.readSide) };
}

export function readFunction(value, variables) {
  const one = q.constant(ONE, variables);
  if (typeof value === "string") return { top: q.constant(q.shortRational(value), variables), bottom: one };
  const read = (part) => {
    const polynomial = q.readPolynomial(part, variables);
    if (isNothing(polynomial)) r.malformed("a polynomial of no monomials");
    return polynomial;
  };
  if (Array.isArray(value)) return { top: read(value), bottom: one };
  const parts = r.fields(value, ["top", "bottom"], "a function");
  return { top: read(parts.top), bottom: read(parts.bottom) };
}

export function readProbability(value, variables) {
  const read = readFunction(value, variables);
  if (isNothing(read.top)) r.malformed("a probability that is 0");
  return read;
}

function isNothing({ terms }) { return terms.size === 0; }

// ---- sums and products of polynomials ----

function minus(a, b) { return q.plus(a, q.scale(b, r.whole(-1))); }

export function isSame(a, b) { return isNothing(minus(a, b)); }

export function sumOf(polynomials) { return polynomials.reduce(q.plus, q.NOTHING); }

/** 1 - f. */
export function complementOf({ top, bottom }) { return { top: minus(bottom, top), bottom }; }

/** f - 1 over the bottom of f. */
export function topAboveOne({ top, bottom }) { return minus(top, bottom); }

/** Polynomials as they were read, each once. */
export function different(polynomials) {
  const spelled = ({ d, terms }) => [d, ...[...terms].map(([key, c]) => key + ":" + c.toString(16)).sort()].join(" ");
  return [...new Map(polynomials.map((polynomial) => [spelled(polynomial), polynomial])).values()];
}

/** The functions over the product of their different bottoms: {bottom, tops}. */
export function overOneBottom(functions, variables) {
  const bottoms = different(functions.map(({ bottom }) => bottom));
  const product = (factors) => factors.reduce(q.times, q.constant(ONE, variables));
  const others = bottoms.map((own) => product(bottoms.filter((bottom) => bottom !== own)));
  const tops = functions.map(({ top, bottom }) => q.times(top, others[bottoms.findIndex((own) => isSame(own, bottom))]));
  return { bottom: product(bottoms), tops };
}

/** Whether functions add up to 1 identically. */
export function addUpToOne(functions, variables) {
  const { bottom, tops } = overOneBottom(functions, variables);
  return isSame(sumOf(tops), bottom);
}

// ---- values at a point ----

/** {n, d}; the value of a function whose bottom is 0 there is null. */
export function valueAt({ top, bottom }, point) {
  const [above, below] = [top, bottom].map((part) => q.evaluate(part, point));
  if (below.n === 0n) return null;
  const bits = [above.n, above.d, below.n, below.d].map(r.bitLength);
  r.spend(4, Math.max(...bits), Math.max(...bits));
  const [n, d] = [above.n * below.d, above.d * below.n];
  return r.reduce(d < 0n ? { n: -n, d: -d } : { n, d });
}

export function signAt(polynomial, point) { return r.compare(q.evaluate(polynomial, point), ZERO); }

export function isInBox(point, box) { return point.every((x, i) => q.inSide(x, box[i])); }

function spelledInteger(n) {
  if (r.bitLength(n) <= 256) return n.toString();
  return (n < 0n ? "-0x" : "0x") + (n < 0n ? -n : n).toString(16);
}

/** A rational in lowest terms as the page spells it. */
export function spelledRational({ n, d }) {
  return d === 1n ? spelledInteger(n) : spelledInteger(n) + "/" + spelledInteger(d);
}

// ---- signs on a cell ----

export function demandSignOnCell(polynomial, cell, strict) {
  guardSize(q.degrees(polynomial, cell.length));
  const steps = cell.map(({ low, high }) => r.reduce(r.subtract(high, low)));
  const onCube = q.substitute(polynomial, cell.map(({ low }) => low), steps);
  q.checkBernstein(onCube, closedEnds(cell), strict);
}

export function closedEnds(cell) { return cell.map(({ lowClosed, highClosed }) => [lowClosed, highClosed]); }

/** Show that the bottoms of functions are positive on a cell, and their tops not negative. */
export function demandNotNegative(functions, cell) {
  for (const bottom of different(functions.map((f) => f.bottom))) demandSignOnCell(bottom, cell, true);
  for (const top of different(functions.map((f) => f.top))) demandSignOnCell(top, cell, false);
}

// ---- coefficients on a cell ----

/** Polynomials with integer coefficients, over a common denominator that is left out, and the least degrees for all. */
export function makeGroup(polynomials, variables) {
  const d = polynomials.reduce((common, polynomial) => q.commonMultiple(common, polynomial.d), 1n);
  const degrees = mostOf(polynomials.map((polynomial) => q.degrees(polynomial, variables)), variables);
  const integers = polynomials.map(({ d: own, terms }) => {
    r.spend(terms.size + 1, q.width({ terms }), r.bitLength(d));
    return new Map([...terms].map(([key, c]) => [key, c * (d / own)]));
  });
  return { degrees, integers };
}

function mostOf(lists, length) {
  return lists.reduce((most, list) => most.map((e, i) => Math.max(e, list[i])), Array(length).fill(0));
}

/** Sums of `times` times the degrees of groups: [[degrees, times], ...]. */
export function addDegrees(parts) {
  return parts[0][0].map((_, i) => parts.reduce((sum, [degrees, times]) => sum + degrees[i] * times, 0));
}

function sizesOf(degrees) {
  const strides = [];
  const size = degrees.reduce((stride, d, i) => { strides[i] = stride; return stride * (d + 1); }, 1);
  return { strides, size };
}

/** Refuse more coefficients than those of a Bernstein form, and longer packed ones than the weights of a law. */
export function guardSize(degrees, bits = 1) {
  const { size } = sizesOf(degrees);
  if (!(size <= LIMITS.bernstein)) r.overLimit("coefficients on a cell");
  if (!(size * bits <= LIMITS.lawDenominatorBits)) r.overLimit("bits of all coefficients on a cell");
}

/** The coefficients on the cell of the polynomials of a group, with its degrees: an array of arrays. */
export function coefficientsOn({ degrees, integers }, cell) {
  guardSize(degrees);
  const { strides, size } = sizesOf(degrees);
  const bases = cell.map((side, i) => basisOf(side, degrees[i]));
  const growth = bases.reduce((sum, base) => sum + base.reduce((most, row) => Math.max(most, ...row.map(r.bitLength)), 0), 0);
  return integers.map((terms) => {
    const bits = q.width({ terms }) + growth + 64;
    r.hold(3 * size, bits);
    let values = Array(size).fill(0n);
    for (const [key, c] of terms) values[q.exponentsOf(key).reduce((sum, e, i) => sum + e * strides[i], 0)] = c;
    degrees.forEach((d, i) => {
      r.spend(size * (d + 2), bits, growth);
      values = changedAlong(values, strides[i], bases[i]);
    });
    return values;
  });
}

/** Of each x^e, times (m (1 + z))^d, the coefficients in z, where x = (l + h z)/(1 + z) and m l, m h are integers. */
function basisOf({ low, high }, d) {
  const m = r.lcm(low.d, high.d);
  const bits = d * Math.max(r.bitLength(low.n), r.bitLength(high.n), r.bitLength(m)) + 2 * d;
  r.hold((d + 1) ** 2, bits);
  r.spend(4 * (d + 1) ** 2, bits, bits);
  const powers = (a, b) => {  // of a + b z
    const found = [[1n]];
    while (found.length <= d) {
      const last = found.at(-1);
      found.push([...last, 0n].map((c, k) => c * a + (k > 0 ? last[k - 1] * b : 0n)));
    }
    return found;
  };
  const [tops, bottoms] = [powers(low.n * (m / low.d), high.n * (m / high.d)), powers(m, m)];
  r.spend((d + 1) ** 3, bits, bits);
  return tops.map((top, e) => {
    const product = Array(d + 1).fill(0n);
    top.forEach((c, i) => bottoms[d - e].forEach((b, j) => { product[i + j] += c * b; }));
    return product;
  });
}

function changedAlong(values, stride, basis) {
  const d = basis.length - 1;
  if (d === 0) return values;
  const changed = Array(values.length).fill(0n);
  values.forEach((c, index) => {
    if (c === 0n) return;
    const e = Math.floor(index / stride) % (d + 1);
    basis[e].forEach((factor, k) => { changed[index + (k - e) * stride] += c * factor; });
  });
  return changed;
}

/** The sum of the sizes of coefficients. */
export function sumOfSizes(values) { return values.reduce((sum, c) => sum + (c < 0n ? -c : c), 0n); }

// ---- packing ----

/**
 * Room for polynomials of these degrees, none of whose coefficients is larger than `largest`: pack(values, degrees)
 * gives an integer, values(packed) the coefficients, of any sign. The slots have one bit for the sign.
 */
export function makeLayout(degrees, largest) {
  const { strides, size } = sizesOf(degrees);
  const digits = Math.ceil((r.bitLength(largest) + 2) / 4);
  const bits = 4 * digits * size;
  guardSize(degrees, 4 * digits);
  r.hold(2, 40 * bits);
  const half = 1n << BigInt(4 * digits - 1);
  const offset = BigInt("0x" + ("8" + "0".repeat(digits - 1)).repeat(size));
  return {
    degrees, strides, size, bits,
    pack(values, own) {
      const from = sizesOf(own).strides;
      const slots = [Array(size).fill(0n), Array(size).fill(0n)];
      values.forEach((c, index) => {
        const place = own.reduce((sum, d, i) => sum + Math.floor(index / from[i]) % (d + 1) * strides[i], 0);
        slots[c < 0n ? 1 : 0][place] = c < 0n ? -c : c;
      });
      r.spend(4 * size, 4 * digits);
      const [positive, negative] = slots.map((list) => joined(list, digits));
      return positive - negative;
    },
    values(packed) {
      r.spend(8 * size, 4 * digits);
      const text = (packed + offset).toString(16).padStart(digits * size, "0");
      return Array.from({ length: size }, (_, k) => (
        BigInt("0x" + text.slice((size - 1 - k) * digits, (size - k) * digits)) - half));
    },
  };
}

/** Numbers >= 0 of so many digits at most, the last one in front. */
function joined(numbers, digits) {
  return BigInt("0x" + numbers.map((c) => c.toString(16).padStart(digits, "0")).reverse().join(""));
}
