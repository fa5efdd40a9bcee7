// Part of second_checker.mjs: the kind `two_message_dp`, one of two messages from each user. Other than the first checker
// it lists the law of every k whole, and compares every outcome in both orders.

import * as r from "./reading.mjs";
import { readRandomizer, readUsers } from "./randomizers.mjs";

const { LIMITS, ZERO, ONE } = r;

function readTwoMessages(value) {
  const claim = r.fields(value, ["kind", "randomizer", "n", "scope", r.levelKey(value), "delta"], "two_message_dp");
  const level = r.readLevel(claim);
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  r.choice(claim.scope, ["this n", "all n from n"], "scope");
  const randomizer = readRandomizer(claim.randomizer);
  return demandTwoMessages({ level, delta, randomizer, n: readUsers(claim.n) });
}

/** Of a claim that `two_message_dp` can state. */
export function demandTwoMessages(claim) {
  const { messages, rows } = claim.randomizer;
  const isOne = ({ counts }) => counts[0] + counts[1] === 1;
  if (messages !== 2 || !rows.every((row) => row.every(isOne))) r.malformed("users who do not send one of two messages");
  if (claim.n > LIMITS.users) r.overLimit("n");
  return claim;
}

/** The least and the greatest weight of a message over all inputs, with their denominator, as short as they can be. */
function extremes({ denominator, rows }, message) {
  const weights = rows.map((row) => row.find(({ counts }) => counts[message] === 1)?.weight ?? 0n);
  const [low, high] = [weights.reduce((a, b) => a < b ? a : b), weights.reduce((a, b) => a < b ? b : a)];
  r.spendGcd(2, r.bitLength(denominator));
  const common = r.gcd(r.gcd(low, high), denominator);
  return { low: low / common, high: high / common, whole: denominator / common };
}

function spendOnLists(n, delta, E, { whole }, places) {
  const bits = n * r.bitLength(whole);
  if (bits > LIMITS.lawDenominatorBits) r.overLimit("weights of a view");
  const ratio = r.bitLength(E.n) + r.bitLength(E.d);
  r.hold(3 * (n + 1), bits);
  r.spendDivision(2 * places, bits, r.bitLength(whole) + 32);
  r.spend(8 * places, bits, Math.max(r.bitLength(whole), ratio));
  r.spend(4, bits, bits);
  r.spend(2, bits + ratio, r.bitLength(delta.d) + ratio);
}

/** The weights of 0 to n successes, over (hit + miss)^n. */
function binomial(n, hit, miss) {
  if (miss === 0n) return [...Array(n).fill(0n), hit ** BigInt(n)];
  const weights = [miss ** BigInt(n)];
  for (let t = 0; t < n; t += 1) weights.push(weights[t] * BigInt(n - t) * hit / (BigInt(t + 1) * miss));
  return weights;
}

/** One coin more: `hit` for a success, `miss` for none. */
function withCoin(law, hit, miss) {
  return Array.from({ length: law.length + 1 }, (_, t) => (law[t] ?? 0n) * miss + (law[t - 1] ?? 0n) * hit);
}

/** The law before such a coin came, whose `miss` is positive. */
function withoutCoin(law, hit, miss) {
  const rest = [];
  for (let t = 0; t + 1 < law.length; t += 1) rest.push((law[t] - (t ? hit * rest[t - 1] : 0n)) / miss);
  return rest;
}

function proveTwoMessages(claim, value) {
  const { terms } = r.readMaybeTerms(claim.level, value, []);
  return () => demandEveryDataSet(claim, r.taylorBound(claim.level, terms, false), claim.delta);
}

export function demandEveryDataSet({ randomizer, n }, E, delta) {
  const coins = extremes(randomizer, 1);
  const { low, high, whole } = coins;
  if (low === high) return;
  spendOnLists(n, delta, E, coins, n * (n + 1));
  const most = delta.n * E.d * whole ** BigInt(n);
  let others = binomial(n - 1, low, whole - low);
  for (let k = 0; k < n; k += 1) {
    const [P, Q] = [withCoin(others, high, whole - high), withCoin(others, low, whole - low)];
    let [there, back] = [0n, 0n];
    P.forEach((p, t) => {
      const [first, second] = [E.d * p - E.n * Q[t], E.d * Q[t] - E.n * p];
      if (first > 0n) there += first;
      if (second > 0n) back += second;
    });
    r.demand(there * delta.d <= most && back * delta.d <= most, "a divergence is above delta");
    if (k < n - 1) others = withCoin(withoutCoin(others, low, whole - low), high, whole - high);
  }
}

/** The weight of the sum m of two lists, and of all above it. */
function sumsAt(first, second, m) {
  const above = [0n];
  for (let t = second.length - 1; t >= 0; t -= 1) above.push(above.at(-1) + second[t]);
  above.reverse(); // above[t] is the weight of t and more
  let [at, beyond] = [0n, 0n];
  first.forEach((weight, j) => {
    at += weight * (second[m - j] ?? 0n);
    beyond += weight * (above[Math.max(0, m - j + 1)] ?? 0n);
  });
  return [at, beyond];
}

const EVENT = ["message", "holders", "above"];

function refuteTwoMessages(claim, value) {
  const { witness, terms } = r.readMaybeTerms(claim.level, value, EVENT);
  const demandEvent = readEventOfTwo(claim, new Map(EVENT.map((key) => [key, witness[key]])));
  return () => demandEvent(r.taylorBound(claim.level, terms, true));
}

/** A function of e^eps that demands a divergence above delta. */
export function readEventOfTwo({ delta, randomizer, n }, value) {
  const witness = r.fields(value, EVENT, "an event of two messages");
  const message = r.between(witness.message, 0, 1, "message");
  const k = r.between(witness.holders, 0, n - 1, "holders");
  const m = r.between(witness.above, 0, n - 1, "above");
  return (E) => {
    const coins = extremes(randomizer, message);
    const { low, high, whole } = coins;
    spendOnLists(n, delta, E, coins, 2 * n);
    r.spend(2 * n, n * r.bitLength(whole), n * r.bitLength(whole));
    const laws = [binomial(k, high, whole - high), binomial(n - 1 - k, low, whole - low)];
    const [at, above] = sumsAt(laws[0], laws[1], m);
    const loss = E.d * (high * at + whole * above) - E.n * (low * at + whole * above);
    r.demand(loss * delta.d > delta.n * E.d * whole ** BigInt(n), "the event is not above delta");
  };
}

export const KINDS = {
  two_message_dp: { read: readTwoMessages, prove: proveTwoMessages, refute: refuteTwoMessages, since: 3 },
};
