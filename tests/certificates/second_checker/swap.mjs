// Part of second_checker.mjs: the witness "swap", an upper bound of the divergences of all neighbouring data sets.
//
// Integers are in units of 2^-B, rounded up where nothing else is said. A *row* is what the values of one user are under a
// plan: {number, charge, M, squares()}, where the squares are those of A at all nodes, in units of 2^-2B.

import * as r from "./reading.mjs";
import { chargeOf, valuesOf, weightOf } from "./blanket.mjs";
import { OF_SWAPS, withCells } from "./densities.mjs";
import { pairsOf, pairsOfClass, readUsed } from "./user_pairs.mjs";

const { LIMITS, ONE, ZERO } = r;
const GUARD_BITS = 64;  // of phases and powers beyond the precision
const PI_BELOW = { n: 314159265358979n, d: 10n ** 14n };

// ---- reading ----

function readPositive(text) {
  const value = r.rational(text);
  if (value.n <= 0n) r.malformed("a number of a plan is not positive");
  if (Math.max(r.bitLength(value.n), r.bitLength(value.d)) > LIMITS.polynomialBits) r.overLimit("bits of a plan's number");
  return value;
}

function readStages(value) {
  const stages = r.list(value, "stages").map(r.integer);
  if (stages.length > LIMITS.stages) r.overLimit("stages of a plan");
  if (stages.some((t, j) => t <= (j === 0 ? 0n : stages[j - 1]))) r.malformed("stages that do not rise from 1");
  return stages;
}

function readPlan(value) {
  const hasOwn = r.isObject(value) && value.has("own_stages");
  const plan = r.fields(value, ["tilt", "smoothing", "step", "nodes", hasOwn ? "own_stages" : "stages"], "a plan");
  const [tilt, smoothing, step] = [plan.tilt, plan.smoothing, plan.step].map(readPositive);
  const stages = readStages(hasOwn ? plan.own_stages : plan.stages);
  if (hasOwn && stages.length === 0) r.malformed("no stages of a slot of one's own");
  return { tilt, smoothing, step, nodes: r.between(plan.nodes, 1, LIMITS.nodes, "nodes"), stages, hasOwn };
}

/** Of a claim {randomizer, n} or {classes, users}: a function of e^eps and delta that demands the bounds. */
export function readSwap(claim, stated) {
  const [randomizer, value] = withCells(claim.randomizer, stated, OF_SWAPS);
  const swap = r.fields(value, ["bits", "plans", "pairs", ...(claim.classes ? ["used"] : [])], "swap");
  const bits = r.between(swap.bits, 64, LIMITS.latticeBits, "bits");
  if (r.list(swap.plans, "plans").length === 0) r.malformed("no plans");
  if (swap.plans.length > LIMITS.plans) r.overLimit("plans");
  const plans = swap.plans.map(readPlan);
  const places = r.list(swap.pairs, "pairs").map((text) => r.between(text, 0, plans.length - 1, "a plan"));
  const used = claim.classes ? readUsed(claim, swap.used) : null;
  return (ratio, delta) => {
    const parts = used ? used.map((one) => pairsOfClass(claim, one))
      : [{ pairs: pairsOf(randomizer), others: claim.n - 1, shares: [claim.n - 1] }];
    demandSwap(parts, plans, places, { bits, ratio: r.reduce(ratio), delta });
  };
}

// ---- fixed point ----

/** a * b / 2^bits, rounded up. */
function times(a, b, bits) { return r.shiftUp(a * b, bits); }

/** x^k for a fixed-point x, by the binary digits of k, each product rounded by `round`; what reaches `floor` stays. */
function power(x, k, bits, round, floor) {
  let result = 1n << bits;
  for (const digit of k.toString(2)) {
    result = round(result * result, bits);
    if (digit === "1") result = round(result * x, bits);
    if (result <= floor) return floor;
  }
  return result;
}

function roundDown(x, bits) { return x >> bits; }

/** e^x from above and from below; a very small one may be called e^-4096 and 0. */
function exponential(x, bits) {
  if (r.compare(x, { n: -LIMITS.exponent, d: 1n }) >= 0) return r.exponential(x, bits);
  return [0n, r.exponential({ n: -LIMITS.exponent, d: 1n }, bits)[1]];
}

/** [cos, sin] of a rational angle below 2^20, in units of 2^-places, within 2^40 of these. */
function phaseOf(angle, places) {
  const size = r.absolute(angle);
  const halvings = 8 + r.bitLength(r.ceil(size));
  const shift = BigInt(places);
  const t = (size.n << shift) / (size.d << BigInt(halvings));
  r.spendDivision(2, r.bitLength(size.n) + places, r.bitLength(size.d) + halvings);
  r.spend(places / 8 + 4 * halvings, places, places);
  r.spendDivision(places / 8, places);
  let [cos, sin, term] = [0n, 0n, 1n << shift];
  for (let k = 0n; term > 0n; k += 1n) {
    if (k & 1n) sin += k & 2n ? -term : term;
    else cos += k & 2n ? -term : term;
    term = (term * t >> shift) / (k + 1n);
  }
  for (let i = 0; i < halvings; i += 1) [cos, sin] = [cos * cos - sin * sin >> shift, 2n * cos * sin >> shift];
  return [cos, angle.n < 0n ? -sin : sin];
}

// ---- plans ----

/** {masses, all, rest}: what the nodes 0..K weigh, their sum, and what is left. */
function weightsOfNodes({ smoothing: s, step: k, nodes }, bits) {
  const places = bits + GUARD_BITS;
  const [wide, guard] = [BigInt(places), BigInt(GUARD_BITS)];
  const rate = r.multiply(r.multiply(s, k), r.multiply(s, k));
  const rates = [{ n: -rate.n, d: 2n * rate.d }, r.negate(rate)];
  const [first, second] = rates.map((x) => exponential(r.reduce(x), places)[1]);
  const long = r.bitLength(k.n) + r.bitLength(k.d);
  r.hold(nodes, bits);
  r.spend(2 * nodes, places, places);
  r.spend(4 * nodes, 2 * long, 32);
  r.spendDivision(nodes, places + 2 * long, 2 * long + 32);
  let [gauss, step] = [1n << wide, first];  // the next one is gauss times step
  const masses = [];
  for (let i = 0; i <= nodes; i += 1) {
    const top = r.shiftUp(gauss, guard) * k.n * k.d * (i > 0 ? 2n : 1n);
    masses.push(r.ceilDivide(top, k.d * k.d + k.n * k.n * BigInt(i) ** 2n));
    if (i === nodes) break;
    gauss = times(gauss, step, wide);
    step = times(step, second, wide);
  }
  const rest = r.ceilDivide(2n * r.shiftUp(gauss, guard) * k.d, k.n * BigInt(nodes));
  return { masses, all: masses.reduce((a, b) => a + b), rest };
}

function preparedPlan(plan, bits) {
  const { tilt, smoothing } = plan;
  const top = exponential(r.reduce({ n: smoothing.n ** 2n, d: 2n * smoothing.d ** 2n }), bits)[1];
  const front = { n: top * tilt.d * PI_BELOW.d, d: 2n * PI_BELOW.n * tilt.n << BigInt(bits) };
  return { ...plan, ...weightsOfNodes(plan, bits), front };
}

/** {last, weights, halves}: p_J, all w_j and r_j / 2, from the first stage on. */
function stagesOf({ stages, hasOwn }, others, gamma, bits) {
  const shift = BigInt(bits);
  if (stages.length === 0) {  // a blanket
    if (others < 1) r.malformed("a plan without stages for a user without others");
    return { last: 0n, weights: [1n << shift], halves: [(BigInt(others) + 1n) / 2n] };
  }
  const halves = stages.map((t) => {
    const left = BigInt(others) + (hasOwn ? 2n : 1n) - t;
    if (left < 2n || left % 2n !== 0n) r.malformed("a stage leaves too few messages, or an odd number");
    return left / 2n;
  });
  const rest = r.subtract(ONE, gamma);
  const scaled = { n: rest.n << shift, d: rest.d };
  const [low, high] = [r.floor(scaled), r.ceil(scaled)];
  r.spend(stages.length * 4 * r.bitLength(stages.at(-1)), bits, bits);
  let last = 1n << shift;
  const unlike = hasOwn ? unlikeOwn(stages, others, gamma, bits) : null;
  const weights = stages.map((t, j) => {
    let [below, above] = [power(low, t, shift, roundDown, 0n), power(high, t, shift, r.shiftUp, 0n)];
    if (unlike) [below, above] = [below * unlike[j][0] >> shift, times(above, unlike[j][1], shift)];
    const weight = last - below;
    last = above;
    return weight;
  });
  return { last, weights, halves };
}

/** For each stage the product of s / (s + gamma) over the others s who have been asked by its end, [from below, from above]. */
function unlikeOwn(stages, others, gamma, bits) {
  const guarded = BigInt(bits + GUARD_BITS);
  const scaled = { n: gamma.n << guarded, d: gamma.d };
  const [low, high] = [r.floor(scaled), r.ceil(scaled)];
  r.spendDivision(2 * Number(stages.at(-1)), 2 * bits + 4 * GUARD_BITS, bits + 2 * GUARD_BITS);
  let [s, below, above] = [BigInt(others), 1n << guarded, 1n << guarded];
  return stages.map((t) => {
    for (; s > BigInt(others) - t; s -= 1n) {
      const whole = s << guarded;
      below = below * whole / (whole + high);
      above = r.ceilDivide(above * whole, whole + low);
    }
    return [below >> BigInt(GUARD_BITS), r.shiftUp(above, BigInt(GUARD_BITS))];
  });
}

// ---- rows ----

function spelled({ n, d }) { return n.toString(36) + "/" + d.toString(36); }

/** The charge of a vertex's classes, and its other values with their masses. */
function profileOf(list, ratio, isSwapped) {
  const nonzero = valuesOf(list, ratio).filter(({ value }) => value.n !== 0n);
  let values = nonzero.map(({ value, classes }) => ({ value, weight: weightOf(classes, "R") }));
  const rest = list.denominator - values.reduce((sum, { weight }) => sum + weight, 0n);
  const charge = r.reduce(chargeOf(list, ratio));
  const mean = isSwapped ? ZERO : values.reduce(
    (sum, { value, weight }) => r.reduce(r.add(sum, { n: value.n * weight, d: value.d * list.denominator })), ZERO,
  );
  const isReflected = mean.n > 0n;  // the mean of max(0, S) is that of S and of max(0, -S)
  if (isReflected) values = values.map(({ value, weight }) => ({ value: r.negate(value), weight }));
  if (rest > 0n) values.push({ value: ZERO, weight: rest });
  return { charge: isReflected ? r.reduce(r.add(charge, mean)) : charge, values, denominator: list.denominator };
}

function keyOf({ charge, values, denominator }) {
  const mass = (weight) => spelled(r.reduce({ n: weight, d: denominator }));
  const masses = values.map(({ value, weight }) => spelled(value) + ":" + mass(weight));
  return [spelled(charge), ...masses.sort()].join(" ");
}

function rowOf({ charge, values, denominator }, plan, bits, number) {
  let [M, below] = [0n, 0n];
  const atoms = values.map(({ value, weight }) => {
    const [low, high] = exponential(r.reduce(r.multiply(plan.tilt, value)), bits);
    r.spendDivision(2, r.bitLength(weight) + r.bitLength(high), r.bitLength(denominator));
    const tilted = r.ceilDivide(weight * high, denominator);
    M += tilted;
    below += weight * low / denominator;
    return { value, weight: tilted };
  });
  let found = null;
  const squares = () => (found ??= squaresOf({ atoms, M, excess: M - below }, plan, bits));
  return { number, charge, M, squares };
}

/** The squares of A at all nodes; the atoms are {value, weight}, the weights being tilted. */
function squaresOf({ atoms, M, excess }, { tilt, step, nodes }, bits) {
  const places = bits + GUARD_BITS;
  const shift = BigInt(places);
  const unit = r.multiply(tilt, step);
  const moving = atoms.map(({ value, weight }) => {
    const angle = r.reduce(r.multiply(unit, value));
    if (r.compare(r.absolute(angle), r.whole(LIMITS.phase)) >= 0) r.overLimit("a phase");
    const [cos, sin] = phaseOf(angle, places);
    return { weight, cos, sin, re: 1n << shift, im: 0n };
  });
  r.hold(nodes, 2 * bits);
  r.spend(6 * nodes * moving.length, places, places);
  const most = M * M;
  const missing = excess + 2n + r.shiftUp(M, BigInt(bits));  // with the errors of all phases
  const charged = missing * (2n * M + 4n + missing);
  const squares = [];
  for (let i = 0; i <= nodes; i += 1) {
    let [x, y] = [0n, 0n];
    for (const atom of moving) {
      const { weight, cos, sin, re, im } = atom;
      x += weight * re;
      y += weight * im;
      atom.re = re * cos - im * sin >> shift;
      atom.im = re * sin + im * cos >> shift;
    }
    x >>= shift;
    y >>= shift;
    const square = x * x + y * y + charged;
    squares.push(square < most ? square : most);
  }
  return squares;
}

// ---- vertices ----

/** The sum of omega times the squares of some rows. */
function meanOf(squares, shares, all) {
  return squares.length === 1 ? { n: squares[0], d: 1n }
    : { n: squares.reduce((sum, square, i) => sum + square * shares[i], 0n), d: all };
}

/** For each stage the sum over all nodes of their weights times F^(r/2), and what is left. */
function sumsOfNodes(rows, shares, all, S, plan, stages, bits) {
  const shift = BigInt(bits);
  const one = 1n << shift;
  const { halves } = stages;
  const { masses, rest } = plan;
  const lists = rows.map((row) => row.squares());
  const sums = halves.map(() => rest);
  const steps = halves.map((half, j) => (j + 1 < halves.length ? half - halves[j + 1] : half));
  const last = halves.length - 1;
  r.spendDivision(masses.length, 3 * bits, bits);
  const digits = steps.reduce((sum, step) => sum + step.toString(2).length, 0);
  masses.forEach((mass, i) => {
    const { n, d } = meanOf(lists.map((list) => list[i]), shares, all);
    const F = r.ceilDivide(n, d * S);
    if (F >= one) { halves.forEach((_, j) => { sums[j] += mass; }); return; }
    let value = one;
    for (let j = last; j >= 0; j -= 1) {
      if (value > 1n) value = times(value, power(F, steps[j], shift, r.shiftUp, 1n), shift);
      sums[j] += times(mass, value, shift);
    }
    r.spend(2 * digits, bits, bits);
  });
  return sums;
}

/** X of each stage in units of 2^-2B, from all nodes at their largest and from what they are: {quick, exact()}. */
function sumsOfVertex(rows, shares, plan, { halves }, bits) {
  const all = shares.reduce((a, b) => a + b, 0n);
  const shift = BigInt(bits);
  const mean = meanOf(rows.map(({ M }) => M * M), shares, all);
  const S = r.ceilDivide(mean.n, mean.d << shift);
  const logarithm = r.logarithm({ n: S, d: 1n << shift }, bits + GUARD_BITS)[1];
  const most = LIMITS.exponent << BigInt(bits + GUARD_BITS);
  r.demand(halves[0] * logarithm <= most, "a power of a moment is above e^4096");
  const powers = halves.map((half) => exponential({ n: half * logarithm, d: 1n << BigInt(bits + GUARD_BITS) }, bits)[1]);
  const charged = chargeOfVertex(rows, shares);
  const charge = r.ceil({ n: charged.n << 2n * shift, d: charged.d });
  const { n, d } = plan.front;
  const ends = (sums) => {
    r.spendDivision(3 * halves.length, 3 * bits + r.bitLength(n), bits + r.bitLength(d));
    return halves.map((half, j) => charge + r.ceilDivide(n * powers[j] * sums[j], 2n * half * d));
  };
  let exact = null;
  return {
    quick: ends(halves.map(() => plan.rest + plan.all)),
    exact: () => (exact ??= ends(sumsOfNodes(rows, shares, all, S, plan, { halves }, bits))),
  };
}

/** The largest of each place of some lists. */
function largest(lists) {
  return lists.reduce((found, list) => found.map((x, j) => (x > list[j] ? x : list[j])));
}

/** All lists of one entry of each list. */
function* combinations(lists, chosen = []) {
  const [first, ...others] = lists;
  if (!first) { yield chosen; return; }
  for (const entry of first) yield* combinations(others, [...chosen, entry]);
}

// ---- the check ----

function demandSwap(parts, plans, places, { bits, ratio, delta }) {
  const prepared = plans.map(() => null);
  const [rows, vertices] = [new Map(), new Map()];  // under a plan
  let next = 0;
  for (const { pairs, others, shares: users, isOfOneRow = true } of parts) {
    const shares = users.map(BigInt);
    for (const pair of pairs) {
      r.demand(next < places.length, "a pair of inputs has no plan");
      const place = places[next];
      next += 1;
      const plan = prepared[place] ??= preparedPlan(plans[place], bits);
      demandPair(pair, { isOfOneRow, plan, place, others, shares, bits, ratio, delta, rows, vertices });
    }
  }
  r.demand(next === places.length, "a plan that belongs to no pair of inputs");
}

function demandPair({ blanket, parties: users, isAny, hasNoSlot }, parameters) {
  const { isOfOneRow, plan, place, others, shares: numbers, bits, ratio, delta, rows, vertices } = parameters;
  const list = blanket();
  const isSwapped = plan.stages.length > 0;
  if (!isSwapped && isAny) r.malformed("a blanket of any randomizer");
  const [parties, shares] = isSwapped ? [users, numbers] : [[() => [() => list]], [1n]];
  const gamma = r.reduce({ n: weightOf(list.classes, "R"), d: list.denominator });
  const missed = chargeOf({ ...list, classes: list.classes.map((class_) => ({ ...class_, R: 0n })) }, ratio);
  if (plan.hasOwn && (gamma.n === 0n || parties.length > 1 || !isOfOneRow || hasNoSlot)) r.malformed("a slot of one's own without a blanket, or beside other classes");
  const stages = stagesOf(plan, others, gamma, bits);
  const unit = 1n << BigInt(bits);
  const base = r.reduce(r.multiply(missed, { n: stages.last, d: unit }));
  const rowAt = (found) => {
    const profile = profileOf(found(), ratio, isSwapped);
    const key = place + " " + keyOf(profile);
    if (!rows.has(key)) rows.set(key, rowOf(profile, plan, bits, rows.size));
    return rows.get(key);
  };
  const rowsOf = function* rowsOf(party) { for (const found of party()) yield rowAt(found); };
  const lists = parties.length === 1 ? [rowsOf(parties[0])] : parties.map((party) => [...rowsOf(party)]);
  const vertexOf = (chosen, users = shares) => {
    const key = [place, others, ...users, spelled(gamma), ...chosen.map(({ number }) => number)].join();
    if (!vertices.has(key)) vertices.set(key, sumsOfVertex(chosen, users, plan, stages, bits));
    return vertices.get(key);
  };
  const ownBlanket = () => ({  // P and Q against c / gamma
    denominator: list.denominator * gamma.n,
    classes: list.classes.map(({ P, Q, R, count }) => ({ P: P * gamma.n, Q: Q * gamma.n, R: R * gamma.d, count })),
  });
  const own = !plan.hasOwn ? [] : (isAny ? [...rowsOf(parties[0])] : [rowAt(ownBlanket)]).map((row) => vertexOf([row], [1n]));
  const slots = [() => largest(own.map(({ quick }) => quick)), () => largest(own.map(({ exact }) => exact()))].map(remembered);
  const total = (bounds, slot) => {
    const reached = own.length === 0 ? bounds : bounds.map((x, j) => {
      const more = slot()[j] - x;
      return more > 0n ? x + r.ceilDivide(more, 2n * stages.halves[j]) : x;
    });
    const sum = reached.reduce((before, x, j) => before + x * stages.weights[j], 0n);
    return r.compare(r.add(base, { n: sum, d: unit ** 3n }), delta) <= 0;
  };
  for (const chosen of combinations(lists)) {
    const { quick, exact } = vertexOf(chosen);
    r.demand(total(quick, slots[0]) || total(exact(), slots[1]), "a bound is above delta");
  }
}

function remembered(find) {
  let found = null;
  return () => (found ??= find());
}

function chargeOfVertex(rows, shares) {
  if (rows.length === 1) return rows[0].charge;
  const all = shares.reduce((a, b) => a + b, 0n);
  const sum = rows.reduce((total, { charge }, i) => r.add(total, { n: charge.n * shares[i], d: charge.d }), ZERO);
  return { n: sum.n, d: sum.d * all };
}
