// Part of second_checker.mjs: the kind `for_all`, claims for whole boxes of parameters.

import * as r from "./reading.mjs";
import * as q from "./polynomials.mjs";
import * as f from "./functions.mjs";
import { readHistogram, readTables, readTuples, readUsers, total } from "./randomizers.mjs";
import {
  convolve, KINDS as PROTOCOL_KINDS, makeViews, NEIGHBORS, powerOf, visitNeighbours, weightedRows,
} from "./protocols.mjs";
import { KINDS as NOISE_KINDS } from "./noise.mjs";

const { LIMITS, ONE } = r;

// ---- randomizers and laws of functions ----

/** {messages, rows, functions}: rows are lists of {counts, tuple, probability}. */
export function readRandomizerOfFunctions(value, variables) {
  const { messages, tables } = readTables(value, (row, kinds) => {
    const tuples = readTuples(row, kinds).map((entry) => ({ ...entry, probability: f.readProbability(entry.prob, variables) }));
    demandRow(tuples.map(({ probability }) => probability), variables);
    return tuples;
  });
  return { messages, rows: tables, functions: tables.flat().map(({ probability }) => probability) };
}

function demandRow(functions, variables) {
  if (!f.addUpToOne(functions, variables)) r.malformed("probabilities do not add up to 1 identically");
}

const LAWS = {
  finite(value, variables) {
    const entries = r.list(r.fields(value, ["family", "weights"], "a law").weights, "a table").map((entry) => {
      const [k, probability] = r.list(entry, "an entry of a table", 2);
      return { k: r.integer(k), probability: f.readProbability(probability, variables) };
    });
    entries.forEach(({ k }, i) => { if (i > 0 && entries[i - 1].k >= k) r.malformed("a table does not ascend"); });
    const functions = entries.map(({ probability }) => probability);
    demandRow(functions, variables);
    const weigh = (tops) => new Map(entries.map(({ k }, i) => [k, tops[i]]));
    return { functions, users: 1, weigh };
  },
  view(value, variables) {
    const law = r.fields(value, ["family", "randomizer", "dataset", "weights"], "a law");
    const randomizer = readRandomizerOfFunctions(law.randomizer, variables);
    const dataset = readHistogram(law.dataset, randomizer.rows.length, "dataset");
    const integers = r.list(law.weights, "weights", randomizer.messages).map(r.integer);
    const weigh = (tops, bits) => {
      const rows = weightedRows(weighted(randomizer, tops), integers);
      let sum = new Map([[0n, 1n]]);
      dataset.forEach((count, i) => { for (let k = 0; k < count; k += 1) sum = convolve(sum, rows[i], bits); });
      return sum;
    };
    return { functions: randomizer.functions, users: total(dataset), weigh };
  },
  binomial(value, variables) {
    const law = r.fields(value, ["family", "n", "p"], "a law");
    const users = r.between(law.n, 0, LIMITS.exactTrials, "trials");
    const p = f.readFunction(law.p, variables);
    return { functions: [p, f.complementOf(p)], users, weigh: (tops, bits) => binomialWeights(users, tops, bits) };
  },
};

const SHORT_PRODUCTS = 1.58;  // the power of the length that a product takes at least, before Fourier transforms

/** C(n, t) p^t (1 - p)^(n - t). */
function binomialWeights(n, [success, failure], bits) {
  if (n * r.limbs(bits) ** SHORT_PRODUCTS > 4 * LIMITS.work) r.overLimit("work of a binomial law");
  r.hold(3 * n, bits);
  r.spend(4 * n, bits, bits);
  const [powers, others] = [q.powersOf(success, n), q.powersOf(failure, n)];
  const weights = new Map();
  let choices = 1n;
  for (let t = 0; t <= n; t += 1) {
    weights.set(BigInt(t), choices * powers[t] * others[n - t]);
    choices = choices * BigInt(n - t) / BigInt(t + 1);
  }
  return weights;
}

function readLawOfFunctions(value, variables) {
  const family = r.isObject(value) ? value.get("family") : null;
  if (typeof family !== "string" || !Object.hasOwn(LAWS, family)) r.malformed("a law that has no functions");
  return withGroup(LAWS[family](value, variables), variables);
}

/** With group(): the tops of the functions and their common bottom, which comes last. */
function withGroup(law, variables) {
  let made = null;
  const make = () => {
    const { bottom, tops } = f.overOneBottom(law.functions, variables);
    return f.makeGroup([...tops, bottom], variables);
  };
  return { ...law, group: () => { made ??= make(); return made; } };
}

/** A randomizer for a sweep, with weights that are tops: rows of {counts, weight}, each counts once. */
function weighted({ messages, rows }, tops) {
  let next = 0;
  const table = rows.map((row) => {
    const sums = new Map();
    for (const { counts } of row) {
      const key = counts.join();
      sums.set(key, { counts, weight: (sums.get(key)?.weight ?? 0n) + tops[next] });
      next += 1;
    }
    return [...sums.values()];
  });
  return { messages, rows: table };
}

// ---- inner claims: {functions, level, delta, check(cell), and what refutes at a point} ----

function readLevels(claim, variables) {
  const [level, delta] = [claim.exp_eps, claim.delta].map((value) => f.readFunction(value, variables));
  const groups = [level, delta].map(({ top, bottom }) => f.makeGroup([top, bottom], variables));
  return { level, delta, groups };
}

function readInnerShuffle(value, variables) {
  const keys = ["kind", "randomizer", "n", "scope", "neighbors", "exp_eps", "delta", "least"];
  const claim = r.fields(value, keys, "shuffle_dp");
  r.choice(claim.scope, ["this n", "all n from n"], "scope");
  const neighbors = r.choice(claim.neighbors, NEIGHBORS, "neighbors");
  r.choice(claim.least, ["none"], "least");
  const randomizer = readRandomizerOfFunctions(claim.randomizer, variables);
  const users = readUsers(claim.n);
  const law = withGroup({ users, functions: randomizer.functions }, variables);
  const levels = readLevels(claim, variables);
  const check = (cell) => {
    const at = packedOn(cell, law, levels.groups);
    const views = makeViews({ ...weighted(randomizer, at.tops), denominator: at.bottom }, users, at.layout.bits);
    at.demandBelow([]);  // for delta is >= 0, if there is no pair
    visitNeighbours(views, neighbors, (P, Q) => at.demandBelow([...P].map(([key, p]) => [p, Q.get(key) ?? 0n])));
  };
  return { ...levels, functions: law.functions, check };
}

function readInnerShift(value, variables) {
  const claim = r.fields(value, ["kind", "law", "shift", "exp_eps", "delta", "least"], "shift_dp");
  r.choice(claim.least, ["none"], "least");
  const law = readLawOfFunctions(claim.law, variables);
  const levels = readLevels(claim, variables);
  const shift = r.between(claim.shift, 1, LIMITS.shift, "shift");
  const check = (cell) => {
    const at = packedOn(cell, law, levels.groups);
    const weights = law.weigh(at.tops, at.layout.bits);
    for (let j = 1; j <= shift; j += 1) {
      for (const step of [BigInt(-j), BigInt(j)]) {
        at.demandBelow([...weights].map(([k, p]) => [p, weights.get(k + step) ?? 0n]));
      }
    }
  };
  return { ...levels, functions: law.functions, check };
}

/** A law, E = a/b to powers up to `most`, and delta = c/d on a cell, packed. */
function packedOn(cell, law, [level, delta], most = 1) {
  const group = law.group();
  const degrees = (j) => f.addDegrees([[group.degrees, law.users], [level.degrees, j], [delta.degrees, 1]]);
  f.guardSize(degrees(most));
  const [tops, levels, deltas] = [group, level, delta].map((part) => f.coefficientsOn(part, cell));
  const [largestLevel, largestDelta] = [levels, deltas].map((pair) => pair.map(f.sumOfSizes).reduce((x, y) => x + y));
  const largest = powerOf(f.sumOfSizes(tops.at(-1)), law.users) * powerOf(largestLevel, most) * largestDelta;
  const layout = f.makeLayout(degrees(most), largest);
  const packed = (group, values) => values.map((list) => layout.pack(list, group.degrees));
  const [a, b] = packed(level, levels);
  const [c, d] = packed(delta, deltas);
  const all = packed(group, tops);
  const bottom = all.pop();
  r.spend(20, layout.bits, layout.bits);
  const whole = powerOf(bottom, law.users);
  const goal = layout.values(c * b * whole);
  const [up, down] = [d * b, d * a];
  const demandBelow = (pairs) => {
    r.spend(2 * pairs.length, layout.bits, layout.bits);
    const sums = Array(layout.size).fill(0n);
    for (const [p, other] of pairs) {
      layout.values(up * p - down * other).forEach((gain, k) => { if (gain > 0n) sums[k] += gain; });
    }
    r.demand(sums.every((sum, k) => sum <= goal[k]), "a divergence is not shown to be at most delta on a cell");
  };
  return { layout, degrees, tops: all, bottom, whole, a, b, c, d, demandBelow };
}

function readInnerSmooth(value, variables) {
  const claim = r.fields(value, ["kind", "law", "k", "exp_eps", "delta"], "smooth");
  const law = readLawOfFunctions(claim.law, variables);
  const levels = readLevels(claim, variables);
  const k = r.between(claim.k, 1, LIMITS.shift, "k");
  const check = (cell) => {
    const at = packedOn(cell, law, levels.groups, k);
    const { layout, whole, a, b, c, d } = at;
    const weights = law.weigh(at.tops, layout.bits);
    let [up, down] = [1n, 1n];  // a^j, b^j
    for (let j = 1; j <= k; j += 1) {
      r.spend(8 + 8 * weights.size, layout.bits, layout.bits);
      [up, down] = [up * a, down * b];
      for (const step of [BigInt(-j), BigInt(j)]) {
        const isLeftOut = (o, w) => (
          isPositive(layout.values(d * (up * (weights.get(o + step) ?? 0n) - down * w)), layout, at.degrees(j), cell));
        let sum = 0n;
        for (const [o, w] of weights) if (!isLeftOut(o, w)) sum += w;
        demandNone(layout.values(down * (c * whole - d * sum)), "too much mass may have a large ratio on a cell");
      }
    }
  };
  return { ...levels, functions: law.functions, check };
}

function isPositive(values, { strides }, degrees, cell) {
  return values.every((c) => c >= 0n) && q.hasPositiveFaces(values, degrees, strides, f.closedEnds(cell));
}

function demandNone(values, reason) { r.demand(values.every((c) => c >= 0n), reason); }

function readInnerTail(value, variables) {
  const claim = r.fields(value, ["kind", "law", "from", "to", "bound", "probability"], "tail");
  const law = readLawOfFunctions(claim.law, variables);
  const from = claim.from === "-infinity" ? null : r.integer(claim.from);
  const to = claim.to === "infinity" ? null : r.integer(claim.to);
  const bound = r.choice(claim.bound, ["at most", "at least"], "bound");
  const probability = f.readFunction(claim.probability, variables);
  const one = q.constant(ONE, variables);
  const groups = [[one, one], [probability.top, probability.bottom]].map((pair) => f.makeGroup(pair, variables));
  const isIn = (k) => (from === null || from <= k) && (to === null || k <= to);
  const check = (cell) => {
    const at = packedOn(cell, law, groups);
    let sum = 0n;
    for (const [k, w] of law.weigh(at.tops, at.layout.bits)) if (isIn(k)) sum += w;
    const excess = at.c * at.whole - at.d * sum;
    demandNone(at.layout.values(bound === "at most" ? excess : -excess), "a probability is not shown on a cell");
  };
  return { probability, bound, functions: law.functions, check };
}

function readInnerEqual(value, variables) {
  const claim = r.fields(value, ["kind", "first", "second"], "equal_laws");
  const laws = [claim.first, claim.second].map((law) => readLawOfFunctions(law, variables));
  return { functions: laws.flatMap(({ functions }) => functions), check: (cell) => demandSameLaws(laws, cell) };
}

/** As polynomials on a cell; on another one they are the same again. */
function demandSameLaws(laws, cell) {
  const groups = laws.map(({ group }) => group());
  const degrees = f.addDegrees(groups.map((group, i) => [group.degrees, laws[i].users]));
  f.guardSize(degrees);
  const coefficients = groups.map((group) => f.coefficientsOn(group, cell));
  const sizes = coefficients.map((tops, i) => powerOf(f.sumOfSizes(tops.at(-1)), laws[i].users));
  const layout = f.makeLayout(degrees, sizes[0] * sizes[1]);
  const [first, second] = laws.map(({ users, weigh }, i) => {
    const tops = coefficients[i].map((list) => layout.pack(list, groups[i].degrees));
    const whole = powerOf(tops.pop(), users);
    return { weights: weigh(tops, layout.bits), whole };
  });
  const outcomes = new Set([...first.weights.keys(), ...second.weights.keys()]);
  r.spend(2 * outcomes.size, layout.bits, layout.bits);
  for (const o of outcomes) {
    const [left, right] = [first, second].map(({ weights }) => weights.get(o) ?? 0n);
    r.demand(left * second.whole === right * first.whole, "the weights differ");
  }
}

const INNER = {
  shuffle_dp: { read: readInnerShuffle, plain: PROTOCOL_KINDS.shuffle_dp },
  shift_dp: { read: readInnerShift, plain: NOISE_KINDS.shift_dp },
  smooth: { read: readInnerSmooth, plain: NOISE_KINDS.smooth },
  tail: { read: readInnerTail, plain: NOISE_KINDS.tail },
  equal_laws: { read: readInnerEqual, plain: NOISE_KINDS.equal_laws },
};

// ---- for_all ----

function readForAll(value, schema) {
  const claim = r.fields(value, ["kind", "parameters", "box", "claim"], "for_all");
  const { parameters, box } = f.readParameters(claim, LIMITS.boxVariables);
  if (!r.isObject(claim.claim)) r.malformed("a claim is not an object");
  const kind = r.choice(claim.claim.get("kind"), Object.keys(INNER), "the inner claim's kind");
  return { schema, parameters, box, kind, written: claim.claim, inner: INNER[kind].read(claim.claim, parameters) };
}

/** The leaf of a for_all or a monotone. */
export function readEmptyLeaf(value) { return r.fields(value, [], "a leaf"); }

function proveForAll({ parameters, box, inner }, value) {
  const tree = q.readTree(value, parameters, readEmptyLeaf);
  return () => q.visitLeaves(box, tree, (cell) => {
    f.demandNotNegative(inner.functions, cell);
    for (const other of [inner.level, inner.delta, inner.probability]) {
      if (other) f.demandSignOnCell(other.bottom, cell, true);
    }
    if (inner.level) f.demandSignOnCell(f.topAboveOne(inner.level), cell, false);
    inner.check(cell);
  });
}

function refuteForAll(claim, value) {
  const alone = r.isObject(value) && !value.has("witness");
  const witness = r.fields(value, alone ? ["point"] : ["point", "witness"], "witness");
  const point = q.readPoint(witness.point, claim.parameters);
  r.demand(f.isInBox(point, claim.box), "the point is outside the box");  // at once, as the claim may mean nothing there
  return alone ? () => demandBadPoint(claim.inner, point) : refuteAt(claim, point, witness.witness);
}

function demandBadPoint({ functions, level, delta, probability, bound }, point) {
  const all = [...functions, level, delta, probability].filter(Boolean);
  const notNegative = functions.map(({ top }) => top);
  if (level) notNegative.push(f.topAboveOne(level));
  if (delta) notNegative.push(delta.top);
  if (probability) notNegative.push(bound === "at most" ? probability.top : f.complementOf(probability).top);
  const bad = f.different(all.map(({ bottom }) => bottom)).some((bottom) => f.signAt(bottom, point) <= 0)
    || notNegative.some((top) => f.signAt(top, point) < 0);
  r.demand(bad, "nothing is out of its range at the point");
}

/** The plain claim at a point. */
function refuteAt({ schema, parameters, kind, written }, point, witness) {
  const { plain } = INNER[kind];
  return plain.refute(plain.read(atPoint(written, point, parameters), schema), witness);
}

const FUNCTIONS = ["exp_eps", "delta", "probability", "p"];  // keys of functions, of a claim or a law

/** What is written, with the values of the functions at a point. */
export function atPoint(written, point, parameters) {
  const value = (text) => {
    const found = f.valueAt(f.readFunction(text, parameters), point);
    if (found === null) r.malformed("a bottom is 0 at the point");
    return found;
  };
  const spelled = (text) => f.spelledRational(value(text));
  const change = {
    randomizer: (table) => new Map([...table].map(([key, part]) => [key, key === "rows" ? part.map(rowAt) : part])),
    law: (law) => lawAt(law), first: (law) => lawAt(law), second: (law) => lawAt(law),
    ...Object.fromEntries(FUNCTIONS.map((name) => [name, spelled])),
  };
  const rowAt = (row) => row.filter((entry) => value(entry.get("prob")).n !== 0n).map((entry) => (
    new Map([...entry].map(([key, part]) => [key, key === "prob" ? spelled(part) : part]))));
  const changed = (map) => new Map([...map].map(([key, part]) => [key, change[key] ? change[key](part) : part]));
  const lawAt = (law) => {
    if (law.get("family") !== "finite") return changed(law);
    const weights = law.get("weights").filter(([, prob]) => value(prob).n !== 0n).map(([k, prob]) => [k, spelled(prob)]);
    return new Map([["family", "finite"], ["weights", weights]]);
  };
  return changed(written);
}

export const KINDS = {
  for_all: { read: readForAll, prove: proveForAll, refute: refuteForAll, since: 3 },
};
