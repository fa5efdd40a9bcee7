// Part of second_checker.mjs: how far split and mix is from its sum, the kind `split_and_mix`.

import * as r from "./reading.mjs";
import { convolve } from "./protocols.mjs";
import { readHistogram } from "./randomizers.mjs";

const { LIMITS, ZERO, ONE } = r;
const [SHARES, MODULUS_BITS, COEFFICIENTS, OUTCOMES] = [1000, 4096, 512, 2 ** 14];

function readSplit(value) {
  const claim = r.fields(value, ["kind", "n", "modulus", "messages", "distance"], "split_and_mix");
  const distance = r.rationalBetween(claim.distance, ZERO, ONE, "distance");
  const [n, q] = [r.integer(claim.n), r.integer(claim.modulus)];
  if (n < 1n || q < 2n) r.malformed("no users, or no group");
  if (n > LIMITS.trials) r.overLimit("users");
  if (q > 2n ** BigInt(MODULUS_BITS)) r.overLimit("modulus");
  return { distance, n, q, m: r.between(claim.messages, 3, SHARES, "messages") };
}

/** t_k = s_(k+1)/s_k as {n, d}. */
function step(m, k) {
  r.spend(m, m * r.bitLength(BigInt(m) * k + BigInt(m)));
  let n = BigInt(m);
  for (let j = 1n; j < BigInt(m); j += 1n) n *= BigInt(m) * k + j;
  return { n, d: k + 1n };
}

/** s_0, ..., s_last. */
function weightsOf(m, last) {
  const weights = [1n];
  for (let k = 0; k < last; k += 1) {
    const { n, d } = step(m, BigInt(k));
    weights.push(weights[k] * n / d);
  }
  return weights;
}

/** The coefficients of S^e up to z^last. */
function powerOfSeries(weights, e, last) {
  const found = [1n];
  for (let j = 1; j <= last; j += 1) {
    let sum = 0n;
    for (let k = 1; k <= j; k += 1) {
      r.spend(2, r.bitLength(weights[k]) + r.bitLength(e), r.bitLength(found[j - k]) + 64);
      sum += (BigInt(k) * (e + 1n) - BigInt(j)) * (weights[k] * found[j - k]);
    }
    found.push(sum / BigInt(j));
  }
  return found;
}

/** c(q), rounded up to a multiple of 2^-bits. */
function excess({ n, m }, q, length, bits) {
  const unit = 1n << BigInt(bits);
  const up = (value, divisor) => {
    r.spendDivision(1, r.bitLength(value), r.bitLength(divisor));
    return r.ceilDivide(value, divisor);
  };
  if (n <= BigInt(2 * length + 1)) {
    const last = Number(n);
    const weights = weightsOf(m, last);
    return up(unit * (powerOfSeries(weights, q, last)[last] - q * weights[last]), q * weights[last]);
  }
  const [p, weights, big] = [q - 1n, weightsOf(m, length), BigInt];
  const forQ = powerOfSeries(weights, p, length);
  const forP = powerOfSeries(weights, p - 1n, length);
  /** rho_l(0), ..., rho_l(last). */
  const splits = (l, last) => {
    const found = [unit];
    for (let i = 0; i < last; i += 1) {
      const [above, below] = [step(m, big(i)), step(m, l - 1n - big(i))];
      found.push(up(found[i] * above.n * below.d, above.d * below.n));
    }
    return found;
  };
  /** The sum of (i/l) rho_l(i) for 1 <= i <= last. */
  const farOf = (rho, l, last) => {
    let sum = 0n;
    for (let i = 1; i <= last; i += 1) sum += up(big(i) * rho[i], l);
    return sum;
  };
  const M = Math.floor((length - 1) / 2);
  const AandW = (l) => {
    const rho = splits(l, M + 1);
    let A = 0n;
    for (let i = 0; i <= M; i += 1) A += up(rho[i] * forP[i], weights[i]);
    return [A, farOf(rho, l, M) + l * rho[M + 1]];
  };
  const [A, W] = AandW(big(length + 1));
  const room = unit - (p - 1n) * W;
  r.demand(room > 0n, "too few coefficients");
  let G = up(A * unit, room);
  for (let i = M + 1; i <= length; i += 1) {
    const g = up(forQ[i] * unit, p * weights[i]);
    if (g > G) G = g;
  }
  const [A2, W2] = AandW(n - big(length));
  const B = A2 + up((p - 1n) * G * W2, unit);
  const rho = splits(n, length + 1);
  let near = 0n;
  for (let i = 1; i <= length; i += 1) near += up((n - big(i)) * rho[i] * forQ[i], n * weights[i]);
  return near + up(p * (B * farOf(rho, n, length) + n * rho[length + 1] * G), unit);
}

function proveSplit(claim, value) {
  const witness = r.fields(value, ["length", "bits"], "witness");
  const length = r.between(witness.length, 2, COEFFICIENTS, "length");
  const bits = r.between(witness.bits, 16, LIMITS.bits, "bits");
  const { n, m, q, distance } = claim;
  const reached = n <= BigInt(2 * length + 1) ? Number(n) : length + 1;
  if (m * reached * r.bitLength(BigInt(m * reached)) > LIMITS.numberBits) r.overLimit("bits of the coefficients");
  return () => {
    const sum = excess(claim, q, length, bits) + excess(claim, 2n, length, bits);
    r.spend(8, r.bitLength(sum) + bits, 2 * r.bitLength(distance.d));
    const goal = distance.n * distance.n * (1n << BigInt(bits + 1));
    r.demand(sum * distance.d * distance.d <= goal, "the components are not shown to be so few");
  };
}

/** For each integer modulo q the law of the counts of its shares, as a Map from packed counts, over q^(m-1). */
function rowsOf({ q, m, n }) {
  const values = Number(q);
  let outcomes = 1;
  for (let i = 1; i <= m; i += 1) outcomes = outcomes * (values - 1 + i) / i;
  if (outcomes > OUTCOMES) r.overLimit("outcomes of a user");
  const base = n * BigInt(m) + 1n;
  r.spend(10 * outcomes * m, values * r.bitLength(base));
  let reached = [{ sum: 0, key: 0n, weight: 1n, left: m }];
  let place = 1n;
  for (let share = 0; share < values; share += 1) {
    const next = [];
    for (const { sum, key, weight, left } of reached) {
      let ways = weight;  // weight times the choices of the places of this share
      for (let count = 0; count <= left; count += 1) {
        if (share < values - 1 || count === left) {
          next.push({ sum: (sum + count * share) % values, key: key + BigInt(count) * place, weight: ways,
            left: left - count });
        }
        ways = ways * BigInt(left - count) / BigInt(count + 1);
      }
    }
    reached = next;
    place *= base;
  }
  const rows = Array.from({ length: values }, () => new Map());
  for (const { sum, key, weight } of reached) rows[sum].set(key, (rows[sum].get(key) ?? 0n) + weight);
  return rows;
}

function refuteSplit(claim, value) {
  const { n, q, m, distance } = claim;
  const witness = r.fields(value, ["first", "second"], "witness");
  if (q > BigInt(LIMITS.messages) || n > BigInt(LIMITS.users)) r.overLimit("views that are listed");
  const inputs = ["first", "second"].map((key) => readHistogram(witness[key], Number(q), key));
  return () => {
    const sums = inputs.map((counts) => counts.reduce((sum, users, x) => sum + BigInt(x) * BigInt(users), 0n) % q);
    const users = inputs.map((counts) => counts.reduce((sum, some) => sum + BigInt(some), 0n));
    r.demand(sums[0] === sums[1] && users.every((some) => some === n), "not two inputs of n users with one sum");
    const bits = Number(n) * (m - 1) * r.bitLength(q);
    if (bits > LIMITS.lawDenominatorBits) r.overLimit("weights of the view");
    const rows = rowsOf(claim);
    const [P, Q] = inputs.map((counts) => {
      let law = new Map([[0n, 1n]]);
      counts.forEach((some, x) => {
        for (let i = 0; i < Number(some); i += 1) law = convolve(law, [...rows[x]], bits);
      });
      return law;
    });
    let apart = 0n;
    for (const [key, weight] of P) {
      const other = Q.get(key) ?? 0n;
      if (weight > other) apart += weight - other;
    }
    const total = q ** (n * BigInt(m - 1));
    r.demand(apart * distance.d > distance.n * total, "the views are not further apart");
  };
}

export const KINDS = { split_and_mix: { read: readSplit, prove: proveSplit, refute: refuteSplit, since: 3 } };
