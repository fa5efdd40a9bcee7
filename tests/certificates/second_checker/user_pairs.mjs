// Part of second_checker.mjs: families that are made of others, classes of users, and *pairs*: the ordered pairs of inputs
// of the user who differs.
//
// A pair is {blanket, parties}: the classes (P, Q, c), c being below the rows of all others, and for each class of other
// users a function that lists the classes (P, Q, R) of its *vertices*, R being the row of one of them. Each list of classes
// is a function, which finds it when it is asked for.

import * as r from "./reading.mjs";
import {
  areAttained, areFewer, classesOfFamily, classesOfPairs, hasTable, kindsBeside, listOf, numberedRows, othersOf, readFamily,
  readProbability, readRatio,
} from "./families.mjs";
import { pairsOfLaplace, readLaplace } from "./densities.mjs";
import { commonDenominator, readRandomizer, spendScaling, total } from "./randomizers.mjs";

const { LIMITS, ONE } = r;
const MADE_OF_OTHERS = ["any", "product", "participation"];
const UNIFORM_DUMMIES = ["k-ary", "subset-selection", "hadamard", "local-hashing"];

function lazy(find) {
  let found = null;
  return () => { found ??= find(); return found; };
}

// ---- reading ----

function nameOf(value) { return r.isObject(value) ? value.get("family") : undefined; }

/** A table, a family or, from the fourth schema on, one that is made of others. */
export function readUser(value, schema, without = []) {
  const name = nameOf(value);
  if (name === "laplace") {
    r.needSchema(schema, 4, "a family");
    if (without.length > 0) r.malformed("a family that does not belong here");
    return readLaplace(value);
  }
  if (!MADE_OF_OTHERS.includes(name)) return name === undefined ? readRandomizer(value) : readFamily(value, schema);
  r.needSchema(schema, 4, "a family");
  if (without.includes(name)) r.malformed("a family that does not belong here");
  return READ[name](value, schema);
}

const READ = {
  any: (value) => {
    const { exp_eps0 } = r.fields(value, ["family", "exp_eps0"], "a family");
    return { family: "any", exp_eps0: readRatio(exp_eps0) };
  },
  product: (value, schema) => {
    const { of } = r.fields(value, ["family", "of"], "a family");
    if (r.list(of, "of").length === 0) r.malformed("a product of nothing");
    if (of.length > LIMITS.factors) r.overLimit("factors of a product");
    const read = (part) => ({ randomizer: readUser(part, schema, MADE_OF_OTHERS), spelled: r.canonical(part) });
    return { family: "product", factors: of.map(read) };
  },
  participation: (value, schema) => {
    const hidden = value.get("absence") === "hidden";
    const keys = ["family", "absence", "probability", "of", ...(hidden ? ["dummy"] : [])];
    const written = r.fields(value, keys, "a family");
    const absence = r.choice(written.absence, ["counted", "listed", "hidden"], "absence");
    const presence = readProbability(written.probability);
    const of = readUser(written.of, schema, ["any", "participation"]);
    const family = { family: "participation", absence, presence, of };
    if (hidden) return withDummy(family, written.dummy);
    return absence === "counted" && hasTable(of) ? countedTable(family) : family;
  },
};

/** The table of {counts, weight}; `away` has the weights of those who are away, over the denominator `whole`. */
function mixedTable({ family, presence: { n, d }, of }, away, whole) {
  const denominator = of.denominator * d * whole;
  if (r.bitLength(denominator) > LIMITS.numberBits) r.overLimit("common denominator");
  const rows = of.rows.map((row) => {
    const weights = new Map();
    const add = ({ counts, weight }, factor) => {
      const key = counts.join();
      weights.set(key, { counts, weight: (weights.get(key)?.weight ?? 0n) + weight * factor });
    };
    r.spend(4 * (row.length + away.length) * (of.messages + 8));
    r.spend(row.length + away.length, r.bitLength(denominator), r.bitLength(denominator));
    r.hold(row.length + away.length, r.bitLength(denominator) + 64 * of.messages);
    for (const entry of row) add(entry, n * whole);
    for (const entry of away) if (entry.weight > 0n) add(entry, (d - n) * of.denominator);
    return [...weights.values()];
  });
  return { family, messages: of.messages, denominator, rows };
}

function countedTable(family) {
  return mixedTable(family, [{ counts: Array(family.of.messages).fill(0), weight: 1n }], 1n);
}

function withDummy(family, dummy) {
  const { of, presence } = family;
  if (hasTable(of)) {
    const { rows: [away], denominator } = tableOfDummy(of, dummy);
    return mixedTable(family, away, denominator);
  }
  if (UNIFORM_DUMMIES.includes(of.family) && dummy === "uniform") {
    return { family: "participation", absence: "hidden", of: { ...of, presence } };
  }
  const factors = of.family === "product" ? of.factors : [{ randomizer: of, spelled: "" }];
  const dummies = of.family === "product" ? r.list(dummy, "dummy", factors.length) : [dummy];
  const hidden = factors.map(({ randomizer, spelled }, i) => ({
    randomizer, spelled: spelled + " " + r.canonical(dummies[i]), dummy: dummyOf(randomizer, dummies[i]),
  }));
  return { family: "participation", absence: "hidden", presence, factors: hidden };
}

/** The dummy of a factor: the table of one row, "uniform" or "input". */
function dummyOf(randomizer, value) {
  if (hasTable(randomizer)) return tableOfDummy(randomizer, value);
  if (value === "uniform") return value;
  const { input } = r.fields(value, ["input"], "a dummy");
  r.between(input, 0, randomizer.inputs - 1, "input");
  return "input";
}

function tableOfDummy(of, value) {
  if (of.rows.some((row) => row.some(({ counts }) => total(counts) !== 1))) {
    r.malformed("dummies for users who do not send one message each");
  }
  const weights = value === "uniform" ? { denominator: BigInt(of.messages), scaled: Array(of.messages).fill(1n) }
    : readDummy(value, of.messages);
  const counts = (m) => Array.from({ length: of.messages }, (_, i) => (i === m ? 1 : 0));
  const row = weights.scaled.map((weight, m) => ({ counts: counts(m), weight })).filter(({ weight }) => weight > 0n);
  return { messages: of.messages, denominator: weights.denominator, rows: [row] };
}

function readDummy(value, messages) {
  const law = r.list(value, "dummy", messages).map(r.rational);
  if (law.some(({ n }) => n < 0n)) r.malformed("a probability of a dummy is negative");
  const denominator = commonDenominator(law);
  spendScaling(law, denominator);
  const scaled = law.map(({ n, d }) => n * (denominator / d));
  if (scaled.reduce((a, b) => a + b, 0n) !== denominator) r.malformed("the probabilities of a dummy do not sum to 1");
  return { denominator, scaled };
}

/** Whether a family has pairs and vertices that are named by their places. */
export function isMadeOfOthers(randomizer) { return MADE_OF_OTHERS.includes(randomizer.family) && !hasTable(randomizer); }

/** Whether the view of a family may not show which messages come from one user. */
export function isBundled({ absence, of }) {
  return absence === "listed" && hasTable(of) && of.rows.some((row) => row.some(({ counts }) => total(counts) > 1));
}

// ---- classes of users ----

export function readClasses(claim, schema) {
  if (r.list(claim.classes, "classes").length === 0) r.malformed("no classes of users");
  if (claim.classes.length > LIMITS.classes) r.overLimit("classes of users");
  const classes = claim.classes.map((value) => {
    const { randomizer, n } = r.fields(value, ["randomizer", "n"], "a class of users");
    const read = readUser(randomizer, schema, ["any"]);
    if (read.absence === "listed") r.malformed("a class of users who are listed");
    return { randomizer: read, n: r.between(n, 1, LIMITS.familyUsers, "n") };
  });
  const all = classes.map((_, i) => i);
  const users = claim.user_class === "any" ? all : [r.between(claim.user_class, 0, classes.length - 1, "user_class")];
  return { classes, users };
}

export function areTablesOfAsManyMessages(classes) {
  const messages = classes[0].randomizer.messages;
  return classes.every(({ randomizer }) => hasTable(randomizer) && randomizer.messages === messages);
}

/** For each class of the user who differs the places of those whose users are counted on. */
export function readUsed({ classes, users }, value) {
  return r.list(value, "used", users.length).map((places, k) => {
    if (r.list(places, "used").length === 0) r.malformed("no class is used");
    const used = places.map((text) => r.between(text, 0, classes.length - 1, "a class"));
    if (used.some((place, i) => i > 0 && used[i - 1] >= place)) r.malformed("classes twice or in another order");
    const own = users[k];
    if (used.length > 1 || used[0] !== own) {
      const needed = [own, ...used].map((i) => classes[i]);
      if (!areTablesOfAsManyMessages(needed)) r.malformed("other classes are used than those of tables of as many messages");
    }
    return { own, used };
  });
}

/** {pairs, others, shares}: shares are whole numbers, of all others that are used. */
export function pairsOfClass({ classes }, { own, used }) {
  const { randomizer, n } = classes[own];
  if (used.length === 1 && used[0] === own) return { pairs: pairsOf(randomizer), others: n - 1, shares: [n - 1] };
  const left = used.map((i) => ({ table: classes[i].randomizer, users: classes[i].n - (i === own ? 1 : 0) }));
  const kept = left.filter(({ users }) => users > 0);
  const tables = left.map(({ table }) => table);
  const others = kept.reduce((sum, { users }) => sum + users, 0);
  const pairs = pairsOfTables(randomizer, tables, kept.map(({ table }) => tables.indexOf(table)));
  return { pairs, others, shares: kept.map(({ users }) => users), isOfOneRow: false };
}

// ---- tables ----

/** Rows as Maps from outcomes, which are numbered, to weights over one denominator; and the least of some of these rows. */
function rowsOfTables(tables) {
  const denominator = commonDenominator(tables.map((table) => ({ d: table.denominator })));
  const rows = numberedRows(tables.flatMap((table) => {
    const factor = denominator / table.denominator;
    r.spend(table.rows.reduce((sum, row) => sum + row.length, 0), r.bitLength(denominator), r.bitLength(factor));
    return table.rows.map((row) => row.map(({ counts, weight }) => ({ counts, weight: weight * factor })));
  }), tables[0].messages);
  let start = 0;
  const parts = tables.map((table) => {
    start += table.rows.length;
    return rows.slice(start - table.rows.length, start);
  });
  return { denominator, parts };
}

function sameRow(first, second) {
  return first.size === second.size && [...first].every(([outcome, weight]) => second.get(outcome) === weight);
}

/** The classes of three rows and of a dummy, one for each outcome of any of them. */
function classesOfRows(denominator, first, second, third, dummy = new Map()) {
  const rows = [first, second, third, dummy];
  const size = rows.reduce((sum, row) => sum + row.size, 0);
  r.spend(6 * size);
  r.hold(3 * size, r.bitLength(denominator));
  const outcomes = new Set(rows.flatMap((row) => [...row.keys()]));
  const [P, Q, R, D] = rows.map((row) => (outcome) => row.get(outcome) ?? 0n);
  return { denominator, classes: [...outcomes].map((m) => ({ P: P(m), Q: Q(m), R: R(m), D: D(m), count: 1n })) };
}

function leastOf(rows) {
  r.spend(4 * rows.length * rows[0].size);
  const least = new Map();
  for (const [outcome, weight] of rows[0]) {
    const all = rows.map((row) => row.get(outcome) ?? 0n);
    const low = all.reduce((a, b) => (a < b ? a : b), weight);
    if (low > 0n) least.set(outcome, low);
  }
  return least;
}

/** The pairs of rows of a table that `keeps` keeps, the others being of these tables. */
function* pairsOfTables(own, tables, parties, keeps = (isSame) => !isSame, dummy = null) {
  const { denominator, parts: [rows, ...parts] } = rowsOfTables([own, ...tables, ...(dummy ? [dummy] : [])]);
  const others = parts.slice(0, tables.length);
  const away = dummy ? parts.at(-1)[0] : undefined;
  const least = leastOf(others.flat());
  for (const [x, first] of rows.entries()) {
    for (const [y, second] of rows.entries()) {
      r.spend(first.size + 1);
      if (!keeps(sameRow(first, second), x === y)) continue;
      const vertices = (part) => part.map((row) => () => classesOfRows(denominator, first, second, row, away));
      yield {
        isSame: x === y,
        blanket: lazy(() => classesOfRows(denominator, first, second, least, away)),
        parties: parties.map((place) => () => vertices(others[place])),
      };
    }
  }
}

// ---- products ----

/** The pairs of inputs of a factor, which may also be equal. */
function kindsOf(factor, dummy, isLess) {
  if (hasTable(factor)) return [...pairsOfTables(factor, [factor], [0], (isSame, isOne) => !isSame || isOne, dummy)];
  if (dummy) {
    const kinds = kindsBeside(factor, dummy, isLess);
    return kinds.map(({ isSame, blanket, vertices }) => ({ isSame, blanket: lazy(blanket), parties: [() => vertices] }));
  }
  const [{ blanket, parties: [vertices] }] = pairsOf(factor);
  const same = (list) => () => {
    const { denominator, classes } = list();
    return { denominator, classes: classes.map(({ P, R }) => ({ P, Q: P, R, count: 1n })) };
  };
  return [
    { isSame: false, blanket, parties: [vertices] },
    { isSame: true, blanket: same(blanket), parties: [() => vertices().slice(0, 2).map(same)] },
  ];
}

/** All lists of places below `counts`, in lexicographic order; where a place is alike the one before, it is not below it. */
function* choices(counts, isAlike, chosen = []) {
  const i = chosen.length;
  if (i === counts.length) { yield chosen; return; }
  r.spend(10);
  for (let k = isAlike(i) ? chosen[i - 1] : 0; k < counts[i]; k += 1) yield* choices(counts, isAlike, [...chosen, k]);
}

/** The product of two lists of classes, those with the same ratios being one. */
function multiplied(a, b) {
  const steps = a.classes.length * b.classes.length;
  const denominator = a.denominator * b.denominator;
  r.spend(6 * steps, r.bitLength(a.denominator), r.bitLength(b.denominator));
  r.spendGcd(2 * steps, r.bitLength(denominator));
  const alike = new Map();
  for (const first of a.classes) {
    for (const second of b.classes) {
      const count = first.count * second.count;
      const parts = ["P", "Q", "R", "D"].map((name) => (first[name] ?? 0n) * (second[name] ?? 0n) * count);
      const common = parts.reduce(r.gcd);
      if (common === 0n) continue;
      const key = parts.map((part) => (part / common).toString(36)).join();
      const old = alike.get(key) ?? [0n, 0n, 0n, 0n];
      alike.set(key, old.map((part, i) => part + parts[i]));
    }
  }
  return { denominator, classes: [...alike.values()].map(([P, Q, R, D]) => ({ P, Q, R, D, count: 1n })) };
}

/** What is sent with some probability, and else the dummy. */
function orDummy({ denominator, classes }, presence) {
  if (!presence) return { denominator, classes };
  const { n, d } = presence;
  r.spend(6 * classes.length, r.bitLength(denominator), r.bitLength(d));
  const mix = (of, D) => of * n + D * (d - n);
  const mixed = classes.map(({ P, Q, R, D, count }) => ({ P: mix(P, D), Q: mix(Q, D), R: mix(R, D), count }));
  return { denominator: denominator * d, classes: mixed };
}

/** The products of one list of each part, with what they have in common made once. */
function* productsOf(parts, isAlike) {
  let [last, products] = [[], []];
  for (const chosen of choices(parts.map((part) => part.length), isAlike)) {
    const start = chosen.findIndex((place, i) => place !== last[i]);
    for (let i = start; i < parts.length; i += 1) {
      const [before, list] = [products[i - 1], parts[i][chosen[i]]];
      products[i] = before ? lazy(() => multiplied(before(), list())) : list;
    }
    last = chosen;
    yield products.at(-1);
  }
}

function* pairsOfProduct({ factors, presence }, isLess) {
  const kinds = factors.map(({ randomizer, dummy }) => kindsOf(randomizer, dummy, isLess));
  const isRepeated = (i) => i > 0 && factors[i].spelled === factors[i - 1].spelled;
  for (const chosen of choices(kinds.map((all) => all.length), isRepeated)) {
    const kept = chosen.map((place, i) => kinds[i][place]);
    if (kept.every(({ isSame }) => isSame)) continue;
    const isAlike = (i) => isRepeated(i) && chosen[i] === chosen[i - 1];
    const vertices = function* beside() {
      for (const list of productsOf(kept.map(({ parties: [rows] }) => rows()), isAlike)) {
        yield () => orDummy(list(), presence);
      }
    };
    const least = () => kept.map(({ blanket }) => blanket()).reduce(multiplied);
    yield { blanket: lazy(() => orDummy(least(), presence)), parties: [vertices] };
  }
}

// ---- pairs ----

/** Of every randomizer: the pairwise ratios of a class are 1 or E. */
function pairOfAny({ exp_eps0: E }) {
  const over = (denominator, ...classes) => () => listOf(
    classes.map((class_) => class_.map((x) => r.reduce({ n: x.n * denominator.d, d: x.d * denominator.n }))),
  );
  const [two, three] = [r.add(E, ONE), r.add(E, r.whole(2))];
  const five = r.add(r.add(E, E), ONE);
  const mass = { n: two.n * E.d, d: two.d * E.n };
  const vertices = [
    over(two, [E, ONE, ONE], [ONE, E, E]),
    over(two, [E, ONE, E], [ONE, E, ONE]),
    over(two, [ONE, ONE, E], [E, E, ONE]),
    over(three, [E, ONE, ONE], [ONE, E, ONE], [ONE, ONE, E]),
    over(five, [ONE, E, E], [E, ONE, E], [E, E, ONE]),
  ];
  return { blanket: over(two, [E, ONE, mass]), parties: [() => vertices], isAny: true };
}

/** What takes part with some probability: `away` are the parts of one class more. */
function thinned({ denominator, classes }, { n, d }, away) {
  r.spend(4 * classes.length, r.bitLength(denominator), r.bitLength(d));
  const kept = classes.map(({ P, Q, R, count }) => ({ P: P * n, Q: Q * n, R: R * n, count }));
  if (away) {
    const [P, Q, R] = away.map((part) => BigInt(part) * (d - n) * denominator);
    kept.push({ P, Q, R, count: 1n });
  }
  return { denominator: denominator * d, classes: kept };
}

function* pairsOfParticipation({ absence, presence, of }) {
  const [least, row] = { counted: [[1, 1, 1], [1, 1, 1]], listed: [null, [0, 0, 1]] }[absence];
  for (const { blanket, parties: [vertices] } of pairsOf(of)) {
    const parties = [function* thin() {
      for (const list of vertices()) yield () => thinned(list(), presence, row);
    }];
    yield { blanket: () => thinned(blanket(), presence, least), parties };
  }
}

/** The pairs of inputs of a user, the others running the same randomizer. */
export function pairsOf(randomizer) {
  if (hasTable(randomizer)) return pairsOfTables(randomizer, [randomizer], [0]);
  const { family, absence, of } = randomizer;
  if (family === "laplace") return pairsOfLaplace(randomizer);
  if (family === "any") return [pairOfAny(randomizer)];
  if (family === "product") return pairsOfProduct(randomizer);
  if (absence === "hidden") return of ? pairsOf(of) : pairsOfProduct(randomizer);
  if (absence) return pairsOfParticipation(randomizer);
  const list = (law) => lazy(() => classesOfFamily(randomizer, law));
  const [blanket, ...vertices] = ["blanket", ...othersOf(randomizer)].map(list);
  return [{ blanket, parties: [() => vertices] }];
}

/** The classes of pairs with the blanket. */
export function* blanketsOf(randomizer) {
  if (randomizer.family === "any") r.malformed("a blanket of any randomizer");
  if (!isMadeOfOthers(randomizer) && randomizer.family !== "laplace") { yield* classesOfPairs(randomizer); return; }
  for (const { blanket } of pairsOf(randomizer)) yield blanket();
}

/** The classes of a vertex that is named by its place and that of its pair: {find, isLess}, with masses that may be less. */
export function vertexAt(randomizer, pairText, vertexText) {
  const hidden = (randomizer.absence === "hidden" ? randomizer.factors : []).filter(({ randomizer: of }) => !hasTable(of));
  if (hidden.some(({ randomizer: of, dummy }) => !areAttained(of, dummy))) {
    r.malformed("a test of classes that bound those of inputs");
  }
  const isLess = hidden.some(({ randomizer: of, dummy }) => areFewer(of, dummy));
  const [pair, vertex] = [pairText, vertexText].map((text) => r.between(text, 0, Number.MAX_SAFE_INTEGER, "a place"));
  const pairs = isLess ? pairsOfProduct(randomizer, true) : pairsOf(randomizer);
  return { find: entryAt(entryAt(pairs, pair).parties[0](), vertex), isLess };
}

function entryAt(entries, place) {
  let i = 0;
  for (const entry of entries) {
    r.spend(10);
    if (i === place) return entry;
    i += 1;
  }
  return r.malformed("a place beyond the last one");
}
