// Part of second_checker.mjs: the reading of randomizers and of data sets.

import * as r from "./reading.mjs";

const { LIMITS } = r;

// ---- randomizers ----

/** {messages, denominator, rows}: a row is a list of {counts, weight}, weights adding up to the denominator. */
export function readRandomizer(value) {
  const { messages, tables } = readTables(value, readRow);
  const probabilities = tables.flat().map(({ probability }) => probability);
  const denominator = commonDenominator(probabilities);
  r.hold(probabilities.length, r.bitLength(denominator) + 64 * messages);
  spendScaling(probabilities, denominator);
  return { messages, denominator, rows: tables.map((row) => gather(row, denominator)) };
}

/** The number of messages and what readRow(value, messages) makes of the rows. */
export function readTables(value, rowOf) {
  const { messages, rows } = r.fields(value, ["messages", "rows"], "randomizer");
  const kinds = r.between(messages, 0, LIMITS.messages, "messages");
  if (r.list(rows, "rows").length === 0) r.malformed("no rows");
  if (rows.length > LIMITS.inputs) r.overLimit("inputs");
  const tables = rows.map((row) => rowOf(row, kinds));
  if (tables.reduce((sum, row) => sum + row.length, 0) * kinds > LIMITS.outcomeEntries) r.overLimit("outcomes");
  return { messages: kinds, tables };
}

export function commonDenominator(rationals) {
  let [denominator, bits] = [1n, 1];
  for (const { d } of rationals) {
    if (d === 1n || d === denominator) continue;
    const other = r.bitLength(d);
    r.spendDivision(1, Math.max(bits, other), other);
    if (denominator % d === 0n) continue;
    r.spendGcd(1, bits, other);
    denominator = r.lcm(denominator, d);
    bits = r.bitLength(denominator);
    if (bits > LIMITS.numberBits) r.overLimit("common denominator");
  }
  return denominator;
}

/** Pay for bringing rationals to a common denominator. */
export function spendScaling(rationals, denominator) {
  const bits = r.bitLength(denominator);
  for (const { n, d } of rationals) r.spendDivision(1, bits, Math.max(r.bitLength(d), r.bitLength(n)));
}

export function demandSum(probabilities, what) {
  const denominator = commonDenominator(probabilities);
  spendScaling(probabilities, denominator);
  let [sum, last, factor] = [0n, 1n, denominator];
  for (const { n, d } of probabilities) {
    if (n <= 0n) r.malformed(what + ": a probability is not positive");
    if (d !== last) [last, factor] = [d, denominator / d];
    sum += n * factor;
  }
  if (sum !== denominator) r.malformed(what + ": the probabilities do not sum to 1");
}

/** The tuples of a row with what is written as their probabilities: [{counts, tuple, prob}, ...]. */
export function readTuples(value, messages) {
  const seen = new Set();
  r.hold(r.list(value, "a row").length, 64 * messages);
  return value.map((entry) => {
    const { send, prob } = r.fields(entry, ["send", "prob"], "an outcome");
    if (r.list(send, "send").length > LIMITS.tuple) r.overLimit("length of a tuple");
    const tuple = send.map((m) => r.between(m, 0, messages - 1, "a message"));
    if (seen.has(tuple.join())) r.malformed("a tuple stands twice");
    seen.add(tuple.join());
    const counts = Array(messages).fill(0);
    for (const m of tuple) counts[m] += 1;
    return { counts, tuple, prob };
  });
}

function readRow(value, messages) {
  const row = readTuples(value, messages).map(({ counts, prob }) => ({ counts, probability: r.rational(prob) }));
  demandSum(row.map(({ probability }) => probability), "a row");
  return row;
}

function gather(row, denominator) {
  const sums = new Map();
  for (const { counts, probability: { n, d } } of row) {
    const key = counts.join();
    const weight = (sums.get(key)?.weight ?? 0n) + n * (denominator / d);
    sums.set(key, { counts, weight });
  }
  return [...sums.values()];
}

export function readHistogram(value, length, what) {
  const counts = r.list(value, what, length).map((c) => r.between(c, 0, LIMITS.users, what));
  if (total(counts) > LIMITS.users) r.overLimit("users");
  return counts;
}

export function total(counts) { return counts.reduce((a, b) => a + b, 0); }

export function readUsers(text) { return r.between(text, 1, LIMITS.users, "n"); }
