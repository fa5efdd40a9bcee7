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
// This file holds the documents and the command line; second_checker/reading.mjs the parser and the numbers,
// polynomials.mjs the claims about polynomials, randomizers.mjs and protocols.mjs those about randomizers,
// two_messages.mjs those about one of two messages from each user, families.mjs randomizers that are named by their
// parameters, densities.mjs one of real messages, user_pairs.mjs those that are made of others and classes of users,
// blanket.mjs, swap.mjs and likelihood.mjs upper and lower bounds at any number of users, laws.mjs noise laws and noise.mjs the claims about
// them, counts.mjs those about noisy and sampled counts, mixing.mjs those about split and mix, composed.mjs those about
// adaptive composition, for_all.mjs those about whole boxes of parameters and monotone.mjs those that a divergence
// moves one way, functions.mjs quotients of polynomials on a cell, series.mjs products of lists.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fork } from "node:child_process";

import * as r from "./second_checker/reading.mjs";
import { KINDS as PROTOCOL_KINDS } from "./second_checker/protocols.mjs";
import { KINDS as TWO_MESSAGE_KINDS } from "./second_checker/two_messages.mjs";
import { KINDS as NOISE_KINDS } from "./second_checker/noise.mjs";
import { KINDS as COUNT_KINDS } from "./second_checker/counts.mjs";
import { KINDS as MIXING_KINDS } from "./second_checker/mixing.mjs";
import { KINDS as COMPOSED_KINDS } from "./second_checker/composed.mjs";
import { KINDS as POLYNOMIAL_KINDS } from "./second_checker/polynomials.mjs";
import { KINDS as BOX_KINDS } from "./second_checker/for_all.mjs";
import { KINDS as MONOTONE_KINDS } from "./second_checker/monotone.mjs";

const { LIMITS } = r;

const SCHEMAS = ["exactdp-certificate-1", "exactdp-certificate-2", "exactdp-certificate-3", "exactdp-certificate-4"];
const FACTS = [
  "markov", "independence", "union", "post-processing", "composition", "taylor", "monotone-convergence",
];

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
  ...PROTOCOL_KINDS, ...TWO_MESSAGE_KINDS, ...NOISE_KINDS, ...COUNT_KINDS, ...MIXING_KINDS, ...COMPOSED_KINDS,
  ...POLYNOMIAL_KINDS, ...BOX_KINDS, ...MONOTONE_KINDS, ...LOGICAL_KINDS,
}));

// ---- documents ----

/** Everything is read before anything is checked, so that a malformed document is never called rejected. */
function checkDocument(bytes) {
  r.startDocument();
  const document = r.fields(r.parse(bytes), ["schema", "claim", "claim_id", "verdict", "witness"], "the document");
  const name = r.choice(document.schema, SCHEMAS, "schema");
  const verdict = r.choice(document.verdict, ["PROVED", "REFUTED"], "verdict");
  if (typeof document.claim_id !== "string") r.malformed("claim_id is not a string");
  const schema = SCHEMAS.indexOf(name) + 1;
  const claim = readClaim(document.claim, schema);
  if (!r.isObject(document.witness)) r.malformed("the witness is not an object");
  const check = (verdict === "PROVED" ? prove : refute)(claim, document.witness);
  r.demandNeeded(schema);
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
