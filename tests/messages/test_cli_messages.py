"""Every refusal of the command line, word for word: exit status 2, nothing on stdout, nothing written."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exactdp.cli.main import cli
from tests.together import together

ROW_A = '[[row]]\ninput = "a"\nmessages = [ {send = ["x"], prob = "1"} ]\n'
ROW_B = '[[row]]\ninput = "b"\nmessages = [ {send = ["x"], prob = "1/2"}, {send = ["y"], prob = PROB} ]\n'
VALID = ROW_A + ROW_B.replace("PROB", '"1/2"')

SILENT = """
[[row]]
input = "0"
messages = [{send = ["0"], prob = "1/2"}, {send = ["1"], prob = "1/4"}, {send = [], prob = "1/4"}]

[[row]]
input = "1"
messages = [{send = ["0"], prob = "1/4"}, {send = ["1"], prob = "1/2"}, {send = [], prob = "1/4"}]
"""
"""Users who may send nothing."""
FILES = {
    "valid.toml": VALID,
    "silent.toml": SILENT,
    "sum.toml": ROW_A + ROW_B.replace("PROB", '"3/8"'),
    "negative.toml": ROW_A + ROW_B.replace("PROB", '"-1/2"'),
    "float.toml": ROW_A + ROW_B.replace("PROB", "0.5"),
    "nan.toml": ROW_A + ROW_B.replace("PROB", '"nan"'),
    "empty.toml": "",
    "no_rows.toml": "row = []\n",
    "no_messages.toml": '[[row]]\ninput = "a"\nmessages = []\n',
    "twice.toml": VALID + ROW_A,
    "keys.toml": 'name = "a"\nname = "b"\n' + VALID,
    "keys.json": '{"row": [{"input": "a", "input": "b", "messages": []}]}',
    "broken.json": '{"row": ',
}

NUMBER = "is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without spaces."

REFUSED = {
    # the file
    "delta sum.toml -n 3 --eps 1": "sum.toml: row 'b' of the randomizer sums to 7/8, not 1 "
    "(messages ('x',): 1/2, ('y',): 3/8). Make it sum to 1.",
    "delta negative.toml -n 3 --eps 1": "negative.toml: row 'b' gives the messages ('y',) the probability -1/2, "
    "below 0. Give probabilities of at least 0.",
    "delta float.toml -n 3 --eps 1": "float.toml: row 'b', messages entry 2 prob = 0.5 is a float. "
    'Repair: write it as a string: prob = "0.5".',
    "delta nan.toml -n 3 --eps 1": f"nan.toml: row 'b', messages entry 2: prob='nan' {NUMBER}",
    "check empty.toml": "empty.toml: the file lacks the key 'row'. Repair: add row = ....",
    "check no_rows.toml": "no_rows.toml: row must be a list of at least one row. "
    "Repair: write [[row]] before each row.",
    "check no_messages.toml": "no_messages.toml: row 'a' has no messages. "
    'Repair: write messages = [ {send = ["m"], prob = "1"} ], with send = [] for none.',
    "check twice.toml": "twice.toml: row 3 repeats the input 'a'. Repair: keep one row for each input.",
    "check keys.toml": "keys.toml: not valid TOML: Cannot overwrite a value (at line 2, column 11). Mend that line.",
    "check keys.json": "keys.json: the key 'input' appears twice in one object. Keep one of them.",
    "check directory": "directory is a directory. Name a file.",
    "check absent.toml": "absent.toml cannot be read: No such file or directory. Name a readable file.",
    "check huge.toml": "huge.toml is larger than the limit of 10485760 bytes. Use a smaller file.",
    # named protocols
    "check @unknown": "'@unknown' names nothing. `exactdp protocols` lists all names; a file has no @.",
    "delta zsm --gamma 1/8 -n 3 --eps 1": "'zsm' is no file and no name. Did you mean @zsum?",
    "delta binomal:n=3,p=1/2 --eps 1": "'binomal' is no file and no name. Did you mean @binomial?",
    "check @gap:1": "@gap has the entry '1' without a value. Write @gap.",
    "check @zsum": "@zsum needs gamma. Write @zsum:gamma=G, for example @zsum:gamma=1/8.",
    "check @gap --gamma 1/2": "--gamma has no meaning for @gap. Leave it out: "
    "it belongs to @randomized-response, @binary-sum, @histogram and @zsum.",
    "check valid.toml --categories 3": "--inputs has no meaning for valid.toml. Leave it out: "
    "it belongs to @randomized-response, @unary-encoding, @subset-selection, @hadamard-response, @local-hashing, "
    "@balls-into-bins, @mixed-dummies and @flooding.",
    "check @zsum --gamma 2": "gamma=2 is outside [0, 1]. Pass a probability.",
    "check @randomized-response --gamma 1/2 --inputs 1": "inputs=1 is below 2. Pass inputs of at least 2.",
    "check @randomized-response --gamma 1/2 --categories 1000000001": "inputs=1000000001 is more than the limit of "
    "1000000000 inputs. Use fewer.",
    "check randomized-response": "@randomized-response needs gamma or exp-eps0. Write "
    "@randomized-response:gamma=G|exp-eps0=E,[inputs=K], for example @randomized-response:gamma=1/8.",
    "check @histogram --gamma 1/8": "@histogram needs --bins. Write @histogram --gamma 1/8 --bins 10.",
    "check @histogram --gamma 1/8 --bins 1": "d=1 is below 2. Pass at least two bins; for one there is zsum.",
    "check one-sided-counting": "@one-sided-counting needs r. Write @one-sided-counting:r=R,p=P, for example "
    "@one-sided-counting:r=42,p=9/10.",
    "check @one-sided-counting --r 0 --p 1/2": "r=0 and p=1/2 give no noise law. Pass r above 0, p below 1.",
    "check correlated-counting": "@correlated-counting needs r. Write @correlated-counting:r=R,p1=P,p2=P, for "
    "example @correlated-counting:r=42,p1=1/2,p2=9/10.",
    "delta @correlated-counting --p1 1/2 --p2 1/2 --r -1 -n 9 --eps 1": "r=-1 is below 0. Pass the shape of the noise "
    "of both counts, 0 for none.",
    "slack zsum --eps 1 --delta 1e-6": "zsum needs -n, the number of users who follow the protocol. Write -n 1000000.",
    "slack zsum -n 9 --eps 1 --delta 1e-6 --share 1/2": "--share has no meaning for zsum. Leave it out: it belongs to "
    "correlated-counting.",
    "slack correlated-counting --eps 3 --delta 1e-6": "The theorem of correlated counting needs share * eps <= 1, but "
    "share=1/2 and eps=3. Pass a smaller share or eps.",
    "calibrate correlated-counting --eps 1 --delta 1e-6 --share best": "correlated-counting needs n, the number of "
    "users who follow the protocol. Write -n 1000.",
    "accuracy split-and-mix -n 9 --beta 1/20": "split-and-mix needs --levels. Write --levels 1000 --eps 1.",
    "accuracy zsum -n 9 --gamma 1/8 --levels 9 --beta 1/20": "--levels has no meaning for zsum. Leave it out: it "
    "belongs to split-and-mix.",
    "calibrate zsum -n 9 --eps 1 --delta 1e-6 --share 1/2": "--share has no meaning for zsum. Leave it out: it belongs "
    "to correlated-counting.",
    "law @correlated-counting --p1 1/2 --p2 1/2 --r 2 --dataset 0=1": "the view of @correlated-counting --r 2 --p1 1/2 "
    "--p2 1/2 has no largest counts, so that it is no finite law. Ask sample for draws of it, or delta and epsilon for "
    "its privacy.",
    "certify @correlated-counting --p1 1/2 --p2 1/2 --r 2 -n 9 --eps 1 --delta 1/2 --times 3": "no claim states many "
    "runs of @correlated-counting --r 2 --p1 1/2 --p2 1/2, so that there is no certificate of it yet. Leave out "
    "--times, or ask `exactdp compose`.",
    "certify @correlated-counting --p1 1/2 --p2 1/2 --r 2 -n 9 --eps 1 --delta 1/2 --all-n": "--all-n has no meaning "
    "for @correlated-counting --r 2 --p1 1/2 --p2 1/2, whose noise belongs to n users. Leave it out.",
    "accuracy zsum -n 9 --p1 1/2 --beta 1/20": "--p1 has no meaning for zsum. Leave it out: it belongs to "
    "correlated-counting.",
    "accuracy correlated-counting -n 9 --beta 1/20": "correlated-counting needs --p1, or --eps and --delta for the "
    "theorem's p1, and not both. Write --p1 1/2.",
    "accuracy correlated-counting -n 9 --gamma 1/2 --beta 1/20": "--gamma has no meaning for correlated-counting. "
    "Leave it out.",
    "accuracy correlated-counting -n 9 --eps 1 --beta 1/20": "--eps needs --delta, for the theorem's p1. Write --delta "
    "1e-6.",
    "check sample-and-threshold --rate 1/8": "@sample-and-threshold needs --threshold. Write @sample-and-threshold "
    "--rate 1/8 --threshold 20.",
    "delta @sample-and-threshold --rate 9/8 --threshold 2 -n 9 --eps 1": "rate=9/8 is outside (0, 1]. Pass the "
    "probability of a report.",
    "accuracy zsum -n 9 --gamma 1/2 --rate 1/2 --beta 1/20": "--rate has no meaning for zsum. Leave it out: it belongs "
    "to sample-and-threshold.",
    "accuracy sample-and-threshold -n 9 --rate 1/2 --beta 1/20": "sample-and-threshold needs --rate and --threshold, "
    "or --eps and --delta for the published ones, and not both. Write --rate 1/8 --threshold 20.",
    "accuracy sample-and-threshold -n 9 --gamma 1/2 --beta 1/20": "--gamma has no meaning for sample-and-threshold. "
    "Leave it out.",
    "accuracy sample-and-threshold -n 9 --eps 1 --beta 1/20": "--eps needs --delta, for the published threshold. Write "
    "--delta 1e-6.",
    "calibrate sample-and-threshold -n 9 --eps 1 --delta 1/2": "sample-and-threshold needs rate or threshold, and not "
    "both: the other one is calibrated. Pass rate='1/8'.",
    "calibrate sample-and-threshold -n 9 --eps 1 --delta 1/2 --rate 1/2 --inputs 3": "sample-and-threshold: inputs has "
    "no meaning. Leave out --inputs.",
    "certify @one-sided-counting --r 3 --p 1/2 -n 9 --eps 1 --delta 0 --all-n": "--all-n has no meaning for "
    "@one-sided-counting --r 3 --p 1/2, whose noise belongs to n users. Leave it out.",
    "certify @histogram --gamma 1/2 --bins 11 -n 2 --eps 1 --delta 0 --all-n": "@histogram --gamma 1/2 "
    "--bins 11 has no table, of which a claim could be made. Use at most 10 bins, or certify @zsum, one bin.",
    # noise laws
    "delta @poisson --eps 1": "@poisson lacks the parameter mu. Write @poisson:mu=MU, for example @poisson:mu=1000.",
    "delta @poisson: --eps 1": "@poisson lacks the parameter mu. Write @poisson:mu=MU, for example @poisson:mu=1000.",
    "law @binomial-sum:n1=1,p1=1/2": "@binomial-sum lacks the parameter n2 and p2. Write "
    "@binomial-sum:n1=N,p1=P,n2=N,p2=P, for example @binomial-sum:n1=300,p1=3/4,n2=700,p2=1/4.",
    "delta @poisson:10 --eps 1": "@poisson has the entry '10' without a value. "
    "Write @poisson:mu=MU, for example @poisson:mu=1000.",
    "delta @poisson:mu=1, --eps 1": "@poisson has an entry without a name: ''. "
    "Write @poisson:mu=MU, for example @poisson:mu=1000.",
    "delta @poisson:lambda=1 --eps 1": "@poisson has no parameter 'lambda'. "
    "Write @poisson:mu=MU, for example @poisson:mu=1000.",
    "delta @geometric:p=1/2,p=1/2 --eps 1": "@geometric has the parameter p twice. "
    "Write @geometric:p=A, for example @geometric:p=1/2.",
    "delta @binomial:n=1,p= --eps 1": "@binomial has no value after p=. Write @binomial:n=N,p=P, for example "
    "@binomial:n=1000000,p=1/1000.",
    "delta @binomial:n=1,p=nan --eps 1": f"p='nan' {NUMBER}",
    "delta @binomial:n=1/2,p=1 --eps 1": "n=1/2 is not an integer. Pass a whole number.",
    "delta @binomial:n=-1,p=1 --eps 1": "n=-1 is below 0. Pass n of at least 0.",
    "delta @binomial:n=1,p=3/2 --eps 1": "p=3/2 is outside [0, 1]. Pass a probability.",
    "delta @binomial:n=1,p=exp(-1) --eps 1": "p=exp(-1) is irrational, and @binomial takes an exact p. Write 1/4.",
    "check @geometric:p=exp(1)": "p=e^(1) is outside [0, 1). Pass the limit of P[Y = t + 1] / P[Y = t].",
    "check @geometric:p=exp(ln(1/2))": "the argument of exp in p='ln(1/2)' is irrational where an exact number is "
    "needed. Pass a rational number.",
    "check @poisson:mu=-1": "mu=-1 is below 0. Pass a mean of at least 0.",
    "check @poisson:mu=ln(0)": "mu=ln(0) is no number: ln needs an argument above 0. Write ln(2).",
    "check @poisson:mu=1e300": "mu=100000000000...(301 digits) is beyond the limit of 10^30. Use a smaller number.",
    "check @poisson:mu=exp(1e300)": "mu=100000000000...(301 digits) is beyond the limit of 10^30. "
    "Use a smaller number.",
    "check @discrete-laplace:exp_eps=1": "exp_eps=1 is not above 1. Pass e^eps of an eps above 0.",
    "check @discrete-gaussian:sigma_squared=0": "sigma_squared=0 is not above 0. Pass a positive number.",
    "check @negative-binomial:r=0,p=1/2": "r=0 is not above 0. Pass a positive number.",
    "check @poisson:mu=1 -n 3": "-n has no meaning for @poisson:mu=1. Leave it out: it belongs to randomizers.",
    "check @poisson:mu=1 --gamma 1/2": "--gamma has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to @randomized-response, @binary-sum, @histogram and @zsum.",
    "delta @poisson:mu=1 --eps 1 -n 3": "-n has no meaning for @poisson:mu=1. Leave it out: it belongs to randomizers.",
    "epsilon @poisson:mu=1 --delta 0 --neighbors replace-one": "--neighbors has no meaning for @poisson:mu=1. "
    "Leave it out: it belongs to randomizers.",
    "curve @poisson:mu=1 --eps-to 1 --limit 3": "--limit has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to randomizers.",
    "delta @poisson:mu=1 --eps 1 --shift 0": "shift=0 is below 1. Pass shift of at least 1.",
    "delta @poisson:mu=1 --eps 1 --shift 1/2": "shift=1/2 is not an integer. Pass a whole number.",
    "delta @poisson:mu=1 --eps 1 --shift 10000000": "shift=10000000 is more than the limit of 1000000. "
    "Use a smaller shift.",
    "delta @gap -n 3 --eps 1 --shift 1": "--shift has no meaning for @gap. Leave it out: "
    "it belongs to noise laws, such as @poisson:mu=10.",
    "delta @poisson:mu=1 --exp-eps 2 --exact": "--exact has no answer here: the probabilities are irrational, or too "
    "long to be built. Leave it out: the answer is then an interval that contains the truth.",
    "delta @gap -n 3 --eps 1 --exact": "--exact asks for a fraction, and an enclosure is asked for too. "
    "Leave it out, or write --exp-eps, without --relative-bits.",
    "certify @poisson:mu=1 --eps 1 --delta 0 -n 3": "-n has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to randomizers.",
    "certify @poisson:mu=1 --eps 1 --delta 0 --neighbors replace-one": "--neighbors has no meaning for @poisson:mu=1. "
    "Leave it out: it belongs to randomizers.",
    "certify @poisson:mu=1 --eps 1 --delta 0 --all-n": "--all-n has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to randomizers.",
    "certify @poisson:mu=1 --eps 1 --delta 0 --shift 0": "shift=0 is below 1. Pass shift of at least 1.",
    "certify @poisson:mu=1 --eps 1 --delta 0 --shift 1e7": "shift=10000000 is more than the limit of 1000000. "
    "Use a smaller shift.",
    "certify @poisson:mu=1 --eps 1 --delta 0 -o -": "output=- is stdout, where the answer goes. "
    "Name a file for the certificate.",
    "certify @gap -n 3 --eps 1 --delta 1 --allow-enclosure -o c.json": "--allow-enclosure accepts a verdict without a "
    "certificate, and -o asks for one. Leave out one of them.",
    "certify @poisson:mu=1 --eps 1 --delta 2": "delta=2 is outside [0, 1]. Pass a probability.",
    "certify @poisson:mu=1 --eps -1 --delta 0": "eps=-1 is below 0. Pass an eps of at least 0.",
    "certify @poisson --eps 1 --delta 0": "@poisson lacks the parameter mu. Write @poisson:mu=MU, for example "
    "@poisson:mu=1000.",
    "certify @poisson:mu=1 --eps 1 --delta 1/2 -o absent/file": "absent/file is in a directory that does not exist. "
    "Make it, or name another file.",
    "certify @gap -n 3 --eps 1 --delta 0 --shift 1": "--shift has no meaning for @gap. Leave it out: "
    "it belongs to noise laws, such as @poisson:mu=10.",
    # rows of a noise law
    "law @poisson:mu=1 --from 5": "Poisson(1) has no greatest outcome, so --to is needed. Write --to 10.",
    "law @discrete-gaussian:sigma_squared=4 --to 5": "DiscreteGaussian(4) has no least outcome, so --from is needed. "
    "Write --from 10.",
    "law @poisson:mu=1 --from 5 --to 3": "from=5 is above to=3, so there are no rows. Swap them.",
    "law @poisson:mu=1 --to 10000": "from=0 to=10000 are 10001 rows, more than the limit of 10000. Ask for fewer.",
    "law @poisson:mu=1 --to 1e3000": "from=0 to=100000000000...(3001 digits) are 100000000000...(3001 digits) rows, "
    "more than the limit of 10000. Ask for fewer.",
    "law @poisson:mu=1 --to 999 --relative-bits 1000": "1000 rows are more than the limit of 100 at "
    "relative_bits=1000. Ask for fewer of either.",
    "law @poisson:mu=1 --relative-bits 1000000": "relative_bits=1000000 is more than the limit of 10000. "
    "Use a smaller number.",
    "law @poisson:mu=1 --quantile 1": "quantile=1 is not between 0 and 1. Write --quantile 19/20.",
    "law @poisson:mu=1 --dataset 0=1": "--dataset has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to randomizers.",
    "law @gap": "@gap needs --dataset, the users per input. Write --dataset 0=3,1=2.",
    "law @gap --dataset 0=1 --to 3": "--to has no meaning for @gap. Leave it out: "
    "it belongs to noise laws, such as @poisson:mu=10.",
    # theorems
    "security split-and-mix -n 9 --messages 3": "--modulus is needed. Write --modulus 4294967296 for sums below 2^32.",
    "security split-and-mix -n 9 --modulus 5": "one of --messages and --sigma is needed, and neither is given. "
    "Write --messages 10, or --sigma 40.",
    "security split-and-mix -n 9 --modulus 5 --messages 3 --sigma 4": "one of --messages and --sigma is needed, "
    "and both are given. Write --messages 10, or --sigma 40.",
    "security split-and-mix -n 9 --modulus 5 --messages 2": "The bound by components needs m >= 3 in the worst case, "
    "but messages=2. Pass at least 3 messages.",
    "security split-and-mix -n 1 --modulus 5 --sigma 4": "The bound by components needs n >= 2, but n=1. A single user "
    "is his sum: pass at least 2 users.",
    "security split-and-mix -n 9 --modulus 5 --messages 3 --exp-eps 2": "--exp-eps has a meaning beside "
    "--messages and --noise only. Leave it out.",
    "security split-and-mix -n 9 --modulus 5 --sigma 3 --noise @poisson:mu=1": "--noise has a meaning beside "
    "--messages only. Leave it out.",
    "security split-and-mix -n 9 --modulus 5 --messages 3 --noise zsum --eps 1": "noise=zsum names no law. The laws "
    "are @binomial, @binomial-sum, @negative-binomial, @geometric, @discrete-laplace, @discrete-gaussian, "
    "@discrete-uniform, @poisson.",
    "security split-and-mix -n 9 --modulus 5 --messages 3 --noise @poisson:mu=1 --delta 1/9 --eps 1": "--delta is "
    "given with an eps. Leave out one of them.",
    "check @split-and-mix --modulus 3": "@split-and-mix needs --messages. Write @split-and-mix --modulus 3 "
    "--messages 3.",
    "delta @split-and-mix --modulus 64 --messages 3 -n 9 --eps 1": "modulus=64 and messages=3 make a table of more "
    "than 65536 entries. Use split_and_mix(n, ...), whose bounds and samples need no table.",
    "slack zsum -n 10000 --eps 2 --delta 1e-6": "The zsum theorem needs 0 < eps <= 1, but eps=2. Pass eps in (0, 1].",
    "slack zsum -n 10000 --eps 0 --delta 1e-6": "The zsum theorem needs 0 < eps <= 1, but eps=0. Pass eps in (0, 1].",
    "slack zsum -n 10000 --exp-eps 3 --delta 1e-6": "The zsum theorem needs 0 < eps <= 1, but eps=ln(3). "
    "Pass eps in (0, 1].",
    "slack zsum -n 10 --eps 1 --delta 1e-6": "The zsum theorem needs n >= 100 ln(2/delta) / eps^2, but n=10 and "
    "100 ln(2/delta) / eps^2 = 1450.8657.... Use n of at least 1451, or a larger eps or delta.",
    "slack zsum -n 10000 --eps 1 --delta 2": "The zsum theorem needs 0 < delta <= 1, but delta=2. "
    "Pass delta in (0, 1].",
    "slack zsum -n 10000 --eps 1 --delta 1e-6 --relative-bits 5000": "relative_bits=5000 is more than the table's "
    "limit of 4096. Ask for fewer.",
    "slack gap -n 10000 --eps 1 --delta 1e-6": "Invalid value for 'THEOREM': 'gap' is not one of 'zsum', "
    "'correlated-counting'. See 'exactdp slack --help'.",
    # data sets
    "law valid.toml --dataset a=1,c=1": "the data set holds the unknown input 'c'. The inputs are a, b.",
    "law valid.toml --dataset a": "the data set has the entry 'a' without a count. Write --dataset 0=3,1=2.",
    "law valid.toml --dataset a=1,a=1": "the data set names the input 'a' twice. Add the two counts.",
    "law valid.toml --dataset {}": "the data set is empty. Give at least one user: --dataset INPUT=COUNT.",
    "law valid.toml --dataset a=-1": "count of 'a'=-1 is below 0. Pass count of 'a' of at least 0.",
    "law valid.toml --dataset a=1/2": "count of 'a'=1/2 is not an integer. Pass a whole number.",
    "law valid.toml --dataset a=0": "the data set is empty. Give at least one user: --dataset INPUT=COUNT.",
    "law valid.toml --dataset a=2 -n 3": "the data set has 2 users, but the protocol has n=3. "
    "Give one input for each user.",
    "law valid.toml --dataset {": "the data set is not valid JSON: Expecting property name enclosed in double quotes: "
    "line 1 column 2 (char 1). Write --dataset 0=3,1=2.",
    'law valid.toml --dataset {"a":null}': "the data set is no JSON object of counts. "
    'Write --dataset \'{"0": 3, "1": 2}\'.',
    # n
    "delta valid.toml -n 0 --eps 1": "n=0 is below 1. Pass n of at least 1.",
    "delta valid.toml -n -3 --eps 1": "n=-3 is below 1. Pass n of at least 1.",
    "delta valid.toml -n 1/2 --eps 1": "n=1/2 is not an integer. Pass a whole number.",
    "delta valid.toml -n ten --eps 1": f"n='ten' {NUMBER}",
    "delta silent.toml -n 4000 --eps 1 --neighbors add-or-remove-one": "pairwise scan: 128064008000 steps (8000 pairs "
    "times 16008001 outcomes), the limit is 100000000; the largest n here is 367. Use fewer users or messages.",
    "epsilon silent.toml -n 40 --delta 0 --limit 1000 --neighbors add-or-remove-one": "pairwise scan: 134480 steps "
    "(80 pairs times 1681 outcomes), the limit is 1000; the largest n here is 6. Use fewer users or messages.",
    "delta valid.toml --eps 1": "valid.toml needs -n, the number of users who follow the protocol. "
    "Write -n 100, or --users 100.",
    "certify @gap --eps 1 --delta 0": "@gap needs -n, the number of users who follow the protocol. "
    "Write -n 100, or --users 100.",
    "delta @zsum --gamma 1/8 -n 1e1007 --eps 1": "n=100000000000...(1008 digits) is more than the limit of 10^18 "
    "users. Use a smaller n.",
    "check @gap -n 1e19": "n=10000000000000000000 is more than the limit of 10^18 users. Use a smaller n.",
    "calibrate zsum -n 1e1007 --eps 1 --delta 1e-6": "n=100000000000...(1008 digits) is more than the limit of 10^18 "
    "users. Use a smaller n.",
    "accuracy zsum -n 1e1007 --gamma 1/8 --beta 1/20": "n=100000000000...(1008 digits) is more than the limit of 10^18 "
    "users. Use a smaller n.",
    "law @gap --dataset 0=1e1007": "n=100000000000...(1008 digits) is more than the limit of 10^18 users. "
    "Use a smaller n.",
    "sample @gap --dataset 0=1e1007 --size 1": "n=100000000000...(1008 digits) is more than the limit of 10^18 users. "
    "Use a smaller n.",
    "law @gap --dataset 0=1e15": "the law of about 1e15 users has up to about 4e15 outcomes, the limit is 10000000. "
    "Use fewer users.",
    "check valid.toml --limit 0": "limit=0 is below 1. Pass limit of at least 1.",
    # delta
    "epsilon valid.toml -n 3 --delta 3/2": "delta=3/2 is outside [0, 1]. Pass a probability.",
    "epsilon valid.toml -n 3 --delta -1": "delta=-1 is outside [0, 1]. Pass a probability.",
    "epsilon valid.toml -n 3 --delta nan": f"delta='nan' {NUMBER}",
    "certify valid.toml -n 3 --eps 1 --delta 2": "delta=2 is outside [0, 1]. Pass a probability.",
    "delta valid.toml --users @poison:mu=5 --eps 1": "users=@poison:mu=5 names no law. Did you mean @poisson? "
    "The laws are @binomial, @binomial-sum, @negative-binomial, @geometric, @discrete-laplace, @discrete-gaussian, "
    "@discrete-uniform, @poisson.",
    "delta valid.toml --users @discrete-laplace:exp_eps=2 --eps 1": "n=DiscreteLaplace('2') has outcomes below 0. "
    "Pass a law of a number of users.",
    "delta @one-sided-counting --r 3 --p 1/2 --users @poisson:mu=5 --eps 1": "users=@poisson:mu=5 is random, but "
    "@one-sided-counting --r 3 --p 1/2 is a count plus noise. Write -n 100.",
    # eps
    "delta valid.toml -n 3 --eps -1": "eps=-1 is below 0. Pass an eps of at least 0.",
    "delta valid.toml -n 3 --eps nan": f"eps='nan' {NUMBER}",
    "delta valid.toml -n 3 --eps inf": f"eps='inf' {NUMBER}",
    "delta valid.toml -n 3 --eps 1__000": f"eps='1__000' {NUMBER}",
    "delta valid.toml -n 3 --exp-eps exp(1/2)": "exp_eps='exp(1/2)' is irrational where an exact number is needed. "
    "Pass eps=1/2 instead of exp_eps.",
    "delta valid.toml -n 3 --eps exp(1/2)": "eps='exp(1/2)' is irrational where an exact number is needed. "
    "Pass a rational number.",
    "delta valid.toml -n 3 --exp-eps 1/2": "exp_eps=1/2 is below 1. Pass e^eps, a number of at least 1.",
    "delta valid.toml -n 3 --eps ln(1/2)": "argument=1/2 is below 1, so its logarithm is no eps. Pass e^eps >= 1.",
    "delta valid.toml -n 3": "one of --eps and --exp-eps is needed, and neither is given. "
    "Write --eps 1, or --exp-eps 2 for e^eps = 2.",
    "delta valid.toml -n 3 --eps 1 --exp-eps 2": "one of --eps and --exp-eps is needed, and both are given. "
    "Write --eps 1, or --exp-eps 2 for e^eps = 2.",
    "delta valid.toml -n 3 --eps 1 --relative-bits 0": "relative_bits=0 is below 1. Pass relative_bits of at least 1.",
    "delta valid.toml -n 3 --eps 1 --relative-bits 20000": "relative_bits=20000 is more than the limit of 10000. "
    "Use a smaller number.",
    # grids
    "curve valid.toml -n 3": "one grid is needed. Write --eps-to 2 --points 11, or --exp-eps-grid 1,3/2,2.",
    "curve valid.toml -n 3 --eps-to 1 --exp-eps-grid 1": "one grid is needed. Write --eps-to 2 --points 11, "
    "or --exp-eps-grid 1,3/2,2.",
    "curve valid.toml -n 3 --eps-from 2 --eps-to 1": "eps-from=2 and eps-to=1 are no grid. "
    "Give 0 <= eps-from <= eps-to.",
    "curve valid.toml -n 3 --eps-to 1 --points 0": "points=0 is below 1. Pass points of at least 1.",
    "curve valid.toml -n 3 --exp-eps-grid 1,x": f"exp_eps='x' {NUMBER}",
    # output
    "delta valid.toml -n 3 --eps 1 -o directory": "directory is a directory. Name a file.",
    "delta valid.toml -n 3 --eps 1 -o absent/file": "absent/file is in a directory that does not exist. "
    "Make it, or name another file.",
    "init valid.toml": "valid.toml exists. Name another file, or overwrite it with --force.",
    "init new.json": "new.json would be read as JSON, and the template is TOML. Name a .toml file.",
    "init directory": "directory is a directory. Name a file.",
    # the command line itself
    "epsilon valid.toml -n 3": "Missing option '--delta'. See 'exactdp epsilon --help'.",
    "delta": "Missing argument 'RANDOMIZER'. See 'exactdp delta --help'.",
    "verify": "Missing argument 'FILES...'. See 'exactdp verify --help'.",
    "delt": "'delt' is no command. Did you mean delta? See 'exactdp --help'.",
    "xyzzy": "'xyzzy' is no command. The commands are prove, check, init, protocols, delta, epsilon, curve, compose, "
    "renyi, law, slack, accuracy, survey, audit, choose, sweep, security, calibrate, search, refute, certify, verify, "
    "sample, report, experiment. See 'exactdp --help'.",
    "delta @negative-binomial:r=1,pp=1/2 --eps 1": "@negative-binomial has no parameter 'pp'. Did you mean p? Write "
    "@negative-binomial:r=R,p=A, for example @negative-binomial:r=42,p=exp(-1/5).",
    "search gap-interior": "there is no search 'gap-interior'. Did you mean gaps-interior? `exactdp search` lists the "
    "names.",
    "experiment centrall": "there is no experiment 'centrall'. Did you mean central? `exactdp experiment` lists "
    "the names.",
    "calibrate zsun -n 10 --eps 1 --delta 1e-6": "Invalid value for 'FAMILY': 'zsun' is not known. Did you mean zsum? "
    "See 'exactdp calibrate --help'.",
    "delta valid.toml -n 3 --neighbors replace-on --eps 1": "Invalid value for '--neighbors': 'replace-on' is not one "
    "of 'replace-one', 'add-or-remove-one', 'replace-by-zeros'. Did you mean replace-one? See 'exactdp delta --help'.",
    "init --kind hadamard-respons": "there is no kind 'hadamard-respons'. Did you mean hadamard-response? The kinds "
    "are randomized-response, unary-encoding, subset-selection, hadamard-response, local-hashing, "
    "clipped-discrete-laplace, balls-into-bins, mixed-dummies.",
    "sweep shwo store.sqlite": "'shwo' is no file. Did you mean show? See 'exactdp sweep --help'.",
    # standard input, and standard output where a file is needed
    "verify - -": "- is standard input, and is named twice. It is read once: name files for the others.",
    "delta - -n 3 --eps 1": "- is standard input, which is empty. Name a file, or pipe one in.",
    "sweep - -o store.sqlite": "- is standard input, which is empty. Name a file, or pipe one in.",
    "sweep show -": "- is no store: a store is read and written. Name a file; one of this name is ./-.",
    # grouped digits
    "delta valid.toml -n 1__0 --eps 1": f"n='1__0' {NUMBER}",
    "delta valid.toml -n _10 --eps 1": f"n='_10' {NUMBER}",
    "": "Missing command. See 'exactdp --help'.",
    "delta valid.toml -n 3 --eps 1 --format xml": "Invalid value for '--format': 'xml' is not one of 'text', 'json', "
    "'csv'. See 'exactdp delta --help'.",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "directory").mkdir()
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(100 * 2**20)  # 100 MB, of which none is on the disk
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _refused(result: Result) -> str:
    """The error, without its prefix, of a command that did nothing else."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) <= 2
    return result.stderr.removeprefix("error: ").removesuffix("\n")


@together("command", list(REFUSED))
def test_the_message(command: str, folder: Path) -> None:
    before = {path: path.stat().st_size for path in folder.iterdir()}
    assert _refused(CliRunner().invoke(cli, command.split())) == REFUSED[command]
    assert {path: path.stat().st_size for path in folder.iterdir()} == before


@together("command", [command for command in REFUSED if command.split()[:1] not in (["delt"], ["xyzzy"], [])])
def test_a_message_is_short_and_names_no_option_that_the_command_lacks(command: str) -> None:
    """But for what it says of a noise law or a named protocol, whose words are theirs."""
    name = command.split()[0]
    parameters = cli.get_command(None, name).params  # type: ignore[arg-type, union-attr]
    known = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", REFUSED[command])) <= known
    assert len(REFUSED[command]) < 400
    assert max(map(len, re.findall("[0-9]+", REFUSED[command])), default=0) < 40


@pytest.mark.parametrize(
    ("command", "said"),
    [
        # worded by click or by Python, so the words may differ between their versions
        ("delta valid.toml -n 3 --epz 1", "No such option"),
        ("delta @gap --user 3 --eps 1", "See 'exactdp delta --help'."),
        ("check broken.json", "broken.json: not valid JSON: Expecting value"),
    ],
)
def test_the_message_says(command: str, said: str, folder: Path) -> None:
    assert said in _refused(CliRunner().invoke(cli, command.split()))


def test_a_refusal_leaves_the_output_as_it_was(folder: Path) -> None:
    for command in ("delta @poisson --eps 1", "law @poisson:mu=1 --to 10000", "slack zsum -n 9 --eps 2 --delta 1/2"):
        _refused(CliRunner().invoke(cli, [*command.split(), "-o", "valid.toml"]))
        assert (folder / "valid.toml").read_text() == VALID


def test_prove_names_what_it_does_not_know(folder: Path) -> None:
    refused = _refused(CliRunner().invoke(cli, ["prove", "no-such-proof"]))
    assert refused.startswith("there is no proof 'no-such-proof'. `exactdp prove --list` names all ")
    refused = _refused(CliRunner().invoke(cli, ["prove", "--topic", "nothing"]))
    assert refused.startswith("there is no topic 'nothing'. The topics are definitions, ")


@pytest.mark.parametrize(
    ("command", "verdict", "limit"),
    [
        ("@zsum --gamma 1/8 -n 30000 --exp-eps 2 --delta 1/2", "PROVED", "Beyond the checker: "),
        ("@poisson:mu=1000 --eps 100 --delta 1e-6", "PROVED", "eps is 100, outside 0 to 64."),
        ("@binomial:n=10000,p=1/2 --eps 1/10 --delta 1/2 --shift 2000", "REFUTED", "shift is 2000, outside 1 to 1000."),
    ],
)
def test_a_certificate_beyond_the_checker_is_not_written(command: str, verdict: str, limit: str, folder: Path) -> None:
    result = CliRunner().invoke(cli, ["certify", *command.split(), "-o", "c.json"])
    assert result.exit_code == 3
    assert f"verdict {verdict}" in " ".join(result.stdout.split())
    assert limit in result.stdout
    assert result.stderr.endswith(  # after a line of progress, where the call is slow
        f"{verdict} by the engine alone: there is no certificate, and c.json is not written. "
        "--allow-enclosure accepts this; a smaller claim has a certificate.\n"
    )
    assert not (folder / "c.json").exists()
