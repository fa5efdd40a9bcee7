// Part of second_checker.mjs: claims about noisy or sampled counts, the kinds `counting_dp` and `sample_threshold_dp`.

import * as r from "./reading.mjs";
import { highest, levelBounds, lowest, outside, readLaw, readParameter, span, sumOfWalks, walk } from "./laws.mjs";
import { positiveParts, readBits } from "./noise.mjs";

const { LIMITS, ZERO, ONE } = r;
const SUMMANDS = 8;

function larger(a, b) { return r.compare(a, b) < 0 ? b : a; }
function inverse(a) { return { n: a.d, d: a.n }; }

/** Pay for some products and quotients of rationals. */
function spendOn(...values) {
  const bits = values.reduce((sum, { n, d }) => sum + r.bitLength(n) + r.bitLength(d), 0);
  r.spendDivision(40, bits, bits);
}

// ---- counting_dp ----

function readCounting(value, schema) {
  const claim = r.fields(value, ["kind", "p1", "noise", r.levelKey(value), "delta"], "counting_dp");
  const level = r.readLevel(claim);
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  const p1 = readParameter(claim.p1, "inside");
  const count = r.list(claim.noise, "noise").length;
  if (count < 1 || count > SUMMANDS) r.malformed("so many summands of noise");
  const noise = claim.noise.map((part) => readLaw(part, schema));
  if (noise.some(({ family }) => family !== "negative-binomial")) r.malformed("noise that is not negative binomial");
  return { level, delta, p1, laws: [...noise, { family: "squared-geometric", p1 }] };
}

/** A bound of the larger divergence of the two orders, from above or from below. */
function boundOfCounts({ level, p1, laws }, bits, above) {
  const [least, most] = levelBounds(level, bits);
  const { low, high } = span(p1, bits);
  const [E, near, far] = above ? [least, low, high] : [most, high, low];
  spendOn(E, near, far);
  const w = sumOfWalks(laws.map((law) => () => walk(law, bits, LIMITS.summandSide)), bits);
  const [c, d] = [r.multiply(E, near), r.multiply(E, inverse(far))];
  const part = (order, ratio) => {
    const sum = positiveParts(w, 1, order, ratio, above);
    const [rest, total] = above ? [outside(w) * ratio.d, lowest(w)] : [-outside(w) * ratio.n, highest(w)];
    r.demand(total > 0n, "no weight is positive");
    return { n: sum + rest, d: ratio.d * total };
  };
  const backward = r.add(larger(ZERO, r.subtract(ONE, c)), r.multiply(far, larger(ZERO, part("backward", d))));
  return r.multiply(larger(part("forward", c), backward), inverse(r.add(ONE, near)));
}

function decideCounting(claim, value, truth) {
  const bits = readBits(r.fields(value, ["bits"], "witness").bits);
  return () => {
    const bound = boundOfCounts(claim, bits, truth);
    const sign = r.compare(bound, claim.delta);
    r.demand(truth ? sign <= 0 : sign > 0, "the divergences are not shown to be on this side of delta");
  };
}

// ---- sample_threshold_dp ----

function readSampling(value) {
  const keys = ["kind", "rate", "threshold", "users", r.levelKey(value), "delta"];
  const claim = r.fields(value, keys, "sample_threshold_dp");
  const level = r.readLevel(claim);
  const delta = r.rationalBetween(claim.delta, ZERO, ONE, "delta");
  const rate = r.rational(claim.rate);
  if (rate.n <= 0n || rate.n >= rate.d) r.malformed("a rate that is not between 0 and 1");
  const threshold = r.between(claim.threshold, 1, LIMITS.users, "threshold");
  const users = claim.users === "any" ? null : r.integer(claim.users);
  if (users !== null && users < 1n) r.malformed("users are below 1");
  return { level, delta, rate, threshold: BigInt(threshold), users };
}

/** rho and s: above M rho one trial of M more is E times as likely, below M s one less. */
function turns({ rate }, E) {
  const stay = r.subtract(ONE, rate);
  return [r.subtract(ONE, r.multiply(stay, inverse(E))), r.subtract(ONE, r.multiply(stay, E))];
}

/** Of each N from the threshold less 1 to before `end`: [N, both divergences over the third, their denominator]. */
function* divergences({ rate, threshold, delta }, end, E) {
  const [m, d] = [rate.n, rate.d];
  const [rho, s] = turns({ rate }, E);
  const bits = r.bitLength(d);
  if (end < threshold) return;
  if (Number(end) * bits > LIMITS.lawDenominatorBits) r.overLimit("weights of so many holders");
  spendOn(rate, E);
  r.spend(20, Number(end) * bits, Number(threshold) * bits);
  let total = d ** (threshold - 1n);
  // P[X = place] and P[X <= place] among N trials, over the total.
  const places = [0, 1].map(() => ({ place: threshold - 1n, at: m ** (threshold - 1n), upTo: total }));
  for (let N = threshold - 1n; N < end; N += 1n) {
    const longest = (Number(N) + 1) * bits;
    r.spendDivision(8, longest, 2 * bits + 64);
    r.spend(12, longest, bits + r.bitLength(E.n) + r.bitLength(delta.d));
    spendOn(rho, s);
    const wanted = [r.floor(r.multiply(rho, r.whole(N + 1n))), r.ceil(r.multiply(s, r.whole(N + 1n))) - 1n];
    places.forEach((split, i) => {
      while (split.place < wanted[i]) {
        split.at = split.at * (N - split.place) * m / ((split.place + 1n) * (d - m));
        split.place += 1n;
        split.upTo += split.at;
      }
    });
    const [b, c] = places;
    const more = E.d * m * b.at - (E.n - E.d) * d * (total - b.upTo);
    const fewer = E.n * m * c.at - (E.n - E.d) * d * c.upTo;
    yield [N, [more, fewer > 0n ? fewer : 0n], E.d * d * total];
    for (const split of places) {
      split.upTo = split.upTo * d - m * split.at;
      split.at = split.at * (d - m) * (N + 1n) / (N + 1n - split.place);
    }
    total *= d;
  }
}

/** Demand M KL(x || q) >= ln(factor). */
function demandTail(M, x, q, factor) {
  const bits = 256;
  const logarithm = (y) => {
    r.spend(bits, bits, r.bitLength(y.n) + r.bitLength(y.d) + bits);
    return r.logarithm(y, bits).map((n) => ({ n, d: 1n << BigInt(bits) }));
  };
  const rest = r.subtract(ONE, x);
  spendOn(x, q, factor);
  const [first] = logarithm(r.multiply(x, inverse(q)));
  const [second] = logarithm(r.multiply(rest, inverse(r.subtract(ONE, q))));
  const KL = r.add(r.multiply(x, first), r.multiply(rest, second));
  r.demand(r.compare(r.multiply(r.whole(M), KL), logarithm(factor)[1]) >= 0, "many holders are not shown to be harmless");
}

function demandBeyond(claim, M, E) {
  const { rate, delta, threshold } = claim;
  r.demand(delta.n > 0n, "delta is 0");
  spendOn(rate, rate, E, E, delta);
  const [rho, s] = turns(claim, E);
  demandTail(M, rho, rate, inverse(delta));
  const gain = r.subtract(inverse(r.subtract(ONE, rate)), E);
  if (gain.n <= 0n) return;
  const x = larger({ n: threshold - 1n, d: M }, s);
  r.demand(r.compare(x, rate) < 0, "the mean is no more than the threshold");
  demandTail(M, x, rate, r.multiply(gain, inverse(delta)));
}

function proveSampling(claim, value) {
  const { level, delta, users } = claim;
  const { witness, terms } = r.readMaybeTerms(level, value, ["holders"]);
  const holders = BigInt(r.between(witness.holders, 0, LIMITS.users, "holders"));
  return () => {
    const E = r.taylorBound(level, terms, false);
    const isAll = users !== null && users <= holders;
    if (!isAll) demandBeyond(claim, holders + 1n, E);
    for (const [, both, total] of divergences(claim, isAll ? users : holders, E)) {
      for (const loss of both) r.demand(loss * delta.d <= delta.n * total, "a divergence is above delta");
    }
  };
}

function refuteSampling(claim, value) {
  const { level, delta, users } = claim;
  const { witness, terms } = r.readMaybeTerms(level, value, ["holders", "order"]);
  const holders = BigInt(r.between(witness.holders, 0, LIMITS.users, "holders"));
  if (users !== null && holders >= users) r.malformed("more holders than users");
  const order = ["more", "fewer"].indexOf(r.choice(witness.order, ["more", "fewer"], "order"));
  return () => {
    let loss = ZERO;
    for (const [, both, total] of divergences(claim, holders + 1n, r.taylorBound(level, terms, true))) {
      loss = { n: both[order], d: total };
    }
    r.demand(r.compare(loss, delta) > 0, "the divergence is not above delta");
  };
}

export const KINDS = {
  counting_dp: {
    read: readCounting, since: 3,
    prove: (claim, value) => decideCounting(claim, value, true),
    refute: (claim, value) => decideCounting(claim, value, false),
  },
  sample_threshold_dp: { read: readSampling, prove: proveSampling, refute: refuteSampling, since: 3 },
};
