// Part of second_checker.mjs: the kind `monotone`, that a larger parameter never raises, or never lowers, a divergence.

import * as r from "./reading.mjs";
import * as q from "./polynomials.mjs";
import * as f from "./functions.mjs";
import { atPoint, readEmptyLeaf, readRandomizerOfFunctions } from "./for_all.mjs";
import { KINDS as PROTOCOL_KINDS } from "./protocols.mjs";

const { LIMITS, ZERO, ONE } = r;

function readMonotone(value, schema) {
  const keys = ["kind", "parameters", "box", "parameter", "delta", "randomizer"];
  const claim = r.fields(value, keys, "monotone");
  const { parameters, box } = f.readParameters(claim, LIMITS.boxVariables - 1);
  const parameter = r.between(claim.parameter, 0, parameters - 1, "parameter");
  const falls = r.choice(claim.delta, ["falls", "rises"], "delta") === "falls";
  const randomizer = readRandomizerOfFunctions(claim.randomizer, parameters);
  return { schema, parameters, box, parameter, falls, written: claim.randomizer, randomizer };
}

// ---- by a channel ----

function proveMonotone(claim, value) {
  const { parameters, box, parameter, randomizer } = claim;
  const variables = parameters + 1;
  const witness = r.fields(value, ["channel", "cells"], "witness");
  const { messages } = randomizer;
  const channel = r.list(witness.channel, "channel", messages).map((row) => (
    r.list(row, "a row of the channel", messages).map((entry) => f.readFunction(entry, variables))));
  const tree = q.readTree(witness.cells, variables, readEmptyLeaf);
  const side = { low: ZERO, high: ONE, lowClosed: true, highClosed: box[parameter].highClosed };
  return () => {
    r.demand(channel.every((row) => f.addUpToOne(row, variables)), "a row of the channel does not add up to 1");
    const functions = [...randomizer.functions.map(lifted), ...channel.flat()];
    q.visitLeaves([...box, side], tree, (cell) => f.demandNotNegative(functions, cell));
    demandChannel(claim, channel, variables);
  };
}

/** A function of the parameters as one of the parameters and s. */
function lifted({ top, bottom }) {
  const longer = ({ d, terms }) => ({ d, terms: new Map([...terms].map(([key, c]) => [key + ",0", c])) });
  return { top: longer(top), bottom: longer(bottom) };
}

/** The polynomial at x + s (h - x) in place of x = x_i; s is the last variable. */
function atLarger(polynomial, i, h, variables) {
  const unit = (...places) => Array.from({ length: variables }, (_, k) => (places.includes(k) ? 1 : 0)).join();
  const s = variables - 1;
  const larger = q.plus(
    { d: 1n, terms: new Map([[unit(i), 1n], [unit(i, s), -1n]]) },
    q.scale({ d: 1n, terms: new Map([[unit(s), 1n]]) }, h),
  );
  const powers = [q.constant(ONE, variables)];
  while (powers.length <= q.degrees(polynomial, variables)[i]) powers.push(q.times(powers.at(-1), larger));
  const parts = new Map();  // by their power of x: what x^e is multiplied by
  for (const [key, c] of polynomial.terms) {
    const exponents = q.exponentsOf(key);
    const e = exponents[i];
    if (!parts.has(e)) parts.set(e, { d: polynomial.d, terms: new Map() });
    parts.get(e).terms.set(exponents.map((other, k) => (k === i ? 0 : other)).join(), c);
  }
  return f.sumOf([...parts].map(([e, part]) => q.times(part, powers[e])));
}

/** Each input's law of counts at one end, through the channel, is that at the other end. */
function demandChannel({ box, parameter, falls, randomizer }, channel, variables) {
  const small = f.overOneBottom(randomizer.functions.map(lifted), variables);
  const change = (polynomial) => atLarger(polynomial, parameter, box[parameter].high, variables);
  const large = { bottom: change(small.bottom), tops: small.tops.map(change) };
  const [from, to] = falls ? [small, large] : [large, small];
  const flat = f.overOneBottom(channel.flat(), variables);
  const size = channel.length;
  const steps = channel.map((_, m) => flat.tops.slice(m * size, (m + 1) * size));
  let next = 0;
  for (const row of randomizer.rows) {
    const longest = row.reduce((most, { tuple }) => Math.max(most, tuple.length), 0);
    const [through, expected] = [new Map(), new Map()];
    for (const { tuple, counts } of row) {
      for (const [key, part] of exchanged(tuple, from.tops[next], steps)) {
        add(through, key, times(part, flat.bottom, longest - tuple.length));
      }
      add(expected, counts.join(), to.tops[next]);
      next += 1;
    }
    for (const key of new Set([...through.keys(), ...expected.keys()])) {
      const [left, right] = [through, expected].map((law) => law.get(key) ?? q.NOTHING);
      const isSame = f.isSame(q.times(left, to.bottom), times(q.times(right, from.bottom), flat.bottom, longest));
      r.demand(isSame, "the channel does not make one law of the other");
    }
  }
}

function add(law, key, polynomial) { law.set(key, q.plus(law.get(key) ?? q.NOTHING, polynomial)); }

function times(polynomial, factor, power) {
  let product = polynomial;
  for (let k = 0; k < power; k += 1) product = q.times(product, factor);
  return product;
}

/** The counts, joined, that a tuple becomes when each message is exchanged, with their tops. */
function exchanged(tuple, top, steps) {
  let law = new Map([[Array(steps.length).fill(0).join(), top]]);
  for (const m of tuple) {
    const moved = new Map();
    for (const [key, weight] of law) {
      steps[m].forEach((factor, to) => {
        if (factor.terms.size === 0) return;
        const counts = key.split(",").map((c, k) => (k === to ? Number(c) + 1 : c)).join();
        r.hold(moved.size, 64 * steps.length);
        add(moved, counts, q.times(weight, factor));
      });
    }
    law = moved;
  }
  return law;
}

// ---- by two points ----

function refuteMonotone(claim, value) {
  const { schema, box, parameters, parameter, falls, written } = claim;
  const keys = ["low", "high", "neighbors", "n", "exp_eps", "delta", "proof", "refutation"];
  const witness = r.fields(value, keys, "witness");
  const points = [witness.low, witness.high].map((point) => q.readPoint(point, parameters));
  r.demand(points.every((point) => f.isInBox(point, box)), "a point is outside the box");  // at once, as in for_all
  const { prove, refute, read } = PROTOCOL_KINDS.shuffle_dp;
  const plain = points.map((point) => read(new Map([
    ["kind", "shuffle_dp"], ...atPoint(new Map([["randomizer", written]]), point, parameters),
    ...["n", "neighbors", "exp_eps", "delta"].map((name) => [name, witness[name]]), ["scope", "this n"], ["least", "none"],
  ]), schema));
  const [private_, other] = falls ? plain : [...plain].reverse();
  const checks = [prove(private_, witness.proof), refute(other, witness.refutation)];
  return () => {
    const [low, high] = points;
    const agree = low.every((x, i) => i === parameter || r.compare(x, high[i]) === 0);
    r.demand(agree && r.compare(low[parameter], high[parameter]) < 0, "the points differ otherwise");
    checks.forEach((check) => check());
  };
}

export const KINDS = {
  monotone: { read: readMonotone, prove: proveMonotone, refute: refuteMonotone, since: 3 },
};
