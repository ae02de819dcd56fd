"""What commands refuse: one sentence that says what is wrong, exit code 2, no output, and no file that is touched."""

import gzip
import re
import shlex

import pytest

import command_line
from command_line import run
from reports import OTHER, REFERENCE, SYSTEMS

pytestmark = [
    pytest.mark.thread_unsafe(reason="commands write to the standard output of the process"),
]

TEXT = ["the cat is on a mat", "a dog sat", "", "so it was said again and again"]
LIST = ["0 ||| a cat ||| a= 3 b= 0 ||| 0", "0 ||| the cat ||| a= 0 b= 3 ||| 1", "1 ||| it rains ||| a= 1 b= 3 ||| 0"]
FILES = {
    "hyp": TEXT,
    "ref": [line.replace("mat", "hat") for line in TEXT],
    "refs": ["the cat sat", "it rains"],
    "short": ["one line"],
    "empty": [],
    "long": ["line"] * 3000,
    "list": LIST,
    "sparse": [line.replace(" ||| 0", " w_x= 1 ||| 0") for line in LIST],
    "bare": ["0 ||| a cat"],
    "joshua": ["0 ||| a cat ||| a=3 ||| 0"],
    "swapped": ["1 ||| a ||| a= 1 ||| 0", "0 ||| b ||| a= 1 ||| 0"],
    "seventh": ["0 ||| a ||| a= 1 ||| 0", "7 ||| b ||| a= 1 ||| 0"],
    "far": ["0 ||| a ||| a= 1 ||| 0", "10000002 ||| b ||| a= 1 ||| 0"],
    "leaps": [f"{number} ||| a ||| a= 1 ||| 0" for number in (0, 6_000_000, 12_000_000)],
    "from1": ["0 ||| a ||| a= 1 ||| 0", "1 ||| b ||| a= 1 ||| 0"],
    "broken": ['[{"text": "a\\nb", "features": {"a": 1}}]'] * 2,
    "weights": ["a_0 1", "b_0 2"],
    "partial": ["a_0 1"],
    "numberless": ["a_0 x"],
    "moses.ini": ["[weight]", "a= 1", "b= 2", "[weight-file]", "sparse.weights"],
    **dict.fromkeys(("score", "tune", "mert", "mbr"), TEXT),  # a file does not hide the command of its name
    "ref1": REFERENCE,
    "ref2": OTHER,
    **{f"{name}.txt": lines for name, lines in SYSTEMS.items()},
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with all files, which no command changes."""
    folder = tmp_path_factory.mktemp("files")
    command_line.write_lines(folder, FILES)
    (folder / "latin").write_bytes(b"a\nb\nca\xe9f\nd\n")
    (folder / "cut.gz").write_bytes(gzip.compress((folder / "hyp").read_bytes())[:-9])
    return folder


@pytest.fixture
def files(written, monkeypatch):
    monkeypatch.chdir(written)
    return written


def check_refusal(folder, arguments, fragment):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = run(*shlex.split(arguments))
    assert (result.exit_code, result.stdout) == (2, ""), arguments
    said = " ".join(result.stderr.split()).replace("'", "")  # not every version of click quotes an option
    assert fragment.replace("'", "") in said, said
    assert result.stderr.splitlines()[-1].startswith(("cybleu: error: ", "Error: ")), said
    assert "Traceback" not in said and "\x1b" not in said and not re.search("None|size=|first_id| 1 lines", said)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


OF_FILES = {
    "missing ref": "missing: cannot be read",
    "hyp .": ".: cannot be read",
    "short ref ref": "short: 1, ref: 4, ref: 4",
    "hyp ref long": "hyp: 4, ref: 4, long: 3000",
    "latin ref": "latin, line 3: not UTF-8 text: byte 0xe9; convert the file, with iconv",
    "cut.gz ref": "cut.gz, before the end of line 1: the gzip data",
    "empty empty": "no segment",
    "- -": "standard input",
}


@pytest.mark.parametrize("names", OF_FILES)
@pytest.mark.parametrize(
    "command", ["score", "score --segments --format json", "score --metric nltk", "variants --format json"]
)
def test_files_of_texts(files, command, names):
    check_refusal(files, f"{command} {names}", OF_FILES[names])


FEATURES = "--features-file F --scores-file S"
BOTH = "one.txt two.txt -r ref1"
REFUSED = {
    "score": {
        "hyp": "cybleu score - REF",
        "hyp ref -r ref": "with -r; to score several systems, use cybleu compare",
        "hyp ref --weights a,b": "'a,b' is not a list of numbers such as 0.1,0.3,0.5,0.1",
        "hyp ref --metric nope": "'nope' is not one of",
        "hyp ref --metric gleu --max-order 2": "the metric gleu has no option --max-order",
        "hyp ref --confidence --metric nltk --smoothing method5": "method5",
        "hyp ref --confidence --level mean": "mean",
        "short short --confidence -m nltk": "one segment, so all samples of --confidence",
        "short short --confidence -m gleu": "one segment, so all samples of --confidence",
        "hyp ref --confidence --segments": "--segments and --confidence together require --format json",
        f"hyp ref --weights {','.join('1' * 65)}": "65 weights, but at most 64",
        "hyp ref --lowercas": "there is no option --lowercas; did you mean --lowercase?",
        "ref -i hyp": "there is no option -i; give the hypotheses first",
        "hyp ref -tok intl": "there is no option -tok; it is --tokenize here",
        "hyp ref --paired-bs": "use cybleu compare with --test shifted-bootstrap",
        "hyp ref --cite": "--cite; give it before the name of the command",
        "hyp ref --bootstrap": "there is no option --bootstrap; it is --confidence here",
        "--hypotheses hyp ref": "--hypotheses; give the files of texts and lists without an option",
        "hyp ref -m blue": "did you mean bleu?",
        "hyp ref -m bleu,": "an empty name beside a comma is not one of",
        "hyp ref -m nltk --smoothing foo": "method5 to method7 require texts",
        "hyp ref -m nltk,bleu --smoothing method5": "sacrebleu has no smoothing 'method5'",
        "format=1.txt ref": "format=1.txt: cannot be read",
        "hyp ref -m bleu chrf": "give metrics as -m bleu,chrf",
    },
    "variants": {
        "hyp": "run: cybleu variants HYP REF...",
        "hyp ref --metric bleu": "unknown variant 'bleu'; use one of nltk",
    },
    "explain": {
        "hyp --line 1": "run: cybleu explain HYP REF... --line N",
        "hyp ref 5": "Missing option '--line'; did you mean --line 5?",
        "hyp ref --segment 5": "there is no option --segment; it is --line here",
        "hyp ref -l 5": "there is no option -l; use --line here",
        "short short --line 5": "--line is 5, but the files have 1 line",
    },
    "compare": {
        f"{BOTH} --paired-ar": "--paired-bs is --test shifted-bootstrap, --paired-ar the default",
        f"{BOTH} --latex": "there is no option --latex; did you mean --format latex?",
        "one.txt two.txt --ref ref1": "there is no option --ref; did you mean --references?",
        "-r ref1": "the references with -r",
        "one.txt -r ref1": "at least two systems",
        f"{BOTH} -m nltk --smoothing method5": "nltk has no smoothing 'method5'",
        "one.txt two.txt": "Missing option '-r'",
        "one.txt one.txt -r ref1": "named 'one'; give each a different name with NAME=FILE",
        "one.txt =b -r ref1": "'=b' is not a system; give FILE, NAME=FILE",
        "- x=- -r ref1": "standard input",
        "one=short two=short -r short": "there is one segment",
        f"{BOTH} --baseline c": "to be the baseline; there are one, two",
        f"{BOTH} --influence": "--influence requires --format json",
        f"{BOTH} --source refs": "--source requires --report",
        f"{BOTH} --ci": "--ci; intervals are always printed",
        f"{BOTH} --names a,b": "--names; name a system as NAME=FILE",
        f"{BOTH} --html page": "there is no option --html; it is --report here",
        f"{BOTH} -o table": "-o; redirect standard output",
        f"{BOTH} --label results": "--label requires --format latex",
    },
    "tune mert": {
        "list --ref refs": "did you mean --references?",
        "list refs --weights w": "there is no option --weights; it is --start here",
        "": "an n-best list and its references",
        "--features-file x": "in pairs",
        "--features-file hyp,missing --scores-file hyp,hyp": "FEATURES_TXT_BEGIN",
        "list": "a file of references after it",
        "--features-file hyp --scores-file hyp --more list": "cannot be combined with --more, with references",
        "--features-file hyp --scores-file hyp --format json": "with references or with options of the list",
        "--features-file hyp --scores-file hyp -r 7": "cannot be combined with --more, with references or with options",
        "list refs --start weights --start partial": "--start is given 2 times",
        "list refs --start partial": "no weight for the feature 'b_0'",
        "hyp refs": "not moses or joshua; for fairseq",
        "bare refs": "use --format moses or --format joshua",
        "list refs --first-id 1": "--first-id",
        "list refs --start 1,x": "neither a file nor a list of numbers",
        f"list refs --start {','.join(['0.123456'] * 600)}": "--start has 600 numbers",
        "list refs --bounds a": "is not NAME=LOW:HIGH",
        "list refs --bounds a_0=0: --bounds a_0=:1": "--bounds is given twice for 'a_0'",
        "list refs --metric codexglue": "codexglue is a mean",
        "list refs --normalise l1 --fixed a_0": "leave out --normalise, or --fixed",
        "list refs --metric chrf": "only BLEU, and chrf is another metric",
        f"list refs --restarts {10**18}": "is not in the range 0<=x<=1000000",
    },
    "tune kbmira": {
        "list refs --step 0": "is not in the range x>0",
        "list refs -o -": "-o: must be a file, not standard output",
        "sparse refs --output-format numbers": "the list has 1; use --output-format names or moses",
    },
    "tune pro": {
        "list refs --minimum -1": "is not in the range x>=0",
    },
    "tune loop": {
        "run --decoder x --start weights": "run: cybleu tune loop FOLDER REF... --start FILE --decoder COMMAND",
        "run refs --decoder x --start weights --keep 9": "--keep is an option of pro, but the tuner is mert",
        "run refs --decoder x --start weights --tuner pro --restarts 2": "--restarts is an option of mert",
    },
    "tune extract": {
        f"list {FEATURES}": "run: cybleu tune extract NBEST REF... --features-file",
        f"list refs {FEATURES} --format joshua": "list, line 1: ",
        f"list refs {FEATURES} --format plain": "--size, the number of lines of each segment",
        "list refs --features-file - --scores-file S": "--features-file: must be a file, not standard output",
        "list refs --features-file out --scores-file ./out": "the same file",
    },
    "rerank linear": {
        "list --weights moses.ini": "moses.ini, line 5: the weights in 'sparse.weights' would be ignored; append its lines",
        "list -w weights": "there is no option -w; it is --weights here",
        "list --weights weights --tokenize 13a": "there is no option --tokenize; see --help",
        "list --weights weights --explain 1 -o out": "cannot be combined with --output or --list",
        "far --weights partial": "10000001 have no hypothesis, but at most 10000000",
        "far --weights partial --list moses": "10000001 have no hypothesis, but at most 10000000",
        "leaps --weights partial": "11999998 have no hypothesis, but at most 10000000",
        "list --weights partial": "partial: has no weight for b_0; use 0",
        "list --weights numberless": "numberless, line 1: the weight of 'a_0' 'x' is not a number",
    },
    "rerank mbr": {
        "samples -n 4": "there is no option -n; it is --size here",
        "hyp": "as --size; for fairseq's output or JSON lines, use --format",
        "hyp --format plain --size 2 --scale 1": "--scale requires model scores",
        "list --prune 1 --list moses": "--prune",
        "list --explain 2": "no segment 2",
        "joshua --list moses": "rename the features, or use --list joshua",
        "broken --format json": "has a line break",
        "swapped": "the segment 0 comes after 1, but ids must ascend; sort the list by id",
        "from1 --first-id 1": "begin at 1; use --first-id",
        "seventh --segment-count 7": "the segment 7, but there are only 7 segments",
        f"list --segment-count {10**12} -o out": "would fill the disk",
    },
    "rerank oracle": {
        "list": "run: cybleu rerank oracle NBEST REF...",
        "list /dev/null": "the references are empty",
        "list refs --level corpus --list moses": "--list",
        "broken refs --format json --level corpus": "has a line break",
    },
    "rerank perceptron": {
        "list": "run: cybleu rerank perceptron NBEST REF...",
        "list refs --held-out -": "--output and --held-out",
        "sparse refs --folds 2 --output-format numbers": "the list has 1; use --output-format",
        "broken refs --format json --folds 2 --held-out out": "has a line break",
    },
    "": {
        "scor hyp ref": "Did you mean score",
        "mert list refs": "No such command mert. Did you mean tune mert?",
        "difference one refs": "No such command difference; use one of score, compare",
        "tune --nbest list": "--nbest; the name of a command comes first: mert, kbmira",
        "hyp ref": "hyp is a file; the name of a command comes first: score, compare",
        "chrF2++ hyp ref --digits 1": "run: cybleu score -m chrf2++ hyp ref --digits 1",
        "ter": "run: cybleu score -m ter HYP REF",
        "bleu hyp ref": "cybleu score -m bleu hyp ref",
        "--cite meteor": "unknown metric 'meteor'",
    },
}


@pytest.mark.parametrize(
    ("command", "arguments", "fragment"),
    [(command, *row) for command, rows in REFUSED.items() for row in rows.items()],
)
def test_what_is_refused(files, command, arguments, fragment):
    check_refusal(files, f"{command} {arguments}", fragment)


REPORTS = {
    "r.html one.txt -r ref1 --format csv": "--format csv requires at least two systems",
    f"ref1 {BOTH}": "ref1: is read and would be written",
    f"none/r.html {BOTH}": "none/r.html: cannot be written",
    f"- {BOTH}": "--report: must be a file, not standard output",
}


@pytest.mark.parametrize("arguments", REPORTS)
def test_reports_that_are_refused(jinja2, files, arguments):
    check_refusal(files, f"compare --report {arguments}", REPORTS[arguments])
