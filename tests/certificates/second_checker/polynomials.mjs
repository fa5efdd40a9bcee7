// Part of second_checker.mjs: polynomials with rational coefficients, and the kinds `inequality` and `box_inequality`.

import * as r from "./reading.mjs";

const { LIMITS, ZERO, ONE } = r;

// ---- polynomials: {d, terms}, a Map from an exponent vector, joined by commas, to an integer that is not 0, over d ----

export function readVariables(value, most) {
  const names = r.list(value, "variables");
  if (names.length > most) r.overLimit("variables");
  for (const name of names) {
    if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_]{0,31}$/.test(name)) r.malformed("a variable's name");
  }
  if (new Set(names).size !== names.length) r.malformed("a variable stands twice");
  return names;
}

export function shortRational(text) {
  const value = r.rational(text);
  if (r.bitLength(value.n) > LIMITS.polynomialBits || r.bitLength(value.d) > LIMITS.polynomialBits) {
    r.overLimit("bits of a number in an inequality");
  }
  return value;
}

export function readPolynomial(value, variables) {
  const numbers = new Map();
  for (const entry of r.list(value, "a polynomial")) {
    const [coefficient, exponents] = r.list(entry, "a monomial", 2);
    const number = shortRational(coefficient);
    if (number.n === 0n) r.malformed("a coefficient is 0");
    const key = r.list(exponents, "exponents", variables).map((e) => r.between(e, 0, LIMITS.degree, "a degree")).join();
    if (numbers.has(key)) r.malformed("an exponent vector stands twice");
    numbers.set(key, number);
  }
  return polynomialOf(numbers);
}

/** Rationals, by their exponent vectors, over a common denominator. */
function polynomialOf(numbers) {
  const d = [...numbers.values()].reduce((common, number) => commonMultiple(common, number.d), 1n);
  r.hold(numbers.size, r.bitLength(d) + KEY_BITS);
  r.spendDivision(numbers.size, r.bitLength(d), LIMITS.polynomialBits);
  return { d, terms: new Map([...numbers].map(([key, number]) => [key, number.n * (d / number.d)])) };
}

export function commonMultiple(a, b) {
  if (a === b || b === 1n) return a;
  const bits = [a, b].map(r.bitLength);
  r.spendDivision(2, ...bits);
  if (a % b === 0n) return a;
  if (b % a === 0n) return b;
  r.spendGcd(1, ...bits);
  r.spend(4, ...bits);
  r.hold(4, bits[0] + bits[1]);
  return r.lcm(a, b);
}

export const NOTHING = { d: 1n, terms: new Map() };
const KEY_BITS = 512;  // of the place of an exponent vector
const KEY_PRICE = 20;  // short products that its spelling takes as long as

export function exponentsOf(key) { return key === "" ? [] : key.split(",").map(Number); }

function addTo(terms, key, value) {
  const total = (terms.get(key) ?? 0n) + value;
  if (total === 0n) terms.delete(key);
  else terms.set(key, total);
}

export function plus(a, b) {
  if (b.terms.size === 0) return a;
  if (a.terms.size === 0) return b;
  const d = commonMultiple(a.d, b.d);
  const [left, right] = [d / a.d, d / b.d];
  const bits = Math.max(width(a), width(b)) + r.bitLength(d);
  r.spend(a.terms.size + b.terms.size, bits, Math.max(r.bitLength(left), r.bitLength(right)));
  r.spend(KEY_PRICE * (a.terms.size + b.terms.size));
  r.hold(a.terms.size + b.terms.size, bits + KEY_BITS);
  const terms = left === 1n ? new Map(a.terms) : new Map([...a.terms].map(([key, value]) => [key, value * left]));
  for (const [key, value] of b.terms) addTo(terms, key, value * right);
  return { d, terms };
}

export function scale(a, { n, d }) {
  if (n === 0n) return NOTHING;
  r.spend(a.terms.size + 1, Math.max(width(a), r.bitLength(a.d)), Math.max(r.bitLength(n), r.bitLength(d)));
  return { d: a.d * d, terms: n === 1n ? a.terms : new Map([...a.terms].map(([key, value]) => [key, value * n])) };
}

/** The bits of the longest coefficient. */
export function width({ terms }) {
  let most = 1;
  for (const value of terms.values()) most = Math.max(most, r.bitLength(value));
  return most;
}

export function times(a, b) {
  const size = a.terms.size * b.terms.size;
  if (size > LIMITS.convolution) r.overLimit("product of polynomials");
  const [left, right] = [width(a), width(b)];
  r.spend(size, left, right);
  r.spend(KEY_PRICE * size);
  r.spend(1, r.bitLength(a.d), r.bitLength(b.d));
  r.hold(a.terms.size + b.terms.size, left + right + KEY_BITS);
  const terms = new Map();
  const factors = [...b.terms].map(([key, value]) => [exponentsOf(key), value]);
  for (const [key, value] of a.terms) {
    const exponents = exponentsOf(key);
    for (const [others, factor] of factors) {
      addTo(terms, exponents.map((e, i) => e + others[i]).join(), value * factor);
    }
    r.hold(terms.size, left + right + KEY_BITS);
  }
  return { d: a.d * b.d, terms };
}

export function constant({ n, d }, variables) {
  return n === 0n ? NOTHING : { d, terms: new Map([[Array(variables).fill(0).join(), n]]) };
}

/** The value at a point, over the common denominator of all its monomials. */
export function evaluate({ d, terms }, point) {
  const most = degrees({ terms }, point.length);
  const sizes = point.map(({ n, d: below }) => Math.max(r.bitLength(n), r.bitLength(below)));
  const bits = most.reduce((sum, e, i) => sum + e * sizes[i], 0);
  most.forEach((e, i) => {
    r.hold(2 * e, e * sizes[i]);
    r.spend(2 * e, e * sizes[i], sizes[i]);
    r.spend(2 * terms.size, bits, e * sizes[i]);
  });
  r.spend(terms.size + 1, bits, Math.max(width({ terms }), r.bitLength(d)));
  const powers = point.map(({ n, d: below }, i) => [powersOf(n, most[i]), powersOf(below, most[i])]);
  let sum = 0n;
  for (const [key, value] of terms) {
    sum += exponentsOf(key).reduce((product, e, i) => product * powers[i][0][e] * powers[i][1][most[i] - e], value);
  }
  return { n: sum, d: powers.reduce((product, [, below], i) => product * below[most[i]], d) };
}

export function powersOf(base, most) {
  const powers = [1n];
  while (powers.length <= most) powers.push(powers.at(-1) * base);
  return powers;
}

// ---- inequality ----

function readSigned(value, variables) {
  const part = r.fields(value, ["polynomial", "strict"], "an inequality's part");
  return { polynomial: readPolynomial(part.polynomial, variables), strict: isYes(part.strict) };
}

function isYes(value) { return r.choice(value, ["yes", "no"], "strict") === "yes"; }

function readInequality(value) {
  const claim = r.fields(value, ["kind", "variables", "hypotheses", "conclusion"], "inequality");
  const variables = readVariables(claim.variables, LIMITS.variables).length;
  const hypotheses = r.list(claim.hypotheses, "hypotheses").map((part) => readSigned(part, variables));
  return { variables, hypotheses, conclusion: readSigned(claim.conclusion, variables) };
}

function proveInequality(claim, value) {
  const count = claim.hypotheses.length;
  const terms = r.list(r.fields(value, ["terms"], "witness").terms, "terms").map((entry) => {
    const term = r.fields(entry, ["coefficient", "powers"], "a term");
    const powers = r.list(term.powers, "powers", count).map((p) => r.between(p, 0, LIMITS.degree, "a power"));
    return { coefficient: shortRational(term.coefficient), powers };
  });
  return () => {
    let sum = NOTHING;
    for (const { coefficient, powers } of terms) {
      r.demand(coefficient.n > 0n, "a coefficient is not positive");
      let product = constant(coefficient, claim.variables);
      powers.forEach((power, i) => {
        for (let k = 0; k < power; k += 1) product = times(product, claim.hypotheses[i].polynomial);
      });
      sum = plus(sum, product);
    }
    r.demand(plus(sum, scale(claim.conclusion.polynomial, r.whole(-1))).terms.size === 0, "the terms do not add up");
    if (!claim.conclusion.strict) return;
    const positive = ({ powers }) => powers.every((power, i) => power === 0 || claim.hypotheses[i].strict);
    r.demand(terms.some(positive), "no term is strictly positive");
  };
}

function holds({ polynomial, strict }, point) {
  const sign = evaluate(polynomial, point).n;
  return strict ? sign > 0n : sign >= 0n;
}

export function readPoint(value, variables) { return r.list(value, "point", variables).map(shortRational); }

function refuteInequality(claim, value) {
  const point = readPoint(r.fields(value, ["point"], "witness").point, claim.variables);
  return () => {
    r.demand(claim.hypotheses.every((hypothesis) => holds(hypothesis, point)), "a hypothesis fails at the point");
    r.demand(!holds(claim.conclusion, point), "the conclusion holds at the point");
  };
}

// ---- box_inequality ----

export function readSide(value) {
  const side = r.fields(value, ["low", "low_end", "high", "high_end"], "a side of the box");
  const [low, high] = [shortRational(side.low), shortRational(side.high)];
  if (r.compare(low, high) >= 0) r.malformed("a side of the box is empty");
  const closed = (end) => r.choice(end, ["closed", "open"], "an end") === "closed";
  return { low, high, lowClosed: closed(side.low_end), highClosed: closed(side.high_end) };
}

function readBox(value) {
  const claim = r.fields(value, ["kind", "variables", "box", "terms", "strict"], "box_inequality");
  const variables = readVariables(claim.variables, LIMITS.boxVariables).length;
  const terms = r.list(claim.terms, "terms").map((entry) => {
    const term = r.fields(entry, ["polynomial", "exponent"], "a term");
    const [polynomial, exponent] = [term.polynomial, term.exponent].map((part) => readPolynomial(part, variables));
    return { polynomial, exponent };
  });
  return { variables, terms, box: r.list(claim.box, "box", variables).map(readSide), strict: isYes(claim.strict) };
}

function readBits(value) { return r.between(value, 16, LIMITS.boxBits, "bits"); }

/** The leaf of a box_inequality. */
function readLeaf(value, variables) {
  const leaf = r.fields(value, ["corner", "taylor", "bits"], "a leaf");
  const corner = r.list(leaf.corner, "corner", variables).map((c) => r.choice(c, ["low", "high"], "a corner"));
  const taylor = r.between(leaf.taylor, 2, LIMITS.taylor, "taylor");
  if (taylor % 2) r.malformed("taylor is odd");
  return { corner, taylor, bits: readBits(leaf.bits) };
}

/** A tree of cuts of a box of so many variables: {variable, at, low, high} or {leaf}. */
export function readTree(value, variables, leafOf) {
  if (!r.isObject(value)) r.malformed("a tree is not an object");
  if (!value.has("variable")) return { leaf: leafOf(value, variables) };
  const cut = r.fields(value, ["variable", "at", "low", "high"], "a cut");
  const variable = r.between(cut.variable, 0, variables - 1, "the cut's variable");
  const [low, high] = [cut.low, cut.high].map((part) => readTree(part, variables, leafOf));
  return { variable, at: shortRational(cut.at), low, high };
}

function proveBox(claim, value) {
  const tree = readTree(value, claim.variables, readLeaf);
  return () => visitLeaves(claim.box, tree, (box, leaf) => checkLeaf(claim, box, leaf));
}

/** Call visit(box, leaf) with the part of the box that belongs to each leaf. */
export function visitLeaves(box, tree, visit) {
  if (tree.leaf) return visit(box, tree.leaf);
  const side = box[tree.variable];
  r.demand(r.compare(side.low, tree.at) < 0 && r.compare(tree.at, side.high) < 0, "a cut outside its part");
  const replaced = (part) => box.map((old, i) => (i === tree.variable ? { ...old, ...part } : old));
  visitLeaves(replaced({ high: tree.at, highClosed: true }), tree.low, visit);
  visitLeaves(replaced({ low: tree.at, lowClosed: true }), tree.high, visit);
}

/** The polynomial in t, where x_i = start_i + step_i t_i. */
export function substitute(polynomial, starts, steps) {
  const variables = starts.length;
  const most = degrees(polynomial, variables);
  const powers = starts.map((start, i) => {  // of start_i + step_i t_i
    const unit = starts.map((_, j) => (i === j ? 1 : 0)).join();
    const linear = plus(constant(start, variables), { d: steps[i].d, terms: new Map([[unit, steps[i].n]]) });
    const found = [constant(ONE, variables)];
    while (found.length <= most[i]) found.push(times(found.at(-1), linear));
    return found;
  });
  let sum = NOTHING;
  for (const [key, value] of polynomial.terms) {
    const product = exponentsOf(key).reduce((part, e, i) => (e ? times(part, powers[i][e]) : part),
      constant({ n: value, d: 1n }, variables));
    sum = plus(sum, product);
  }
  return { d: sum.d * polynomial.d, terms: sum.terms };
}

/** Rational bounds of e^x from fixed-point numbers; exact for 0. */
function exponentialBounds(x, bits) {
  if (x.n === 0n) return [ONE, ONE];
  const d = 1n << BigInt(bits);
  return r.exponential(x, bits).map((n) => ({ n, d }));
}

/** Polynomials below and above e^exponent on the unit cube. */
function exponentialPolynomials(exponent, taylor, bits, variables) {
  const origin = Array(variables).fill(0).join();
  const [low, high] = exponentialBounds({ n: exponent.terms.get(origin) ?? 0n, d: exponent.d }, bits);
  const u = { d: exponent.d, terms: new Map(exponent.terms) };
  u.terms.delete(origin);
  let power = constant(ONE, variables);
  if (u.terms.size === 0) return [scale(power, low), scale(power, high)];
  let sum = NOTHING;
  for (let k = 1; k <= taylor; k += 1) {
    sum = plus(sum, power);
    power = scale(times(power, u), { n: 1n, d: BigInt(k) });
  }
  const most = { n: [...u.terms.values()].reduce((total, c) => (c > 0n ? total + c : total), 0n), d: u.d };
  const rest = scale(power, exponentialBounds(most, bits)[1]);
  return [scale(sum, low), scale(plus(sum, rest), high)];
}

function ofSign(polynomial, positive) {
  return { d: polynomial.d, terms: new Map([...polynomial.terms].filter(([, c]) => (c > 0n) === positive)) };
}

function checkLeaf(claim, box, { corner, taylor, bits }) {
  const starts = box.map((side, i) => side[corner[i]]);
  const steps = box.map(({ low, high }, i) => {
    const width = r.reduce(r.subtract(high, low));
    return corner[i] === "low" ? width : r.negate(width);
  });
  let below = NOTHING;
  for (const { polynomial, exponent } of claim.terms) {
    const factor = substitute(polynomial, starts, steps);
    const inner = substitute(exponent, starts, steps);
    guardDegrees(factor, inner, taylor, box.length);
    const [low, high] = exponentialPolynomials(inner, taylor, bits, box.length);
    below = plus(below, plus(times(ofSign(factor, true), low), times(ofSign(factor, false), high)));
  }
  const closed = box.map((side, i) => {
    const ends = [side.lowClosed, side.highClosed];
    return corner[i] === "low" ? ends : ends.reverse();
  });
  checkBernstein(below, closed, claim.strict);
}

export function degrees(polynomial, variables) {
  const most = Array(variables).fill(0);
  for (const key of polynomial.terms.keys()) exponentsOf(key).forEach((e, i) => { most[i] = Math.max(most[i], e); });
  return most;
}

function guardDegrees(factor, exponent, taylor, variables) {
  const [first, second] = [degrees(factor, variables), degrees(exponent, variables)];
  const size = first.reduce((product, d, i) => product * (d + taylor * second[i] + 1), 1);
  if (size > LIMITS.bernstein) r.overLimit("coefficients of a Bernstein form");
}

/**
 * In one variable, the sum of a_i t^i is that of b_j C(d, j) t^j (1-t)^(d-j) with b_j = sum of C(j, i)/C(d, i) a_i. The
 * values are replaced by the b_j times a positive integer: the a_i/C(d, i) are summed along themselves as in Pascal's
 * triangle.
 */
function bernsteinAlong(values, stride, d) {
  let [row, common] = [[1n], 1n];
  for (let i = 0; i < d; i += 1) row.push(row[i] * BigInt(d - i) / BigInt(i + 1));
  for (const c of row) common = r.lcm(common, c);
  const factors = row.map((c) => common / c);
  const scaled = values.map((a, index) => a * factors[Math.floor(index / stride) % (d + 1)]);
  for (let base = 0; base < values.length; base += 1) {
    if (Math.floor(base / stride) % (d + 1) !== 0) continue;
    for (let from = 1; from <= d; from += 1) {
      for (let j = d; j >= from; j -= 1) scaled[base + j * stride] += scaled[base + (j - 1) * stride];
    }
  }
  return scaled;
}

export function checkBernstein(polynomial, closed, strict) {
  const most = degrees(polynomial, closed.length);
  const size = most.reduce((product, d) => product * (d + 1), 1);
  const strides = [];
  most.reduce((stride, d, i) => { strides[i] = stride; return stride * (d + 1); }, 1);
  let values = Array(size).fill(0n);
  const place = (key) => exponentsOf(key).reduce((sum, e, i) => sum + e * strides[i], 0);
  for (const [key, c] of polynomial.terms) values[place(key)] = c;
  const bits = most.reduce((sum, d) => sum + 3 * d + 64, width(polynomial));
  most.forEach((d, i) => {
    r.hold(2 * size, bits);
    r.spendGcd(d + 1, 2 * d);
    r.spend(size * (d + 2), bits);
    values = bernsteinAlong(values, strides[i], d);
  });
  r.demand(values.every((c) => c >= 0n), "a Bernstein coefficient is negative");
  if (strict) r.demand(hasPositiveFaces(values, most, strides, closed), "the Bernstein form may be 0 on a closed face");
}

/**
 * Whether a coefficient is positive on every face, that of the ends [start, end] that are closed in each variable. The
 * coefficient of the exponents e_i stands at the sum of e_i times the strides, which ascend.
 */
export function hasPositiveFaces(values, most, strides, closed) {
  const positive = values.flatMap((c, index) => (c > 0n ? [index] : []));
  const at = (index, i) => Math.floor((i + 1 < most.length ? index % strides[i + 1] : index) / strides[i]);
  const search = (i, indices) => {
    if (indices.length === 0) return false;
    if (i === most.length) return true;
    const [start, end] = closed[i];
    if (start && !search(i + 1, indices.filter((index) => at(index, i) === 0))) return false;
    if (end && !search(i + 1, indices.filter((index) => at(index, i) === most[i]))) return false;
    return start || end || search(i + 1, indices);
  };
  return search(0, positive);
}

export function inSide(x, { low, high, lowClosed, highClosed }) {
  const [below, above] = [r.compare(low, x), r.compare(x, high)];
  return (below < 0 || (lowClosed && below === 0)) && (above < 0 || (highClosed && above === 0));
}

function refuteBox(claim, value) {
  const witness = r.fields(value, ["point", "bits"], "witness");
  const point = readPoint(witness.point, claim.variables);
  const bits = readBits(witness.bits);
  return () => {
    r.demand(point.every((x, i) => inSide(x, claim.box[i])), "the point is outside the box");
    let above = ZERO;
    for (const { polynomial, exponent } of claim.terms) {
      const factor = evaluate(polynomial, point);
      const [low, high] = exponentialBounds(evaluate(exponent, point), bits);
      const sizes = [r.bitLength(factor.d) + bits, r.bitLength(above.d)];
      r.spend(6, ...sizes);
      r.hold(4, sizes[0] + sizes[1]);
      above = r.add(above, r.multiply(factor, factor.n > 0n ? high : low));
    }
    r.demand(claim.strict ? above.n <= 0n : above.n < 0n, "f is not shown to fail at the point");
  };
}

export const KINDS = {
  inequality: { read: readInequality, prove: proveInequality, refute: refuteInequality, since: 1 },
  box_inequality: { read: readBox, prove: proveBox, refute: refuteBox, since: 2 },
};
