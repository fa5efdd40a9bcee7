// Part of second_checker.mjs: the family laplace, whose messages are real numbers. A witness names the ends of cells, as
// u = e^(eps0 x) from 1 to e^eps0; classes of a test are the cells, those of a bound the ends.

import * as r from "./reading.mjs";
import { listOf, readRatio } from "./families.mjs";

const { LIMITS, ONE } = r;
const ROOT_BITS = 40n;
const HALF = { n: 1n, d: 2n };
export const OF_TESTS = ["points"];
export const OF_SWAPS = ["points", "places", "distances"];

export function readLaplace(value) {
  const { exp_eps0 } = r.fields(value, ["family", "exp_eps0"], "a family");
  return { family: "laplace", top: readRatio(exp_eps0) };
}

/** [randomizer, witness]: the cells are with the randomizer, if its messages are real numbers, and all else is left. */
export function withCells(randomizer, witness, names) {
  if (randomizer?.family !== "laplace") return [randomizer, witness];
  if (!r.isObject(witness)) r.malformed("a witness is not an object");
  const cells = names.map((name) => [name, readEnds(witness.get(name), randomizer.top, name)]);
  const others = [...witness].filter(([name]) => !names.includes(name));
  return [{ ...randomizer, ...Object.fromEntries(cells) }, new Map(others)];
}

function readEnds(value, top, name) {
  const ends = [ONE, ...r.list(value, name).map(r.rational), top];
  if (ends.some(({ n, d }) => Math.max(r.bitLength(n), r.bitLength(d)) > LIMITS.polynomialBits)) r.overLimit("bits of " + name);
  if (ends.some((end, i) => i > 0 && r.compare(ends[i - 1], end) >= 0)) r.malformed(name + " that do not rise");
  return ends;
}

function over(a, b) { return r.reduce({ n: a.n * b.d, d: a.d * b.n }); }
function product(...factors) { return r.reduce(factors.reduce(r.multiply)); }
function decay(a, b) { return r.compare(a, b) < 0 ? over(a, b) : over(b, a); }

function pay(points) {
  const bits = points.reduce((most, { n, d }) => Math.max(most, r.bitLength(n), r.bitLength(d)), 1);
  r.spendGcd(20 * points.length, 6 * bits);
  r.spendGcd(2 * points.length, 4 * points.length * bits, 8 * bits);
  r.hold(4 * points.length, 4 * points.length * bits);
}

/** P, Q and a share of R at the ends of all cells; the part of a cell between u and v that each end gets is (v-u)/(2(u+v)). */
function spread(points, first, second, held, share) {
  const ends = [...points];
  for (const one of [first, second, held]) if (!ends.some((end) => r.compare(end, one) === 0)) ends.push(one);
  ends.sort(r.compare);
  pay(ends);
  const part = (i) => (i < 0 || i + 1 === ends.length ? HALF
    : product(HALF, over(r.subtract(ends[i + 1], ends[i]), r.add(ends[i + 1], ends[i]))));
  return ends.map((u, i) => {
    const weight = r.reduce(r.add(part(i - 1), part(i)));
    const [P, Q, R] = [first, second, held].map((input) => product(weight, decay(input, u)));
    return [P, Q, product(share, R)];
  });
}

/** At least 1/cosh of half the length of a cell. */
function nearness(low, high) {
  const ratio = over(low, high);
  const root = { n: squareRoot((ratio.n << 2n * ROOT_BITS) / ratio.d), d: 1n << ROOT_BITS };
  return over(product(r.whole(2), root), r.add(ONE, ratio));
}

function squareRoot(n) {
  if (n === 0n) return 0n;
  let x = 1n << BigInt((r.bitLength(n) + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

/** The one pair that stands for all, beside what stands for every input of the others; nobody has a slot of his own. */
export function pairsOfLaplace({ top, points, places, distances }) {
  const blanket = () => listOf(spread(points, ONE, top, ONE, ONE).map(([P, Q]) => [P, Q, r.compare(P, Q) < 0 ? P : Q]));
  const vertices = function* beside() {
    const near = places.slice(1).map((high, i) => nearness(places[i], high));
    for (const [i, place] of places.entries()) {
      const share = [near[i - 1], near[i]].filter(Boolean).reduce((a, b) => (r.compare(a, b) < 0 ? a : b));
      yield () => listOf(spread(points, ONE, top, place, share));
    }
    for (const [i, far] of distances.slice(1).entries()) {
      const [close, share] = [distances[i], over(distances[i], far)];
      yield () => listOf(spread(points, close, top, ONE, share));
      yield () => listOf(spread(points, ONE, over(top, close), top, share));
    }
  };
  return [{ blanket, parties: [vertices], hasNoSlot: true }];
}

/** The classes of a test: the two outer parts of the line, and the cells between. */
export function binsOfLaplace({ top, points }, others) {
  const held = r.choice(others, ["first", "second"], "others");
  return () => {
    pay(points);
    const laws = [ONE, top].map((input) => {
      const at = points.map((u) => decay(input, u));
      const cells = at.slice(1).map((value, i) => r.absolute(r.subtract(value, at[i])));
      return [at[0], ...cells, at.at(-1)].map((value) => product(HALF, value));
    });
    return listOf(laws[0].map((P, i) => [P, laws[1][i], held === "first" ? P : laws[1][i]]));
  };
}
