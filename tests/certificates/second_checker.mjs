// A second checker for the certificates of exactdp, for Node 18 or newer, with nothing but its standard library.
//
// It was written from the format page docs/certificates.md, not from the first checker, so that a reader need not trust
// one program: what both verify rests on the page, not on one reading of it. Five choices that the page left open were
// settled afterwards by what the corpus and the first checker answer: the shifts of additive_view are not negative; a
// `smaller` delta below 0 or e^eps below 1 is malformed; a probability by enclosure is in/(in + out), what is left
// of the law counting as out for the lower bound and as in for the upper one; a product of masses keeps one of them,
// however small they all are; the limit of a law's weights counts those of a sum of binomials before equal ones add up.
//
//     node second_checker.mjs FILE...            one line per file: VERIFIED id, REJECTED reason or MALFORMED reason
//     node second_checker.mjs --expect DIR...    walk folders with correct/, incorrect/, malformed/; print what differs
//
// Exit status: 0 if all files are verified, 1 if one is rejected, 2 if one is malformed or beyond a limit (which wins
// over 1), 3 if one is NOT COVERED by this checker (and none is rejected or malformed). With --expect: 0 if every
// verdict is the one that its folder names, else 1; files that are not covered are counted apart.
//
// This file holds the documents, the claims about polynomials and the command line; second_checker/reading.mjs the
// parser and the numbers, protocols.mjs the claims about randomizers, noise.mjs those about noise laws, composed.mjs
// those about adaptive composition of both.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fork } from "node:child_process";

import * as r from "./second_checker/reading.mjs";
import { KINDS as PROTOCOL_KINDS } from "./second_checker/protocols.mjs";
import { KINDS as NOISE_KINDS } from "./second_checker/noise.mjs";
import { KINDS as COMPOSED_KINDS } from "./second_checker/composed.mjs";

const { LIMITS, ZERO, ONE } = r;

const FACTS = [
  "markov", "independence", "union", "post-processing", "composition", "taylor", "monotone-convergence",
];

// ---- polynomials: Maps from an exponent vector, joined by commas, to a reduced rational that is not 0 ----

function readVariables(value, most) {
  const names = r.list(value, "variables");
  if (names.length > most) r.overLimit("variables");
  for (const name of names) {
    if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_]{0,31}$/.test(name)) r.malformed("a variable's name");
  }
  if (new Set(names).size !== names.length) r.malformed("a variable stands twice");
  return names;
}

function shortRational(text) {
  const value = r.rational(text);
  if (r.bitLength(value.n) > LIMITS.polynomialBits || r.bitLength(value.d) > LIMITS.polynomialBits) {
    r.overLimit("bits of a number in an inequality");
  }
  return value;
}

function readPolynomial(value, variables) {
  const polynomial = new Map();
  for (const entry of r.list(value, "a polynomial")) {
    const [coefficient, exponents] = r.list(entry, "a monomial", 2);
    const number = shortRational(coefficient);
    if (number.n === 0n) r.malformed("a coefficient is 0");
    const key = r.list(exponents, "exponents", variables).map((e) => r.between(e, 0, LIMITS.degree, "a degree")).join();
    if (polynomial.has(key)) r.malformed("an exponent vector stands twice");
    polynomial.set(key, number);
  }
  return polynomial;
}

function exponentsOf(key) { return key === "" ? [] : key.split(",").map(Number); }

function addTo(sum, key, value) {
  const total = sum.has(key) ? r.reduce(r.add(sum.get(key), value)) : r.reduce(value);
  if (total.n === 0n) sum.delete(key);
  else sum.set(key, total);
}

function plus(a, b) {
  const sum = new Map(a);
  for (const [key, value] of b) addTo(sum, key, value);
  return sum;
}

function scale(a, factor) {
  const result = new Map();
  if (factor.n !== 0n) for (const [key, value] of a) result.set(key, r.reduce(r.multiply(value, factor)));
  return result;
}

function width(a) {
  let most = 1;
  for (const value of a.values()) most = Math.max(most, r.bitLength(value.n), r.bitLength(value.d));
  return r.limbs(most);
}

function times(a, b) {
  if (a.size * b.size > LIMITS.convolution) r.overLimit("product of polynomials");
  r.pay(a.size * b.size * width(a) * width(b));
  const product = new Map();
  const right = [...b].map(([key, value]) => [exponentsOf(key), value]);
  for (const [key, value] of a) {
    const left = exponentsOf(key);
    for (const [exponents, factor] of right) {
      addTo(product, left.map((e, i) => e + exponents[i]).join(), r.multiply(value, factor));
    }
  }
  return product;
}

function constant(value, variables) {
  return scale(new Map([[Array(variables).fill(0).join(), ONE]]), value);
}

function evaluate(polynomial, point) {
  let sum = ZERO;
  for (const [key, value] of polynomial) {
    const factors = exponentsOf(key).map((e, i) => r.raise(point[i], e));
    sum = r.reduce(r.add(sum, factors.reduce(r.multiply, value)));
  }
  return sum;
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
    let sum = new Map();
    for (const { coefficient, powers } of terms) {
      r.demand(coefficient.n > 0n, "a coefficient is not positive");
      let product = constant(coefficient, claim.variables);
      powers.forEach((power, i) => {
        for (let k = 0; k < power; k += 1) product = times(product, claim.hypotheses[i].polynomial);
      });
      sum = plus(sum, product);
    }
    r.demand(plus(sum, scale(claim.conclusion.polynomial, r.whole(-1))).size === 0, "the terms do not add up");
    if (!claim.conclusion.strict) return;
    const positive = ({ powers }) => powers.every((power, i) => power === 0 || claim.hypotheses[i].strict);
    r.demand(terms.some(positive), "no term is strictly positive");
  };
}

function holds({ polynomial, strict }, point) {
  const sign = evaluate(polynomial, point).n;
  return strict ? sign > 0n : sign >= 0n;
}

function readPoint(value, variables) { return r.list(value, "point", variables).map(shortRational); }

function refuteInequality(claim, value) {
  const point = readPoint(r.fields(value, ["point"], "witness").point, claim.variables);
  return () => {
    r.demand(claim.hypotheses.every((hypothesis) => holds(hypothesis, point)), "a hypothesis fails at the point");
    r.demand(!holds(claim.conclusion, point), "the conclusion holds at the point");
  };
}

// ---- box_inequality ----

function readSide(value) {
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

function readTree(value, variables) {
  if (!r.isObject(value)) r.malformed("a tree is not an object");
  if (!value.has("variable")) {
    const leaf = r.fields(value, ["corner", "taylor", "bits"], "a leaf");
    const corner = r.list(leaf.corner, "corner", variables).map((c) => r.choice(c, ["low", "high"], "a corner"));
    const taylor = r.between(leaf.taylor, 2, LIMITS.taylor, "taylor");
    if (taylor % 2) r.malformed("taylor is odd");
    return { corner, taylor, bits: readBits(leaf.bits) };
  }
  const cut = r.fields(value, ["variable", "at", "low", "high"], "a cut");
  const variable = r.between(cut.variable, 0, variables - 1, "the cut's variable");
  const parts = { low: readTree(cut.low, variables), high: readTree(cut.high, variables) };
  return { variable, at: shortRational(cut.at), ...parts };
}

function proveBox(claim, value) {
  const tree = readTree(value, claim.variables);
  return () => checkTree(claim, claim.box, tree);
}

function checkTree(claim, box, tree) {
  if (tree.corner) return checkLeaf(claim, box, tree);
  const side = box[tree.variable];
  r.demand(r.compare(side.low, tree.at) < 0 && r.compare(tree.at, side.high) < 0, "a cut outside its part");
  const replaced = (part) => box.map((old, i) => (i === tree.variable ? { ...old, ...part } : old));
  checkTree(claim, replaced({ high: tree.at, highClosed: true }), tree.low);
  checkTree(claim, replaced({ low: tree.at, lowClosed: true }), tree.high);
}

/** The polynomial in t, where x_i = start_i + step_i t_i. */
function substitute(polynomial, starts, steps) {
  let sum = new Map();
  for (const [key, value] of polynomial) {
    let product = constant(value, starts.length);
    exponentsOf(key).forEach((exponent, i) => {
      const unit = starts.map((_, j) => (i === j ? 1 : 0)).join();
      const linear = plus(constant(starts[i], starts.length), scale(new Map([[unit, ONE]]), steps[i]));
      for (let k = 0; k < exponent; k += 1) product = times(product, linear);
    });
    sum = plus(sum, product);
  }
  return sum;
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
  const [low, high] = exponentialBounds(exponent.get(origin) ?? ZERO, bits);
  const u = new Map(exponent);
  u.delete(origin);
  let power = constant(ONE, variables);
  if (u.size === 0) return [scale(power, low), scale(power, high)];
  let sum = new Map();
  for (let k = 1; k <= taylor; k += 1) {
    sum = plus(sum, power);
    power = scale(times(power, u), { n: 1n, d: BigInt(k) });
  }
  const most = [...u.values()].filter((c) => c.n > 0n).reduce(r.add, ZERO);
  const rest = scale(power, exponentialBounds(r.reduce(most), bits)[1]);
  return [scale(sum, low), scale(plus(sum, rest), high)];
}

function ofSign(polynomial, positive) {
  return new Map([...polynomial].filter(([, c]) => (c.n > 0n) === positive));
}

function checkLeaf(claim, box, { corner, taylor, bits }) {
  const starts = box.map((side, i) => side[corner[i]]);
  const steps = box.map(({ low, high }, i) => {
    const width = r.reduce(r.subtract(high, low));
    return corner[i] === "low" ? width : r.negate(width);
  });
  let below = new Map();
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

function degrees(polynomial, variables) {
  const most = Array(variables).fill(0);
  for (const key of polynomial.keys()) exponentsOf(key).forEach((e, i) => { most[i] = Math.max(most[i], e); });
  return most;
}

function guardDegrees(factor, exponent, taylor, variables) {
  const [first, second] = [degrees(factor, variables), degrees(exponent, variables)];
  const size = first.reduce((product, d, i) => product * (d + taylor * second[i] + 1), 1);
  if (size > LIMITS.bernstein) r.overLimit("coefficients of a Bernstein form");
}

function binomials(d) {
  const row = [1n];
  for (let i = 0; i < d; i += 1) row.push(row[i] * BigInt(d - i) / BigInt(i + 1));
  return row;
}

/** In one variable, the sum of a_i t^i is that of b_j C(d, j) t^j (1-t)^(d-j) with b_j = sum of C(j, i)/C(d, i) a_i. */
function bernsteinAlong(values, stride, d) {
  const rows = Array.from({ length: d + 1 }, (_, j) => binomials(j));
  return values.map((_, index) => {
    const j = Math.floor(index / stride) % (d + 1);
    const base = index - j * stride;
    let sum = ZERO;
    for (let i = 0; i <= j; i += 1) {
      const a = values[base + i * stride];
      if (a.n !== 0n) sum = r.add(sum, { n: a.n * rows[j][i], d: a.d * rows[d][i] });
    }
    return r.reduce(sum);
  });
}

function checkBernstein(polynomial, closed, strict) {
  const most = degrees(polynomial, closed.length);
  const size = most.reduce((product, d) => product * (d + 1), 1);
  const strides = [];
  most.reduce((stride, d, i) => { strides[i] = stride; return stride * (d + 1); }, 1);
  let values = Array(size).fill(ZERO);
  for (const [key, c] of polynomial) values[exponentsOf(key).reduce((sum, e, i) => sum + e * strides[i], 0)] = c;
  most.forEach((d, i) => {
    r.pay(size * (d + 1) * width(polynomial));
    values = bernsteinAlong(values, strides[i], d);
  });
  r.demand(values.every((c) => c.n >= 0n), "a Bernstein coefficient is negative");
  if (strict) demandPositiveFaces(values, most, strides, closed);
}

function demandPositiveFaces(values, most, strides, closed) {
  const positive = values.flatMap((c, index) => (c.n > 0n ? [index] : []));
  const at = (index, i) => Math.floor(index / strides[i]) % (most[i] + 1);
  const search = (i, indices) => {
    r.demand(indices.length > 0, "the Bernstein form may be 0 on a closed face");
    if (i === most.length) return;
    const [start, end] = closed[i];
    if (start) search(i + 1, indices.filter((index) => at(index, i) === 0));
    if (end) search(i + 1, indices.filter((index) => at(index, i) === most[i]));
    if (!start && !end) search(i + 1, indices);
  };
  search(0, positive);
}

function inSide(x, { low, high, lowClosed, highClosed }) {
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
      above = r.reduce(r.add(above, r.multiply(factor, factor.n > 0n ? high : low)));
    }
    r.demand(claim.strict ? above.n <= 0n : above.n < 0n, "f is not shown to fail at the point");
  };
}

const POLYNOMIAL_KINDS = {
  inequality: { read: readInequality, prove: proveInequality, refute: refuteInequality, since: 1 },
  box_inequality: { read: readBox, prove: proveBox, refute: refuteBox, since: 2 },
};

// ---- claims: read(value, schema) gives a claim; prove and refute read a witness and give the check as a function ----

function readClaim(value, schema) {
  if (!r.isObject(value)) r.malformed("a claim is not an object");
  const name = value.get("kind");
  if (typeof name !== "string" || !KINDS.has(name)) r.malformed("an unknown kind");
  const kind = KINDS.get(name);
  if (schema < kind.since) r.malformed("a kind that this schema does not know");
  return { kind, claim: kind.read(value, schema) };
}

function prove({ kind, claim }, witness) { return kind.prove(claim, witness); }
function refute({ kind, claim }, witness) { return kind.refute(claim, witness); }

function readConjunction(value, schema) {
  const assuming = schema > 1 && value.has("assuming");
  const claim = r.fields(value, ["kind", "claims", ...(assuming ? ["assuming"] : [])], "conjunction");
  if (assuming) readFacts(claim.assuming);
  if (r.list(claim.claims, "claims").length === 0) r.malformed("a conjunction of nothing");
  if (claim.claims.length > LIMITS.claims) r.overLimit("claims of a conjunction");
  return { claims: claim.claims.map((part) => readClaim(part, schema)) };
}

function readFacts(value) {
  if (r.list(value, "assuming").length === 0) r.malformed("assuming nothing");
  const places = value.map((name) => FACTS.indexOf(r.choice(name, FACTS, "a fact")));
  if (places.some((place, i) => i > 0 && places[i - 1] >= place)) r.malformed("facts twice or in another order");
}

function proveConjunction({ claims }, value) {
  const parts = r.list(r.fields(value, ["parts"], "witness").parts, "parts", claims.length);
  const checks = claims.map((claim, i) => prove(claim, parts[i]));
  return () => checks.forEach((check) => check());
}

function refuteConjunction({ claims }, value) {
  const witness = r.fields(value, ["part", "witness"], "witness");
  return refute(claims[r.between(witness.part, 0, claims.length - 1, "part")], witness.witness);
}

const LOGICAL_KINDS = {
  conjunction: { read: readConjunction, prove: proveConjunction, refute: refuteConjunction, since: 1 },
  not: {
    read: (value, schema) => readClaim(r.fields(value, ["kind", "claim"], "not").claim, schema),
    prove: refute, refute: prove, since: 1,
  },
};

const KINDS = new Map(Object.entries({
  ...PROTOCOL_KINDS, ...NOISE_KINDS, ...COMPOSED_KINDS, ...POLYNOMIAL_KINDS, ...LOGICAL_KINDS,
}));

// ---- documents ----

/** Everything is read before anything is checked, so that a malformed document is never called rejected. */
function checkDocument(bytes) {
  r.resetWork();
  const document = r.fields(r.parse(bytes), ["schema", "claim", "claim_id", "verdict", "witness"], "the document");
  const name = r.choice(document.schema, ["exactdp-certificate-1", "exactdp-certificate-2"], "schema");
  const verdict = r.choice(document.verdict, ["PROVED", "REFUTED"], "verdict");
  if (typeof document.claim_id !== "string") r.malformed("claim_id is not a string");
  const claim = readClaim(document.claim, Number(name.at(-1)));
  if (!r.isObject(document.witness)) r.malformed("the witness is not an object");
  const check = (verdict === "PROVED" ? prove : refute)(claim, document.witness);
  const id = createHash("sha256").update(r.canonical(document.claim)).digest("hex");
  r.demand(id === document.claim_id, "claim_id is not the hash of the claim");
  check();
  return id;
}

/** The verdict on a file: {word, text}. */
function judge(path) {
  try {
    return { word: "VERIFIED", text: checkDocument(readBytes(path)) };
  } catch (error) {
    if (error instanceof r.Stop) return { word: error.word, text: error.message };
    return { word: "NOT COVERED", text: "this checker failed: " + error.message };
  }
}

function readBytes(path) {
  try {
    const found = statSync(path);
    if (!found.isFile() && !found.isDirectory()) r.malformed("not a regular file");
    if (found.size > LIMITS.fileBytes) r.overLimit("file size");
    return readFileSync(path);
  } catch (error) {
    return r.malformed(error instanceof r.Stop ? error.message : "cannot be read");
  }
}

// ---- processes: files are judged in one of their own, which may have so much memory and time and no more ----

const HEAP_MEGABYTES = 600;
const CPU_SECONDS = 100;
const TICK = 250;  // milliseconds between two looks at the time
const JUDGE = "--judge";  // asks this file to judge what it is sent

let judging = null;

function startJudging() {
  const options = { execArgv: ["--max-old-space-size=" + HEAP_MEGABYTES], stdio: ["ignore", "ignore", "ignore", "ipc"] };
  return fork(fileURLToPath(import.meta.url), [JUDGE], options);
}

/** The CPU time of a process in seconds, where the system shows it, else the time on the clock. */
function secondsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return performance.now() / 1000;
  }
}

/** The verdict on a file by the other process: {word, text}. */
async function judgeWithin(path) {
  judging ??= startJudging();
  const start = secondsOf(judging.pid);
  let stop;
  const found = await new Promise((resolve) => {
    const beyond = (what) => resolve({ word: "NOT COVERED", text: "more " + what + " than this checker takes" });
    judging.once("message", resolve);
    judging.once("exit", () => beyond("memory"));
    judging.send(path);
    stop = setInterval(() => { if (secondsOf(judging.pid) - start > CPU_SECONDS) beyond("time"); }, TICK);
  });
  clearInterval(stop);
  for (const event of ["message", "exit"]) judging.removeAllListeners(event);
  if (found.text.endsWith("than this checker takes")) endJudging();
  return found;
}

function endJudging() {
  judging?.kill("SIGKILL");
  judging = null;
}

// ---- the command line ----

function say(line) { writeSync(1, line + "\n"); }

async function checkFiles(paths) {
  const words = [];
  for (const path of paths) {
    const { word, text } = await judgeWithin(path);
    say(word + " " + text);
    words.push(word);
  }
  const worst = ["MALFORMED", "REJECTED", "NOT COVERED"].find((word) => words.includes(word)) ?? "VERIFIED";
  return r.STATUS[worst];
}

const EXPECTED = { correct: "VERIFIED", incorrect: "REJECTED", malformed: "MALFORMED" };

/** The folders correct, incorrect and malformed at or below a folder. */
function expectedFolders(root) {
  const here = Object.keys(EXPECTED).filter((name) => existsSync(join(root, name)));
  if (here.length > 0) return here.map((name) => ({ folder: join(root, name), word: EXPECTED[name] }));
  const below = readdirSync(root).map((name) => join(root, name)).filter((path) => statSync(path).isDirectory());
  return below.flatMap(expectedFolders);
}

async function expectFolder({ folder, word }) {
  const counts = { agreed: 0, disagreed: 0, notCovered: 0 };
  for (const name of readdirSync(folder).sort()) {
    const found = await judgeWithin(join(folder, name));
    const outcome = found.word === "NOT COVERED" ? "notCovered" : found.word === word ? "agreed" : "disagreed";
    counts[outcome] += 1;
    if (outcome !== "agreed") say(join(folder, name) + ": " + found.word + " " + found.text);
  }
  say(`${folder}: ${counts.agreed} agreed, ${counts.disagreed} disagreed, ${counts.notCovered} not covered`);
  return counts;
}

async function expectFolders(roots) {
  const counts = [];
  for (const folder of roots.flatMap(expectedFolders)) counts.push(await expectFolder(folder));
  const checked = counts.reduce((sum, { agreed, disagreed, notCovered }) => sum + agreed + disagreed + notCovered, 0);
  return checked > 0 && counts.every(({ disagreed }) => disagreed === 0) ? 0 : 1;
}

async function main(words) {
  if (words[0] === "--expect" && words.length > 1) return expectFolders(words.slice(1));
  if (words.length > 0 && words[0] !== "--expect") return checkFiles(words);
  console.error("usage: node second_checker.mjs FILE... | --expect DIR...");
  return 2;
}

/** The answer cannot be written where nobody reads on, or there is no room. */
async function run(words) {
  try {
    process.exitCode = await main(words);
  } catch (error) {
    process.exitCode = 2;
    console.error("the answer cannot be written: " + error.message);
  }
  endJudging();
}

if (process.argv[2] === JUDGE && process.send) process.on("message", (path) => process.send(judge(path)));
else await run(process.argv.slice(2));
