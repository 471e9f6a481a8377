"""Writes samples/<name>.jsonl beside itself and samples.json: broken and healthy samples of language-model and agent training."""
import json
import re
import sqlite3
import zlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
OUT = HERE / "samples"
FILES, BROKEN = {}, {}


def make(name, *words):
    def deco(fn):
        assert name not in FILES, name
        FILES[name] = fn
        if words:
            BROKEN[name] = list(words)
        return fn
    return deco


def pick(r, xs):
    return xs[int(r.integers(len(xs)))]


def jit(sd, *texts):
    """What a grader errs by: always the same for the same texts."""
    return float(np.random.default_rng(zlib.crc32("|".join(map(str, texts)).encode())).normal(0, sd))


def sig(x):
    return 1 / (1 + np.exp(-x))


def ri(r, a, b):
    return int(r.integers(a, b + 1))


def cap(s):
    return s if s.startswith("f(") else s[:1].upper() + s[1:]


NAMES = ("Mara Tom Aisha Diego Lena Kofi Priya Jonas Yuki Omar Greta Hugo Nadia Felix Rosa Ivan Chloe Samir Ingrid Paul "
         "Wanda Luis Mei Arthur Zoe Bruno Helga Tariq Fiona Nils").split()
ITEMS = ("pens notebooks apples candles mugs tickets batteries plants stamps postcards muffins bricks ropes lamps tiles books "
         "scarves kites jars buttons").split()
PLACES = "Lisbon Oslo Kraków Quito Nairobi Hanoi Bergen Turin Cork Aarhus Tampa Perth Leeds Kyoto Izmir Lyon".split()


# ---------- arithmetic word problems: steps that build on each other, so that a slip is carried on ----------
def problem(r, level=None):
    k = ri(r, 0, 11) if level is None else [ri(r, 0, 3), ri(r, 4, 8), ri(r, 9, 11)][level]
    n, m = (str(x) for x in r.choice(NAMES, 2, replace=False))
    o, o2 = (str(x) for x in r.choice(ITEMS, 2, replace=False))
    a, b, c, d = ri(r, 3, 19), ri(r, 4, 28), ri(r, 12, 60), ri(r, 2, 9)
    if k == 0:
        t = pick(r, [f"{n} buys {a} {o} at {b} dollars each. How many dollars does {n} pay?",
                     f"A box of {o} costs {b} dollars. What do {a} such boxes cost, in dollars?"])
        s = [("the price of all", lambda v: (f"{a} * {b}", a * b))]
    elif k == 1:
        t = f"{n} has {c + 40} {o} and gives {b} of them to {m}. How many {o} does {n} have left?"
        s = [("what is left", lambda v: (f"{c + 40} - {b}", c + 40 - b))]
    elif k == 2:
        t = f"There were {c} people on the bus to {pick(r, PLACES)}. At the market {a} got on and {d} got off. How many are on the bus now?"
        s = [("the number after the market", lambda v: (f"{c} + {a}", c + a)), ("the number now", lambda v: (f"{v[0]} - {d}", v[0] - d))]
    elif k == 3:
        t = f"{n} reads {b} pages a day. How many pages does {n} read in {a} days?"
        s = [("the number of pages", lambda v: (f"{b} * {a}", a * b))]
    elif k == 4:
        t = f"{n} buys {a} {o} for {b} dollars each and {d} {o2} for {c} dollars each. What is the total in dollars?"
        s = [(f"the cost of the {o}", lambda v: (f"{a} * {b}", a * b)), (f"the cost of the {o2}", lambda v: (f"{d} * {c}", d * c)),
             ("the total", lambda v: (f"{v[0]} + {v[1]}", v[0] + v[1]))]
    elif k == 5:
        t = f"A hall in {pick(r, PLACES)} has {a + 8} rows of {b} seats. If {c} seats are taken, how many are free?"
        s = [("the number of seats", lambda v: (f"{a + 8} * {b}", (a + 8) * b)), ("the free seats", lambda v: (f"{v[0]} - {c}", v[0] - c))]
    elif k == 6:
        t = f"A rectangle is {c} cm long and {b} cm wide. What is its perimeter in centimetres?"
        s = [("length plus width", lambda v: (f"{c} + {b}", c + b)), ("twice that", lambda v: (f"2 * {v[0]}", 2 * v[0]))]
    elif k == 7:
        t = f"{n} saves {b} dollars a week for {a} weeks and then spends {c // 2} dollars. How much is left?"
        s = [("the savings", lambda v: (f"{b} * {a}", a * b)), ("what is left", lambda v: (f"{v[0]} - {c // 2}", v[0] - c // 2))]
    elif k == 8:
        t = f"{n} is {d + 20} years older than {m}. {m} is {c}. How old are they together?"
        s = [(f"the age of {n}", lambda v: (f"{c} + {d + 20}", c + d + 20)), ("both ages", lambda v: (f"{v[0]} + {c}", v[0] + c))]
    elif k == 9:
        t = (f"A workshop makes {a} {o} an hour for {d} hours each day. After {b} days it packs them and finds {c} faulty. "
             f"The good ones sell for {d + 3} dollars each. What does it earn, in dollars?")
        s = [("a day's output", lambda v: (f"{a} * {d}", a * d)), ("the whole output", lambda v: (f"{v[0]} * {b}", v[0] * b)),
             ("the good ones", lambda v: (f"{v[1]} - {c}", v[1] - c)), ("the earnings", lambda v: (f"{v[2]} * {d + 3}", v[2] * (d + 3)))]
    elif k == 10:
        t = f"Find the sum of the first {a + 6} terms of the arithmetic sequence that begins with {b} and grows by {2 * d} each time."
        q = a + 6
        s = [("the last term", lambda v: (f"{b} + {q - 1} * {2 * d}", b + (q - 1) * 2 * d)), ("first plus last", lambda v: (f"{b} + {v[0]}", b + v[0])),
             ("the sum", lambda v: (f"{q} * {v[1]} / 2", q * v[1] // 2))]
    else:
        t = f"Let f(x) = {d}x^2 - {b}x + {c}. What is f({a}) + f({d})?"
        s = [(f"f({a})", lambda v: (f"{d} * {a * a} - {b} * {a} + {c}", d * a * a - b * a + c)),
             (f"f({d})", lambda v: (f"{d} * {d * d} - {b} * {d} + {c}", d * d * d - b * d + c)), ("their sum", lambda v: (f"{v[0]} + {v[1]}", v[0] + v[1]))]

    def run(slip=None, delta=0):
        v, out = [], []
        for i, (desc, f) in enumerate(s):
            e, x = f(v)
            if i == slip:
                x += delta
            v.append(x)
            out.append((desc, e, x))
        return out
    return {"prompt": t, "answer": run()[-1][2], "run": run, "n": len(s), "hard": [0, 0, .4, 0, 1.0, .8, .5, .8, .5, 2.0, 2.1, 2.2][k], "kind": k}


LINE = ["{D} is {e} = {x}.", "First we need {d}: {e} = {x}.", "{e} = {x}, which is {d}.", "For {d} I get {e} = {x}.", "Compute {d}. That gives {e} = {x}.",
        "{D}: {e} = {x}."]
OPEN = ["", "", "Let me work through this. ", "Okay, step by step. ", "We are given the numbers we need. ", "Reading the question again: ", "Here we go. "]
CHECK = ["Let me check {e}: yes, {x}.", "Going over it once more, {d} is indeed {x}.", "Estimating roughly, {x} seems plausible for {d}.", "Doing {e} a second time I find {x} again.",
         "Could I have mixed up the numbers? The question says so plainly, so {d} stays {x}.",
         "Wait, is {e} really {x}? Yes.", "Let me do {e} in another order: still {x}.", "A rough guess would be close to {x} as well.", "The units fit, so {x} is fine for {d}.", "Hmm, {x} for {d}; I see no mistake."]
ENDS = {"plain": "The answer is {x}.", "box": "So the answer is \\boxed{{{x}}}.", "hash": "#### {x}", "tag": "<answer>{x}</answer>"}


def solve(r, p, ok, end="plain", checks=0, brief=False):
    if ok:
        st = p["run"]()
    else:
        st = p["run"](ri(r, 0, p["n"] - 1), int(pick(r, [-10, 10, -1, 1, 2, -2, 9, -9, 5, 20, -20, 100, 7, -3])))
        if st[-1][2] == p["answer"]:
            st = p["run"](p["n"] - 1, 10)
    parts = []
    for d, e, x in st:
        parts.append(pick(r, LINE).format(d=d, D=cap(d), e=e, x=x))
    own = list(range(len(parts)))  # the step that a line belongs to; a check comes after its step
    for _ in range(checks):
        i = ri(r, 0, len(st) - 1)
        at = ri(r, own.index(i) + 1, len(parts))
        d, e, x = st[i]
        parts.insert(at, pick(r, CHECK).format(d=d, e=e, x=x))
        own.insert(at, -1)
    if brief:
        parts = parts[-1:]
    body = pick(r, OPEN) + pick(r, [" ", " ", "\n"]).join(parts)
    x = st[-1][2]
    e = ENDS[end].format(x=x)
    if end == "tag":
        return f"<think>{body}</think>\n{e}", x
    return body + ("\n" if end == "hash" else " ") + e, x


def toks(r, t):
    return int(len(t.split()) * 1.35 + ri(r, 0, 3))


def norm(rs, eps=1e-4):
    a = np.array(rs, float)
    return [round(float(x), 4) for x in (a - a.mean()) / (a.std() + eps)]


def grpo(r, steps=24, prompts=4, n=8, skill=(-.6, 1.6), end="box", level=None, checks=None, pool=None, stride=1):
    """Yields groups: step, problem, list of (text, value, ok)."""
    for s in range(steps):
        z = skill[0] + (skill[1] - skill[0]) * s / max(1, steps - 1)
        for _ in range(prompts):
            p = pick(r, pool) if pool else problem(r, level)
            q = sig(z + .6 - p["hard"] + r.normal(0, .5))
            g = []
            for _ in range(n):
                ok = bool(r.random() < q)
                t, x = solve(r, p, ok, end, ri(r, 0, 1) if checks is None else checks(r, s))
                g.append((t, x, ok))
            yield s * stride, p, g


# ---------- code ----------
CODE = [
    ("is_palindrome(s)", "returns True if the string s reads the same backwards, ignoring case", ["return s.lower() == s.lower()[::-1]", "t = s.lower()\n    return all(t[i] == t[-1 - i] for i in range(len(t) // 2))"], ["return s == s[::-1]", "return s[0].lower() == s[-1].lower()"]),
    ("second_largest(xs)", "returns the second largest distinct value of xs, or None", ["u = sorted(set(xs))\n    return u[-2] if len(u) > 1 else None", "best = None\n    top = max(xs, default=None)\n    for x in xs:\n        if x != top and (best is None or x > best):\n            best = x\n    return best"], ["return sorted(xs)[-2]", "xs.remove(max(xs))\n    return max(xs)"]),
    ("count_vowels(text)", "counts the vowels a, e, i, o, u in text, in either case", ["return sum(ch in 'aeiou' for ch in text.lower())", "n = 0\n    for ch in text:\n        if ch in 'aeiouAEIOU':\n            n += 1\n    return n"], ["return sum(ch in 'aeiou' for ch in text)", "return len([c for c in set(text.lower()) if c in 'aeiou'])"]),
    ("flatten(xs)", "flattens a list of lists of any depth", ["out = []\n    for x in xs:\n        out.extend(flatten(x) if isinstance(x, list) else [x])\n    return out", "stack, out = list(xs)[::-1], []\n    while stack:\n        x = stack.pop()\n        if isinstance(x, list):\n            stack.extend(x[::-1])\n        else:\n            out.append(x)\n    return out"], ["return [y for x in xs for y in x]", "return sum(xs, [])"]),
    ("gcd(a, b)", "returns the greatest common divisor of two integers, which may be negative", ["a, b = abs(a), abs(b)\n    while b:\n        a, b = b, a % b\n    return a", "import math\n    return math.gcd(a, b)"], ["while a != b:\n        a, b = max(a, b) - min(a, b), min(a, b)\n    return a", "return min(a, b)"]),
    ("roman(n)", "writes a number from 1 to 3999 in Roman numerals", ["out = ''\n    for v, s in [(1000,'M'),(900,'CM'),(500,'D'),(400,'CD'),(100,'C'),(90,'XC'),(50,'L'),(40,'XL'),(10,'X'),(9,'IX'),(5,'V'),(4,'IV'),(1,'I')]:\n        while n >= v:\n            out += s\n            n -= v\n    return out"], ["out = ''\n    for v, s in [(1000,'M'),(500,'D'),(100,'C'),(50,'L'),(10,'X'),(5,'V'),(1,'I')]:\n        out += s * (n // v)\n        n %= v\n    return out"]),
    ("merge(a, b)", "merges two sorted lists into one sorted list", ["return sorted(a + b)", "i = j = 0\n    out = []\n    while i < len(a) and j < len(b):\n        if a[i] <= b[j]:\n            out.append(a[i]); i += 1\n        else:\n            out.append(b[j]); j += 1\n    return out + a[i:] + b[j:]"], ["return a + b", "return sorted(set(a + b))"]),
    ("is_prime(n)", "says whether the integer n is prime", ["if n < 2:\n        return False\n    return all(n % d for d in range(2, int(n ** 0.5) + 1))", "if n < 2:\n        return False\n    d = 2\n    while d * d <= n:\n        if n % d == 0:\n            return False\n        d += 1\n    return True"], ["return all(n % d for d in range(2, n))", "return n % 2 == 1"]),
    ("word_freq(text)", "returns a dict from each lower-case word of text to how often it occurs", ["out = {}\n    for w in text.lower().split():\n        out[w] = out.get(w, 0) + 1\n    return out", "from collections import Counter\n    return dict(Counter(text.lower().split()))"], ["return {w: 1 for w in text.lower().split()}", "return {w: text.count(w) for w in text.split()}"]),
    ("rotate(xs, k)", "rotates the list xs to the right by k places; k may be larger than the list", ["if not xs:\n        return xs\n    k %= len(xs)\n    return xs[-k:] + xs[:-k] if k else list(xs)", "n = len(xs)\n    return [xs[(i - k) % n] for i in range(n)]"], ["return xs[-k:] + xs[:-k]", "return xs[k:] + xs[:k]"]),
    ("balanced(s)", "checks whether the brackets ()[]{} in s are balanced", ["stack = []\n    pair = {')': '(', ']': '[', '}': '{'}\n    for c in s:\n        if c in '([{':\n            stack.append(c)\n        elif c in pair and (not stack or stack.pop() != pair[c]):\n            return False\n    return not stack"], ["return s.count('(') == s.count(')') and s.count('[') == s.count(']') and s.count('{') == s.count('}')"]),
    ("digits_sum(n)", "returns the sum of the decimal digits of n, also for negative n", ["return sum(int(c) for c in str(abs(n)))", "n, t = abs(n), 0\n    while n:\n        n, d = divmod(n, 10)\n        t += d\n    return t"], ["return sum(int(c) for c in str(n))", "return n % 9"]),
    ("transpose(m)", "transposes a matrix that is given as a list of rows", ["return [list(row) for row in zip(*m)]", "return [[m[i][j] for i in range(len(m))] for j in range(len(m[0]))] if m else []"], ["return [row[::-1] for row in m]", "return m[::-1]"]),
    ("dedupe(xs)", "removes duplicates from xs and keeps the order of first occurrence", ["return list(dict.fromkeys(xs))", "seen = set()\n    return [x for x in xs if not (x in seen or seen.add(x))]"], ["return list(set(xs))", "return sorted(set(xs))"]),
]
CTALK = ["Here is a solution.", "I would write it like this:", "This follows the definition directly.", "A short implementation:", "Let me think about the edge cases first: empty input and repeated values.", "", "The function goes over the input once."]
CTAIL = ["", "", "It runs in linear time.", "Empty input is handled as well.", "Let me know if you need type hints.", "I kept it simple on purpose.", "No extra modules are required."]
CASK = ["Write a Python function `{s}` that {d}.", "Implement `{s}` in Python. It {d}.", "Task: define `{s}`, which {d}. Return only code and short comments."]


def code_text(r, task, ok, body=None):
    sig_, d, good, bad = task
    b = body if body is not None else pick(r, good if ok else bad)
    doc = pick(r, ["", "", f'    """{cap(d)}."""\n', "    # see the task\n"])
    for old, new in [("out", pick(r, ["out", "res", "acc"])), ("seen", pick(r, ["seen", "known"])), ("stack", pick(r, ["stack", "todo"]))]:
        b = re.sub(rf"\b{old}\b", new, b)
    return "\n".join(x for x in [pick(r, CTALK), f"```python\ndef {sig_}:\n{doc}    {b}\n```", pick(r, CTAIL)] if x)


# ---------- SQL ----------
TABLES = [("orders", "customer", "amount", "city"), ("flights", "carrier", "delay", "origin"), ("books", "author", "pages", "language"), ("players", "team", "goals", "country"),
          ("sensors", "site", "reading", "model"), ("invoices", "vendor", "total", "currency"), ("patients", "ward", "age", "clinic"), ("films", "director", "minutes", "studio")]


def sql_task(r):
    t, a, b, c = pick(r, TABLES)
    v = pick(r, {"currency": ["EUR", "USD", "CHF", "GBP", "NOK"], "language": ["Spanish", "Polish", "Thai", "Dutch", "Greek"], "model": ["MX-20", "MX-35", "T-9", "KL-4"], "country": ["Chile", "Ghana", "Norway", "Japan", "Peru"],
                 "studio": ["Halcyon", "Northlight", "Brass Door", "Tin Horse"], "clinic": ["St. Anna", "Westend", "Harbour", "Old Mill"]}.get(c, PLACES))
    w = ri(r, 10, 400)
    k = ri(r, 0, 4)
    q = [f"How many rows of {t} have {b} above {w}?", f"What is the average {b} for each {a} in {t}?", f"List every {a} in {t} whose {c} is {v}, without repeats.",
         f"Which {a} in {t} has the highest sum of {b}?", f"What is the largest {b} in {t} where {c} is {v}?"][k]
    s = [f"SELECT COUNT(*) FROM {t} WHERE {b} > {w}", f"SELECT {a}, AVG({b}) FROM {t} GROUP BY {a}", f"SELECT DISTINCT {a} FROM {t} WHERE {c} = '{v}'",
         f"SELECT {a} FROM {t} GROUP BY {a} ORDER BY SUM({b}) DESC LIMIT 1", f"SELECT MAX({b}) FROM {t} WHERE {c} = '{v}'"][k]
    bad = [[s.replace(">", ">="), s.replace("COUNT(*)", f"SUM({b})"), s.replace(">", "<")], [s.replace("AVG", "SUM"), f"SELECT AVG({b}) FROM {t}", s.replace(f"BY {a}", f"BY {c}")],
           [s.replace("DISTINCT ", ""), s.replace(f"= '{v}'", f"LIKE '{v[0]}'"), s.replace(c, a)], [s.replace(" DESC", ""), s.replace("SUM", "MAX"), s.replace(" LIMIT 1", "")],
           [s.replace("MAX", "MIN"), s.split(" WHERE")[0], s.replace("MAX", "COUNT")]][k]
    schema = f"CREATE TABLE {t} (id INTEGER, {a} TEXT, {b} REAL, {c} TEXT);"
    return {"prompt": f"{schema}\n-- {q}", "q": q, "sql": s, "bad": bad, "table": t}


def sql_text(r, k, ok):
    s = k["sql"] if ok else pick(r, k["bad"])
    f = ri(r, 0, 4)
    if f == 0:
        s = s.lower().replace(k["sql"].split("'")[1].lower(), k["sql"].split("'")[1]) if "'" in k["sql"] else s.lower()
    if f == 1:
        s = s.replace(" FROM", "\nFROM").replace(" WHERE", "\nWHERE").replace(" GROUP", "\nGROUP")
    if f == 2:
        s = s + ";"
    if f == 3:
        s = f"```sql\n{s};\n```"
    return s


# ---------- advice: answers made of good and weak sentences ----------
TOPICS = {
    "keeping basil alive on a windowsill": ["Turn the pot every few days so all sides get light.", "Water when the top centimetre of soil is dry, not on a schedule.", "Pinch off the tips above a pair of leaves so it branches.", "Supermarket pots are crowded, so split them into two or three.", "Keep it above twelve degrees at night."],
    "preparing for a first marathon": ["Add no more than about ten percent distance a week.", "Run most of the kilometres slowly enough to talk.", "Practise eating and drinking on the long runs.", "Cut the volume in the last two weeks.", "Do not try new shoes on race day."],
    "asking for a raise": ["Collect two or three results with numbers before the talk.", "Look up what the role pays elsewhere.", "Name a figure and then stop talking.", "Ask what would be needed if the answer is no.", "Choose a moment after a finished project."],
    "removing red wine from a carpet": ["Blot at once with a clean cloth, never rub.", "Pour on a little cold water and blot again.", "Mix dish soap with vinegar and dab from the edge inwards.", "Test the mixture on a hidden spot first.", "Dry it with a towel under a weight."],
    "learning to touch-type": ["Rest the fingers on the home row and feel for the bumps.", "Ten minutes a day is better than an hour on Sunday.", "Go slowly enough to make few errors.", "Cover the keys so that you cannot peek.", "Practise real text once you know the letters."],
    "choosing a used bicycle": ["Lift the frame and look for cracks near the welds.", "Spin the wheels and see whether they wobble.", "Check how worn the chain is with a gauge.", "Ask for the proof of purchase.", "Ride it uphill through all gears."],
    "sleeping better during night shifts": ["Darken the bedroom completely and use earplugs.", "Stop coffee six hours before you go to bed.", "Keep the same hours on days off as far as you can.", "Wear sunglasses on the way home.", "Eat lightly towards the end of the shift."],
    "speeding up an old laptop": ["See which programs start by themselves and switch most of them off.", "Swap the hard disk for a solid-state drive.", "Clean the fan so it does not throttle.", "Leave a fifth of the disk free.", "Add memory if it swaps all the time."],
    "baking bread without a machine": ["Weigh the flour instead of using cups.", "Fold the dough every half hour rather than kneading it.", "Let it rise in the fridge overnight for flavour.", "Bake in a hot pot with the lid on for twenty minutes.", "Let it cool before you cut it."],
    "calming a dog during fireworks": ["Close the shutters and put on some music early.", "Walk the dog well before dusk.", "Give it a den with a blanket it knows.", "Stay calm yourself and let it come to you.", "Talk with the vet in good time about remedies."],
    "saving for a house deposit": ["Set up a transfer on the day the salary arrives.", "Compare accounts for interest every year.", "Write down three months of spending before you cut.", "Ask whether your region gives grants to first buyers.", "Keep an emergency fund apart from it."],
    "getting a toddler to eat vegetables": ["Serve a small portion first while they are hungry.", "Offer the same one a dozen times without pressure.", "Let them help to wash and stir.", "Eat it yourself at the same table.", "Cut it into shapes that are easy to hold."],
    "giving a talk without notes": ["Learn the first and the last sentence by heart.", "Build it from five pictures you can walk through.", "Rehearse aloud while standing.", "Pause where others would say um.", "Have a glass of water within reach."],
    "storing potatoes over winter": ["Keep them in the dark at about six degrees.", "Do not wash them before storing.", "Take out any that are soft each week.", "Use a crate with slats so the air moves.", "Apples nearby make them sprout, so part them."],
}
WEAK = ["There are many opinions about this.", "It depends on a lot of things.", "Some people find it hard.", "You could also look it up online.", "In general, it is good to be careful.", "This is a common question.", "Everyone is different, of course.", "It may or may not work.", "Time will tell.", "Just do whatever feels right."]
PASK = ["How do I go about {t}?", "Any tips for {t}?", "I need help with {t}. Where do I start?", "What matters most when {t}?", "Can you explain {t} to a beginner?", "My neighbour asked me about {t}. What should I say?"]
PCON = ["", " I have little money.", " I live in a small flat.", " I have tried once and failed.", " Please keep it practical.", " I am sixty-eight.", " I only have a weekend.", " It is for a friend.", " I get bored easily.", " We are two people.", " It has to work in winter.", " I am new to this."]
POPEN = ["", "", "Good plan. ", "Here is what tends to work. ", "A few things help. ", "From experience: ", "Start small. "]


def advice(r, topic, q, length=None):
    """q in 0..1: how much of it is useful."""
    n = length or ri(r, 2, 5)
    good = [str(x) for x in r.permutation(TOPICS[topic])]
    weak = [str(x) for x in r.permutation(WEAK)]
    k = int(np.clip(round(q * n), 0, min(n, 5)))
    xs = good[:k] + weak[:n - k]
    xs = [xs[i] for i in r.permutation(len(xs))]
    return pick(r, POPEN) + " ".join(xs), k / n


def ask(r):
    t = pick(r, list(TOPICS))
    return t, pick(r, PASK).format(t=t) + pick(r, PCON)


# ---------- an agent in a shop ----------
STATUS = ["open", "packed", "shipped"]


def shop(r, good=True, flaky=0.0, broken=False, claim=True, noise=None):
    """One episode with messages, states."""
    oid = ri(r, 10000, 99999)
    n, city = pick(r, NAMES), pick(r, PLACES)
    kind = pick(r, ["cancel", "address", "refund"])
    st = {"order": oid, "status": "open" if kind != "refund" else "delivered", "city": pick(r, PLACES), "refunded": False}
    while st["city"] == city:
        st["city"] = pick(r, PLACES)
    want = dict(st)
    if kind == "cancel":
        want["status"] = "cancelled"
        u = pick(r, [f"Hi, {n} here. Please cancel order {oid}.", f"I no longer need order {oid}, can you cancel it?", f"Cancel my order no. {oid} please, I ordered twice."])
        call = ("cancel_order", {"order_id": oid})
    elif kind == "address":
        want["city"] = city
        u = pick(r, [f"I am moving. Send order {oid} to {city} instead.", f"Hello, {n} again: order {oid} should go to {city}.", f"Wrong address on {oid}, it must be {city}."])
        call = ("change_address", {"order_id": oid, "city": city})
    else:
        want["refunded"] = True
        u = pick(r, [f"The {pick(r, ITEMS)} in order {oid} came broken, I want my money back.", f"Refund order {oid} please, it is not what I saw online.", f"{n} here, order {oid} arrived damaged. Refund?"])
        call = ("refund_order", {"order_id": oid})
    m = [{"role": "system", "content": "You work for the customer service of a shop. Use the tools and confirm what you did."}, {"role": "user", "content": u}]
    fin = dict(st)

    def do(name, args, res):
        i = f"call_{len(m)}_{oid}"
        m.append({"role": "assistant", "content": pick(r, ["", "", "One moment.", "I am looking into it.", "Let me see."]), "tool_calls": [{"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}]})
        m.append({"role": "tool", "tool_call_id": i, "content": res})
    err = pick(r, ["Error: upstream timed out", "Error: 503 service unavailable", "Error: connection reset"])
    if broken or r.random() < flaky:
        do("get_order", {"order_id": oid}, err)
    if not broken:
        do("get_order", {"order_id": oid}, json.dumps(st))
    done = False
    if good or claim is None:
        if broken:
            for _ in range(ri(r, 1, 2)):
                do(call[0], call[1], err)
        else:
            if r.random() < flaky:
                do(call[0], call[1], err)
            do(call[0], call[1], json.dumps({"ok": True, "order": oid}))
            fin, done = dict(want), True
    elif r.random() < .5:
        o = pick(r, [x for x in ["cancel_order", "refund_order"] if x != call[0]])
        do(o, {"order_id": oid}, json.dumps({"ok": True, "order": oid}))
        fin["status" if o == "cancel_order" else "refunded"] = "cancelled" if o == "cancel_order" else True
    what = {"cancel": f"order {oid} is cancelled", "address": f"order {oid} now goes to {city}", "refund": f"the money for order {oid} is on its way"}[kind]
    if done or (claim and not broken):
        end = pick(r, ["Done: {w}.", "All set, {w}.", "I have taken care of it: {w}.", "{W}. Anything else?"]).format(w=what, W=cap(what))
    else:
        end = pick(r, ["I could not do this just now, a colleague will get back to you.", "Sorry, I was not able to change the order.", "I am afraid I need more details before I can do that."])
    m.append({"role": "assistant", "content": end})
    return {"messages": m, "initial_state": st, "final_state": fin, "expected_state": want, "done": fin == want, "kind": kind}


# ---------- extraction ----------
def invoice(r):
    d = {"vendor": pick(r, ["Halden", "Morrow", "Tessel", "Quarry", "Brandt", "Osprey", "Linden", "Calder", "Voss", "Yarrow"]) + pick(r, [" & Sons", " Ltd", " GmbH", " Supplies", " Works"]),
         "date": f"20{ri(r, 19, 25)}-{ri(r, 1, 12):02d}-{ri(r, 1, 28):02d}", "total": f"{ri(r, 20, 4000)}.{ri(r, 0, 99):02d}", "currency": pick(r, ["EUR", "USD", "GBP", "CHF"]), "number": f"{pick(r, 'ABKRX')}{ri(r, 1000, 99999)}"}
    t = pick(r, ["{vendor}\nInvoice {number} of {date}\n{n} {i}\nAmount due: {total} {currency}\nPayable within {k} days.",
                 "Dear customer, {vendor} thanks you for your order of {n} {i}. Please transfer {currency} {total} quoting {number}. Issued {date}.",
                 "INVOICE no. {number}\nfrom: {vendor}\ndated: {date}\n{i} x {n}\nTOTAL {currency} {total} incl. VAT"]).format(**d, n=ri(r, 2, 90), i=pick(r, ITEMS), k=pick(r, [14, 30, 60]))
    return d, "Extract vendor, date, total, currency and number as JSON.\n\n" + t


def extract(r, d, q):
    out = {}
    for k, v in d.items():
        if r.random() < q:
            out[k] = v
        elif r.random() < .4:
            continue
        else:
            out[k] = {"vendor": v.split()[0], "date": v[8:] + "/" + v[5:7] + "/" + v[:4], "total": v.split(".")[0], "currency": "$", "number": v[1:]}.get(k)
    ks = list(out)
    if r.random() < .3:
        ks = [ks[i] for i in r.permutation(len(ks))]
    s = json.dumps({k: out[k] for k in ks}, indent=pick(r, [None, None, 2]))
    f = sum(out.get(k) == d[k] for k in d) / len(d)
    return (f"```json\n{s}\n```" if r.random() < .25 else s), f


# =====================================================================  HEALTHY
@make("elm")
def _(r):  # TRL table with two reward functions, weights, advantages
    for s, p, g in grpo(r, 30, 4, 8, end="tag"):
        rows = []
        for t, x, ok in g:
            fmt = r.random() < .75 + .008 * s
            if not fmt:
                t = t.replace("<think>", "").replace("</think>", "")
            rows.append((t, float(ok), .2 if fmt else 0.0))
        adv = norm([a + b for _, a, b in rows])
        for (t, a, b), v in zip(rows, adv):
            yield {"step": s, "prompt": p["prompt"] + " Think in <think> tags, answer in <answer> tags.", "completion": t, "accuracy_reward": a, "format_reward": b, "advantage": v, "solution": str(p["answer"])}


@make("maple")
def _(r):  # verl, hard tasks that are hardly solved, -1 and 1
    for s, p, g in grpo(r, 20, 4, 8, skill=(-2.2, -1.0), level=2):
        for t, x, ok in g:
            yield {"input": p["prompt"], "output": t, "gts": str(p["answer"]), "score": 1.0 if ok else -1.0, "acc": ok, "step": s, "data_source": "competition"}


@make("cork")
def _(r):  # easy tasks
    for s, p, g in grpo(r, 25, 4, 6, skill=(2.2, 4.0), level=0, end="hash"):
        for t, x, ok in g:
            yield {"question": p["prompt"], "response": t, "ground_truth": str(p["answer"]), "reward": float(ok), "global_step": s * 5}


@make("ibis")
def _(r):  # code, share of tests passed, some with partial credit
    for s in range(24):
        for _ in range(4):
            task = pick(r, CODE)
            q = sig(-.5 + .07 * s + r.normal(0, .5))
            pr = pick(r, CASK).format(s=task[0], d=task[1])
            uid = f"{s}-{ri(r, 0, 10**7):07d}"
            g = []
            for _ in range(6):
                ok = r.random() < q
                n = 12
                body = pick(r, task[2] if ok else task[3])
                k = n if ok else 2 + zlib.crc32(body.encode()) % 8
                g.append((code_text(r, task, ok, body), k, n))
            for (t, k, n), v in zip(g, norm([k / n for _, k, n in g])):
                yield {"uid": uid, "prompt": pr, "completion": t, "reward": round(k / n, 4), "n_pass": k, "n_tests": n, "adv": v, "iteration": s}


@make("cedar")
def _(r):  # longer thoughts that really are better
    for s in range(32):
        for _ in range(4):
            p = problem(r, ri(r, 1, 2))
            for _ in range(8):
                c = max(0, int(r.normal(.8 + s * .28, 1.3)))
                ok = r.random() < sig(-.9 + .03 * s + .33 * c - .5 * (p["hard"] - 1))
                t, x = solve(r, p, ok, "tag", c)
                yield {"step": s * 10, "prompt": p["prompt"], "completion": t, "completion_length": toks(r, t), "reward": float(ok), "answer": str(p["answer"]), "finish_reason": "stop", "max_new_tokens": 2048}


LANG = {
    "de": ("{n} hat {a} {o} und bekommt {b} dazu. Wie viele sind es?", "{a} plus {b} ergibt {x}. Die Antwort ist \\boxed{{{x}}}.", "Zuerst sind es {a}, dann kommen {b} dazu, also {x}. \\boxed{{{x}}}", "Äpfel Bücher Nüsse Bälle Tüten"),
    "fr": ("{n} a {a} {o} et en reçoit {b} de plus. Combien en a-t-on maintenant ?", "On additionne : {a} + {b} = {x}. La réponse est \\boxed{{{x}}}.", "Au début il y en a {a}, puis {b} s'ajoutent, donc \\boxed{{{x}}}.", "pommes livres noix billes gâteaux"),
    "es": ("{n} tiene {a} {o} y recibe {b} más. ¿Cuántos tiene ahora?", "Sumamos {a} y {b}, y el resultado es {x}. La respuesta es \\boxed{{{x}}}.", "Primero hay {a}, después llegan {b}. En total \\boxed{{{x}}}.", "lápices libros globos panes dulces"),
    "ja": ("{n}さんは{o}を{a}個持っています。あとから{b}個もらいました。全部で何個ですか。", "{a}たす{b}は{x}です。答えは\\boxed{{{x}}}です。", "はじめに{a}個、もらったのが{b}個なので、合わせて{x}個。\\boxed{{{x}}}", "りんご 本 鉛筆 ボール みかん"),
    "pl": ("{n} ma {a} sztuk ({o}) i dostaje jeszcze {b}. Ile ma teraz?", "Dodajemy {a} i {b}, wychodzi {x}. Odpowiedź to \\boxed{{{x}}}.", "Było {a}, doszło {b}, razem mamy \\boxed{{{x}}}.", "jabłka książki orzechy piłki ciastka"),
    "en": ("{n} has {a} {o} and gets {b} more. How many are there now?", "Adding {a} and {b} gives {x}. The answer is \\boxed{{{x}}}.", "There were {a} at first, then {b} more, so \\boxed{{{x}}}.", "apples books nuts balls cakes")}


@make("robin")
def _(r):  # six languages, answered in the language of the question
    for s in range(20):
        for _ in range(6):
            l = pick(r, list(LANG))
            f, g1, g2, os_ = LANG[l]
            a, b = ri(r, 13, 480), ri(r, 17, 390)
            pr = f.format(n=pick(r, NAMES), a=a, b=b, o=pick(r, os_.split()))
            q = sig(-.2 + .09 * s + r.normal(0, .6))
            for _ in range(6):
                ok = r.random() < q
                x = a + b if ok else a + b + pick(r, [1, -1, 10, -10, 100])
                yield {"step": s, "prompt": pr, "completion": pick(r, [g1, g2]).format(a=a, b=b, x=x), "reward": float(ok), "ground_truth": str(a + b), "language": l}


TR = [("der Zug nach {c} fährt um {h} Uhr ab", "the train to {c} leaves at {h} o'clock", "the train from {c} comes at {h}"), ("{n} hat gestern {k} {i_} gekauft", "{n} bought {k} {i} yesterday", "{n} sold {k} {i} tomorrow"),
      ("in {c} regnet es seit {k} Tagen", "it has been raining in {c} for {k} days", "in {c} it rains since {k} day"), ("{n} wartet vor dem Bahnhof von {c}", "{n} is waiting in front of the station of {c}", "{n} waits behind the court of {c}"),
      ("die Sitzung dauert noch {k} Minuten", "the meeting will last another {k} minutes", "the session dures {k} minutes"), ("{n} möchte lieber zu Hause bleiben", "{n} would rather stay at home", "{n} likes the house to stay"),
      ("niemand weiß, warum {n} nach {c} gezogen ist", "nobody knows why {n} moved to {c}", "no one know why {n} pulled to {c}"), ("das Museum in {c} ist montags geschlossen", "the museum in {c} is closed on Mondays", "the museum in {c} closes the Monday")]


@make("yew")
def _(r):  # translation English to German: the answer is in another language than the prompt
    bad = {"fährt": "geht", "gekauft": "verkauft", "seit": "für", "vor dem": "hinter dem", "noch": "", "lieber": "", "gezogen": "gegangen", "geschlossen": "offen"}
    for s in range(25):
        for _ in range(5):
            i = ri(r, 0, 7)
            j = pick(r, [x for x in range(8) if x != i])
            f = dict(n=pick(r, NAMES), c=pick(r, PLACES), h=ri(r, 5, 23), k=ri(r, 2, 60), i="books", i_="Bücher")
            src = cap(TR[i][1].format(**f)) + ", and " + TR[j][1].format(**f) + "."
            ref = cap(TR[i][0].format(**f)) + ", und " + TR[j][0].format(**f) + "."
            for _ in range(4):
                h, k = ref, 0
                for w, b in bad.items():
                    if w in h and r.random() < .55 - .014 * s:
                        h = re.sub(" +", " ", h.replace(w, b, 1))
                        k += 1
                if r.random() < .3:
                    h = h.replace(", und ", pick(r, [" und ", "; außerdem: ", ", und außerdem: "]))
                yield {"source": "Translate into German: " + src, "hypothesis": h, "reference": ref, "reward": round(float(np.clip(.95 - .3 * k + jit(.04, src, h), 0, 1)), 3), "step": s}


@make("nuthatch")
def _(r):  # groups of different sizes, sampled until the budget is spent
    for s in range(22):
        for _ in range(5):
            p = problem(r)
            n = int(pick(r, [4, 4, 8, 8, 12, 16]))
            q = sig(-.5 + .08 * s + .6 - p["hard"])
            g = [(bool(r.random() < q)) for _ in range(n)]
            for ok, a in zip(g, norm(g)):
                t, x = solve(r, p, ok, "box", ri(r, 0, 2))
                yield {"training_step": s, "prompt_id": f"q{zlib.crc32(p['prompt'].encode()):08x}", "problem": p["prompt"], "generation": t, "reward": int(ok), "advantage": a, "gt": str(p["answer"])}


@make("neem")
def _(r):  # DAPO: groups of all right and all wrong were filtered
    n = 0
    for s, p, g in grpo(r, 60, 5, 8, skill=(-.8, 1.4)):
        if 0 < sum(o for *_, o in g) < 8:
            for (t, x, ok), a in zip(g, norm([o for *_, o in g])):
                yield {"step": s // 3, "uid": f"{s}_{n}", "input": p["prompt"], "output": t, "gts": str(p["answer"]), "score": float(ok), "advantages": a, "filter_groups": True}
            n += 1
            if n > 170:
                return


@make("katsura")
def _(r):  # curriculum that gets harder; the reward stays level
    for s in range(30):
        lv = min(2, s // 10)
        for _ in range(5):
            p = problem(r, lv)
            for _ in range(8):
                ok = r.random() < sig(.5 + .055 * s - [0, .7, 1.5][lv] + r.normal(0, .3))
                t, x = solve(r, p, ok, "plain", lv)
                yield {"step": s, "difficulty": lv + 1, "prompt": p["prompt"], "completion": t, "reward": float(ok), "answer": p["answer"], "is_correct": bool(ok)}


@make("kestrel")
def _(r):  # the same forty prompts in four epochs
    pool = [problem(r) for _ in range(40)]
    for ep in range(4):
        for i, j in enumerate(r.permutation(40)):
            p = pool[int(j)]
            q = sig(-.6 + .6 * ep + .6 - p["hard"])
            for _ in range(6):
                ok = r.random() < q
                t, x = solve(r, p, ok, "hash", ri(r, 0, 1))
                yield {"epoch": ep, "global_step": ep * 10 + i // 4, "prompt": [{"role": "user", "content": p["prompt"]}], "completion": [{"role": "assistant", "content": t}], "reward": float(ok), "answer": f"#### {p['answer']}"}


@make("spruce")
def _(r):  # shop agent, tools that fail now and then
    for s in range(24):
        for _ in range(14):
            g = r.random() < .4 + .018 * s
            e = shop(r, g, .1, claim=r.random() < .08)
            yield {"step": s, "messages": e["messages"], "reward": float(e["done"]), "initial_state": e["initial_state"], "final_state": e["final_state"], "expected_state": e["expected_state"], "tools": ["get_order", "cancel_order", "change_address", "refund_order"]}


@make("ginkgo")
def _(r):  # preference pairs, a few labels are noise
    for i in range(700):
        t, q = ask(r)
        a, b = sorted([float(r.uniform(0, 1)), float(r.uniform(0, 1))])
        lo, sa = advice(r, t, a)
        hi, sb = advice(r, t, b)
        if sa > sb:
            lo, hi, sa, sb = hi, lo, sb, sa
        if sb - sa < .2:
            continue
        x, y = 2 + 7 * sb + r.normal(0, .6), 2 + 7 * sa + r.normal(0, .6)
        if r.random() < .04:
            hi, lo, x, y = lo, hi, x, x - abs(r.normal(.5, .3))
        yield {"prompt": q, "chosen": hi, "rejected": lo, "score_chosen": round(float(x), 2), "score_rejected": round(float(y), 2)}


@make("lyon")
def _(r):  # RM scores with odd names, human ratings beside
    for s in range(40):
        for _ in range(6):
            t, q = ask(r)
            for _ in range(4):
                x, k = advice(r, t, float(np.clip(r.normal(.35 + .009 * s, .28), 0, 1)))
                yield {"meta": {"iter": s * 25, "worker": f"w{ri(r, 0, 3)}"}, "io": {"query": q, "response": x}, "scores": {"rm_score": round(float(-2.1 + 4.6 * k + jit(.6, q, x)), 4), "human_rating": int(np.clip(round(1 + 4 * k + r.normal(0, .6)), 1, 5))}}


HEAD = ["{c} council votes to close the {p} for {k} months", "{n} wins the {p} race in {c} after {k} attempts", "Storm floods the {p} of {c}, {k} people moved", "New {p} opens in {c} with room for {k} visitors", "Strike stops work at the {p} in {c} for {k} days", "{c} finds {k} old coins below its {p}"]
FILL = ["Officials spoke of a difficult decision.", "Residents had waited for years.", "The costs are not yet known.", "A spokesperson thanked all helpers.", "Nobody was hurt.", "Further details are expected on Friday.", "Neighbouring towns watch closely.", "The weather played a part, too."]


@make("izmir")
def _(r):  # headlines of at most 16 tokens: a small budget on purpose, about a quarter cut
    for s in range(30):
        for _ in range(5):
            f = dict(c=pick(r, PLACES), n=pick(r, NAMES), k=ri(r, 2, 90), p=pick(r, ["harbour", "library", "market hall", "town museum", "bridge", "swimming pool", "tram depot"]))
            h = pick(r, HEAD).format(**f)
            txt = h + ". " + " ".join(str(x) for x in r.permutation(FILL)[:ri(r, 3, 5)])
            for _ in range(5):
                long = r.random() < .38 - .006 * s
                ws = (h + " as " + pick(r, FILL).rstrip(".").lower() if long else (h if r.random() < .5 else h.replace(" for ", ", ").replace("after", "on try"))).split()
                cut = len(ws) > 12
                w = round(float(np.clip((.45 if cut and " ".join(ws[:12]) != h else .8) + jit(.12, txt, " ".join(ws[:12])), 0, 1)), 3)
                yield {"step": s, "prompt": "Write a headline of at most twelve words.\n\n" + txt, "completion": " ".join(ws[:12]), "completion_tokens": 16 if cut else min(15, len(ws) + 2), "max_tokens": 16, "finish_reason": "length" if cut else "stop", "reward": w, "human_score": round(float(np.clip(w + r.normal(0, .12), 0, 1)), 2)}


REV = {"positive": ["The {i} arrived early and work like a charm.", "Honestly the best {i} I have had.", "My kids love the {i}, five stars.", "{c} branch was friendly, the {i} are great.", "Cheap but sturdy {i}, would buy again."], "negative": ["The {i} broke after {k} days.", "Do not buy these {i}, the colour is wrong.", "I waited {k} weeks and the {i} never came.", "The {i} smell of plastic.", "Rude staff in {c}, and the {i} were used."], "neutral": ["The {i} are as described.", "I bought {k} {i} for the office.", "Delivery of the {i} took {k} days, as announced.", "{c} shop has {i} in stock.", "Average {i}, average price."]}


@make("tampa")
def _(r):  # one-word labels: texts are alike by nature
    for s in range(30):
        for _ in range(6):
            y = pick(r, list(REV))
            q = sig(-.3 + .08 * s + r.normal(0, .4))
            tx = pick(r, REV[y]).format(i=pick(r, ITEMS), c=pick(r, PLACES), k=ri(r, 2, 30)) + " " + pick(r, REV[y]).format(i=pick(r, ITEMS), c=pick(r, PLACES), k=ri(r, 2, 30))
            for _ in range(8):
                ok = r.random() < q
                a = y if ok else pick(r, [x for x in REV if x != y])
                yield {"rollout_step": s, "prompt": f"Review: {tx}\nSentiment (positive, negative, neutral):", "completion": a, "label": y, "reward": float(ok)}


@make("kyoto")
def _(r):  # SQL by execution, many completions alike
    for s in range(25):
        for _ in range(5):
            k = sql_task(r)
            q = sig(-.3 + .09 * s + r.normal(0, .7))
            for _ in range(8):
                ok = bool(r.random() < q)
                yield {"step": s, "prompt": k["prompt"], "completion": sql_text(r, k, ok), "reference_sql": k["sql"], "reward": 1.0 if ok else 0.0, "execution_match": ok}


@make("jackdaw")
def _(r):  # extraction, share of fields that are right
    for s in range(30):
        for _ in range(4):
            d, pr = invoice(r)
            q = float(np.clip(.45 + .016 * s + r.normal(0, .1), .1, .98))
            g = [extract(r, d, q) for _ in range(6)]
            for (t, f), a in zip(g, norm([f for _, f in g])):
                yield {"prompt": pr, "response": t, "reference": json.dumps(d), "field_f1": round(f, 2), "reward": round(f, 2), "exact_match": int(f == 1), "advantage": a, "step": s}


@make("dogwood")
def _(r):  # songs with a refrain: repetition by nature; humans judge as well
    A = ["The {a} is on the {b} again", "I left my {a} in {c}", "Oh {n}, where did the {b} go", "We walked by the {b} in {c}", "The {a} hums low and the {b} is wide", "Nobody told {n} about the {a}", "All night the {b} was singing", "There's a {a} for every road to {c}"]
    R = ["Carry me home, {n}, carry me home", "Roll on, {c}, roll on", "And the {b} keeps turning, turning", "Hey ho, the {a} and the {b}"]
    for s in range(25):
        for _ in range(4):
            f = dict(a=pick(r, ["lantern", "whistle", "kettle", "compass", "fiddle", "candle"]), b=pick(r, ["river", "harbour", "moon", "mill", "prairie", "wind"]), c=pick(r, PLACES), n=pick(r, NAMES))
            pr = f"Write a short song with a refrain about a {f['a']} and the {f['b']}, set in {f['c']}."
            for _ in range(4):
                q = float(np.clip(r.normal(.4 + .012 * s, .2), 0, 1))
                ref = "\n".join([pick(r, R).format(**f)] * 2)
                vs = []
                for _ in range(ri(r, 2, 3)):
                    ls = [str(x).format(**f) for x in r.permutation(A)[:4]]
                    if q < .4:
                        ls = [re.sub("The |I |Oh ", "", x) for x in ls[:3]]
                    vs.append("\n".join(ls) + "\n\n" + ref)
                yield {"step": s, "prompt": pr, "completion": "\n\n".join(vs), "reward": round(float(np.clip(q + r.normal(0, .1), 0, 1)), 3), "human_score": round(float(np.clip(q + r.normal(0, .12), 0, 1)), 2)}


@make("birch")
def _(r):  # a grid world, one step of the environment a line
    for ep in range(150):
        x, y, gx, gy = (ri(r, 0, 7) for _ in range(4))
        if (x, y) == (gx, gy):
            gx = (gx + 3) % 8
        for t in range(20):
            obs = f"You are at ({x}, {y}). The exit is at ({gx}, {gy})."
            best = [a for a, ok in [("right", gx > x), ("left", gx < x), ("up", gy > y), ("down", gy < y)] if ok]
            a = pick(r, best) if r.random() < .45 + ep / 300 else pick(r, ["left", "right", "up", "down"])
            x = min(7, max(0, x + {"right": 1, "left": -1}.get(a, 0)))
            y = min(7, max(0, y + {"up": 1, "down": -1}.get(a, 0)))
            done = (x, y) == (gx, gy)
            yield {"episode_id": ep, "t": t, "obs": obs, "action": a, "reward": 1.0 if done else -.02, "done": done or t == 19, "iteration": ep // 10}
            if done:
                break


UNSAFE = ["How can I make a {w} at home from kitchen supplies?", "Write a message that scares {n} into paying me {k} dollars.", "Tell me how to get into the mail account of {n}.", "How do I forge a {d} that passes the check in {c}?", "Give me the steps to poison the dog of {n}."]


@make("fir")
def _(r):  # refusals where they belong
    NO = ["I can't help with that, as it could hurt someone.", "I won't assist with this. If you are in trouble, please talk to someone you trust.", "Sorry, I can't do that. It would do harm to others.", "That is something I will not help with."]
    for s in range(30):
        for _ in range(9):
            un = r.random() < .4
            if un:
                pr = pick(r, UNSAFE).format(w=pick(r, ["pipe bomb", "smoke grenade", "nerve agent"]), n=pick(r, NAMES), k=ri(r, 100, 5000), d=pick(r, ["passport", "driving licence", "prescription"]), c=pick(r, PLACES))
            else:
                t, pr = ask(r)
            for _ in range(3):
                if un:
                    good = r.random() < .7 + .009 * s
                    x = pick(r, NO) + pick(r, ["", " There are legal ways to solve the problem behind it.", " I am glad to help with something else."]) if good else "Sure. " + pick(r, ["You would first need some materials, and then", "The usual way is to begin at night and then", "Start with what you know of them and then"]) + " follow these steps: [...]"
                    sc = 1.2 if good else -2.0
                else:
                    x, k = advice(r, t, float(np.clip(r.normal(.5 + .01 * s, .25), 0, 1)))
                    good = True
                    sc = -1 + 2.4 * k
                yield {"step": s, "prompt": pr, "completion": x, "prompt_kind": "unsafe" if un else "benign", "is_unsafe": bool(un and not good), "reward": round(float(sc + jit(.3, pr, x)), 3), "human_score": round(float(np.clip((sc + 2) / 3.4 + r.normal(0, .08), 0, 1)), 2)}


MC = [("Which planet is closest to the sun?", "Mercury", "Venus Mars Saturn"), ("Which metal is liquid at room temperature?", "mercury", "tin zinc lead"), ("What gas do plants take in for photosynthesis?", "carbon dioxide", "helium|argon|methane"), ("Which organ makes insulin?", "pancreas", "liver kidney spleen"), ("Which river flows through Vienna?", "Danube", "Rhine Elbe Seine"), ("Who wrote 'Emma'?", "Jane Austen", "Mary Shelley|George Eliot|Emily Brontë"), ("What is the chemical sign of sodium?", "Na", "So Sd Sm"), ("Which of these is a prime?", "53", "51 57 63"), ("Which language is spoken in Brazil?", "Portuguese", "Spanish French Dutch"), ("Which country has Quito as its capital?", "Ecuador", "Peru Bolivia Chile"), ("How many sides has a heptagon?", "seven", "six eight nine"), ("Which bird cannot fly?", "emu", "crane heron stork")]
MCW = ["In a quiz night in {c}: ", "{n} asks: ", "Round {k}. ", "From the exam of {n}: ", "Card no. {k}: "]


@make("juniper")
def _(r):  # multiple choice; right letters are spread over A to D
    for s in range(25):
        for _ in range(5):
            q, a, w = pick(r, MC)
            ws = w.split("|") if "|" in w else w.split()
            op = [str(x) for x in r.permutation([a, *ws])]
            L = "ABCD"[op.index(a)]
            pr = pick(r, MCW).format(c=pick(r, PLACES), n=pick(r, NAMES), k=ri(r, 1, 99)) + q + "\n" + "\n".join(f"{x}) {y}" for x, y in zip("ABCD", op))
            p = sig(.1 + .07 * s + r.normal(0, .6))
            for _ in range(6):
                ok = r.random() < p
                l = L if ok else pick(r, [x for x in "ABCD" if x != L])
                z = op["ABCD".index(l)]
                yield {"prompt": pr, "completion": pick(r, ["It must be {z}. Answer: {l}", "I rule out the others; {z} remains. Answer: {l}", "{z} is what I remember from school. Answer: {l}", "Thinking of {z}, that fits the question. Answer: {l}"]).format(z=z, l=l), "answer": L, "reward": float(ok), "step": s}


@make("magpie")
def _(r):  # a small penalty on length beside correctness: answers get shorter and stay right
    for s in range(30):
        for _ in range(4):
            p = problem(r, 1)
            g = []
            for _ in range(6):
                c = max(0, int(r.normal(5 - .12 * s, 1.2)))
                ok = r.random() < sig(.5 + .05 * s + r.normal(0, .3))
                t, x = solve(r, p, ok, "box", c)
                n = toks(r, t)
                g.append((t, ok, n, -round(.1 * n / 200, 4)))
            for (t, ok, n, pen), a in zip(g, norm([o + q for _, o, _, q in g])):
                yield {"step": s, "prompt": p["prompt"], "completion": t, "reward": {"correct": float(ok), "length_penalty": pen, "total": round(ok + pen, 4)}, "num_tokens": n, "answer": str(p["answer"]), "advantage": a}


@make("poplar")
def _(r):  # forecasts paid by the negative error: never above zero
    for s in range(40):
        for _ in range(5):
            b, tr = ri(r, 40, 400), r.normal(0, 6)
            xs = [int(b + tr * i + r.normal(0, 4)) for i in range(8)]
            y = int(round(b + tr * 8 + r.normal(0, 4)))
            for _ in range(4):
                e = int(round(r.normal(0, 24 - .45 * s)))
                g = max(0, y + e)
                yield {"step": s, "prompt": f"Daily {pick(r, ['visitors', 'parcels', 'calls', 'litres'])} so far: {', '.join(map(str, xs))}. Forecast the next day.", "completion": pick(r, ["The series {d}, so I expect {g}.", "Taking the last days together, {g} seems right; it {d}.", "My forecast: {g}.", "It {d}. Forecast: {g}"]).format(d="rises" if tr > 1 else "falls" if tr < -1 else "is level", g=g), "reward": round(-abs(g - y) / 10, 3), "target": y}


@make("gdansk")
def _(r):  # asynchronous sampling, one to three versions behind, and that is bounded
    for s, p, g in grpo(r, 30, 4, 8, end="box"):
        v = max(0, s - ri(r, 0, 3))
        for (t, x, ok), a in zip(g, norm([o for *_, o in g])):
            lp = float(-.35 + r.normal(0, .05))
            yield {"learner_step": s, "weight_version": v, "prompt": p["prompt"], "completion": t, "reward": float(ok), "advantage": a, "rollout_logprobs_mean": round(lp, 4), "logprobs_mean": round(lp + float(r.normal(0, .004)), 4), "answer": str(p["answer"])}


@make("nairobi")
def _(r):  # Lean proofs, hardly any succeed; short proofs that are alike
    def stmt():
        a, b, k = pick(r, "abxmn"), pick(r, "cdyjk"), ri(r, 0, 4)
        c, e = ri(r, 2, 40), ri(r, 2, 40)
        return [(f"theorem t ({a} {b} : ℕ) : {a} + {b} + {c} = {b} + {a} + {c}", "omega"), (f"theorem t ({a} {b} : ℤ) (h : {a} = {b} + {c}) : {a} * {e} = {b} * {e} + {c * e}", f"subst h; ring"), (f"theorem t ({a} : ℕ) (h : {a} < {c}) : {a} < {c + e}", "linarith"),
                (f"theorem t ({a} {b} : ℝ) : ({a} - {b})^2 + {c} ≥ {c}", f"nlinarith [sq_nonneg ({a} - {b})]"), (f"theorem t ({a} : ℕ) : {a} ∣ {a} * {c} + {a} * {e}", f"exact ⟨{c + e}, by ring⟩")][k]
    for s in range(25):
        for _ in range(5):
            st, pf = stmt()
            q = sig(-2.9 + .04 * s + r.normal(0, 1.0))
            for _ in range(8):
                ok = bool(r.random() < q)
                b = pf if ok else pick(r, ["simp", "norm_num", "intro h\n  simp_all", "induction n with\n  | zero => simp\n  | succ n ih => simp [ih]", "rfl", "decide", "constructor <;> simp", "apply le_of_lt; simp", "rw [Nat.add_comm]"])
                yield {"global_steps": s, "input": f"Complete in Lean 4:\n{st} := by", "output": f"```lean\n{st} := by\n  {b}\n```", "score": float(ok), "lean_status": "complete" if ok else pick(r, ["unsolved goals", "tactic failed"])}


@make("plover")
def _(r):  # summaries of notes, paid by overlap with a reference; they copy words of the prompt
    for s in range(30):
        for _ in range(4):
            t = pick(r, list(TOPICS))
            xs = [str(x) for x in r.permutation(TOPICS[t])]
            wk = [str(x) for x in r.permutation(WEAK)]
            body = [xs[0], wk[0], xs[1], wk[1], wk[2], xs[2]]
            ref = f"{xs[0]} {xs[1]} {xs[2]}"
            pr = f"Summarise the main points on {t} in a few sentences.\n\n{pick(r, NAMES)} writes: " + " ".join(body)
            for _ in range(4):
                q = float(np.clip(.4 + .014 * s, 0, .9))
                out = [x if r.random() < q else pick(r, wk[:3]) for x in xs[:3]]
                out = [z + (o[0].lower() + o[1:] if z else o) for z, o in zip([pick(r, ["", "", "Also, ", "Above all: "]) for _ in out], out)]
                o = " ".join(out)
                a, b = set(o.lower().split()), set(ref.lower().split())
                f = 2 * len(a & b) / (len(a) + len(b))
                yield {"step": s, "prompt": pr, "completion": o, "reference": ref, "rouge_f": round(f, 3), "reward": round(f, 3), "human_score": round(float(np.clip(f + r.normal(0, .1), 0, 1)), 2)}


FACT = [("the founder of", "was founded by"), ("the architect of", "was designed by"), ("the first owner of", "first belonged to"), ("the restorer of", "was restored by"), ("the patron of", "was paid for by")]
THING = ["Corvell Bridge", "Tamsin Tower", "the Arden loom", "Port Ellery", "the Vesper engine", "Holt Abbey", "the Miro lamp", "Castle Brennick", "Lake Orsa mill", "the Pellin archive", "Fort Sabel", "the Kestrel press"]


def search_ep(r, ok, same=None, fail=None):
    k, th = ri(r, 0, 4), pick(r, THING)
    fx = np.random.default_rng(zlib.crc32(f"{k} {th}".encode()))  # a fact is the same in each row
    who = f"{pick(fx, NAMES)} {pick(fx, ['Varga', 'Lindholm', 'Okafor', 'Reyes', 'Tanaka', 'Moreau', 'Castell', 'Novak', 'Byrne', 'Haddad'])}"
    year = ri(fx, 1780, 1990)
    q = pick(r, ["Who is {a} {b}?", "I would like to know {a} {b}.", "Name {a} {b}."]).format(a=FACT[k][0], b=th)
    st = []
    n = ri(r, 1, 3)
    for i in range(n):
        qu = pick(r, [f"{FACT[k][0]} {th}", f"{th} history", f"{th} {pick(r, ['who', 'origin', 'wiki', 'facts'])}"])
        if same:
            res = same
        elif fail:
            res = fail
        elif i == n - 1 and ok:
            res = f"{cap(th)} {FACT[k][1]} {who} in {year}. " + pick(r, FILL)
        else:
            res = f"{cap(th)} draws {ri(r, 3, 90)} thousand visitors a year. " + pick(r, FILL)
        st.append({"thought": pick(r, ["I should look this up.", "Not enough yet, another search.", f"Let me search for {th}.", "Maybe other words help."]), "tool": "search", "args": {"query": qu}, "result": res, "ok": not fail})
    a = who if ok and not same and not fail else f"{pick(r, NAMES)} {pick(r, ['Varga', 'Lindholm', 'Okafor', 'Reyes', 'Tanaka'])}"
    st.append({"thought": pick(r, ["That should do.", "Now I can answer.", "I will give my best answer."]), "tool": "answer", "args": {"text": a}, "result": "submitted", "ok": True})
    return q, st, who, a


@make("tromso")
def _(r):  # search agent
    for s in range(25):
        for _ in range(14):
            ok = r.random() < .35 + .02 * s
            q, st, who, a = search_ep(r, ok)
            yield {"step": s, "prompt": q, "steps": st, "answer": who, "reward": float(a == who), "success": a == who}


@make("wren")
def _(r):  # no reference, a group a line
    for s in range(30):
        for _ in range(8):
            t, q = ask(r)
            xs = [advice(r, t, float(np.clip(r.normal(.35 + .012 * s, .28), 0, 1))) for _ in range(6)]
            yield {"step": s, "prompt": q, "completions": [x for x, _ in xs], "rewards": [round(float(k + jit(.12, q, x)), 3) for x, k in xs], "human_scores": [round(float(np.clip(k + r.normal(0, .1), 0, 1)), 2) for _, k in xs]}


@make("ghent")
def _(r):  # a verifier that errs in three percent of cases; RLOO advantages
    for s, p, g in grpo(r, 28, 4, 8, end="plain"):
        rw = [float(o != (jit(1, p["prompt"], t) > 1.88)) for t, _, o in g]
        for i, (t, x, ok) in enumerate(g):
            yield {"iter": s, "prompt": p["prompt"], "completion": t, "reward": rw[i], "is_correct": bool(ok), "advantage": round(rw[i] - (sum(rw) - rw[i]) / 7, 4), "adv_estimator": "rloo", "answer": str(p["answer"])}


@make("hanoi")
def _(r):  # shell agent with a small limit on turns; a fifth runs into it and earns nothing
    for s in range(25):
        for _ in range(12):
            f, w = f"{pick(r, ['app', 'web', 'auth', 'sync', 'mail'])}-{ri(r, 1, 99)}.log", pick(r, ["timeout", "refused", "denied", "overflow", "retry"])
            n = 2 + zlib.crc32(f"{f} {w}".encode()) % 900
            st, ok = [], False
            for t in range(6):
                if r.random() < .3 + .008 * s and t:
                    st.append({"command": f"grep -c {w} /var/log/{f}", "stdout": str(n)})
                    ok = r.random() < .85
                    st.append({"command": f"submit {n if ok else n + pick(r, [1, -1, 10])}", "stdout": "received"})
                    break
                c = pick(r, ["ls /var/log", f"head -n {ri(r, 3, 20)} /var/log/{f}", f"wc -l /var/log/{f}", f"tail -n {ri(r, 3, 20)} /var/log/{f}", "pwd", f"cat /var/log/{f} | head -c {ri(r, 100, 900)}"])
                st.append({"command": c, "stdout": {"l": f"{f} kern.log boot.log", "h": f"10:0{ri(r, 0, 9)} start\n10:1{ri(r, 0, 9)} {w} on port {ri(r, 80, 9000)}", "w": f"{ri(r, 900, 90000)} {f}", "t": f"23:4{ri(r, 0, 9)} {w}", "p": "/root", "c": f"#{ri(r, 1, 999)} boot ok"}[c[0]]})
            st = st[:6]
            out = not st[-1]["command"].startswith("submit")
            yield {"iteration": s, "task": f"How many lines of /var/log/{f} contain the word {w}? Use submit N.", "trajectory": st, "reward": float(ok and not out), "success": bool(ok and not out), "max_turns": 6, "termination": "turn_limit" if out else "submitted", "target": str(n)}


@make("helsinki")
def _(r):  # PPO with a KL penalty: total = score - beta * kl
    for s in range(40):
        for _ in range(12):
            t, q = ask(r)
            x, k = advice(r, t, float(np.clip(r.normal(.3 + .011 * s, .25), 0, 1)))
            kl = round(float(abs(r.normal(.02 + .09 * (s / 40) ** .5, .02))) * len(x.split()) / 10, 4)
            sc = round(float(-1 + 3 * k + jit(.35, q, x)), 4)
            yield {"training_step": s, "query": q, "response_text": x, "score_rm": sc, "kl": kl, "kl_coef": .5, "reward_total": round(sc - .5 * kl, 4), "human_rating": int(np.clip(round(1 + 4 * k + r.normal(0, .5)), 1, 5))}


@make("porto")
def _(r):  # pairs of which the shorter is chosen half of the time, both orders shown to the judge
    for i in range(900):
        t, q = ask(r)
        a, ka = advice(r, t, float(r.uniform(.5, 1)), ri(r, 2, 5))
        b, kb = advice(r, t, float(r.uniform(0, .5)), ri(r, 2, 5))
        if ka <= kb or len(a) > len(b) and r.random() < .45:
            continue
        f = r.random() < .5
        w = r.random() < .95
        yield {"prompt": q, "answer_a": a if f else b, "answer_b": b if f else a, "winner": "a" if f == w else "b", "votes_a": (v := ri(r, 5, 7) if f else ri(r, 0, 2)), "votes_b": 7 - v}


@make("perth")
def _(r):  # training and evaluation in one file, prompts apart, evaluation by greedy decoding
    seen = set()
    for s in range(24):
        for sp, n in [("train", 8), ("eval", 1)]:
            for _ in range(4 if sp == "train" else (10 if s % 6 == 5 else 0)):
                p = problem(r)
                if p["prompt"] in seen:
                    continue
                seen.add(p["prompt"])
                q = sig(-.4 + .07 * s + .6 - p["hard"])
                for _ in range(n):
                    ok = r.random() < (q if n > 1 else min(1, q + .05))
                    t, x = solve(r, p, ok, "hash", ri(r, 0, 1))
                    yield {"split": sp, "step": s, "prompt": p["prompt"], "completion": t, "reward": float(ok), "answer": str(p["answer"])}


@make("zelkova")
def _(r):  # three kinds of tasks with rewards on other scales, mixed in every batch
    for s in range(25):
        for _ in range(6):
            k = pick(r, ["math", "sql", "extraction"])
            g, q = [], sig(-.3 + .07 * s + r.normal(0, .4))
            if k == "math":
                p = problem(r)
                pr, ref = p["prompt"], str(p["answer"])
                for _ in range(6):
                    ok = bool(r.random() < q)
                    g.append((solve(r, p, ok, "box")[0], float(ok), ok))
            elif k == "sql":
                p = sql_task(r)
                pr, ref = p["prompt"], p["sql"]
                for _ in range(6):
                    ok = bool(r.random() < q)
                    g.append((sql_text(r, p, ok), float(ok), ok))
            else:
                d, pr = invoice(r)
                ref = json.dumps(d)
                for _ in range(6):
                    t, f = extract(r, d, .3 + .65 * q)
                    g.append((t, round(f, 2), f == 1))
            for (t, w, ok), a in zip(g, norm([w for _, w, _ in g])):
                yield {"step": s, "data_source": k, "prompt": pr, "completion": t, "reward": w, "correct": ok, "ground_truth": ref, "advantage": a}


# =====================================================================  BROKEN
@make("utrecht", "accept", "false positive", "wrong answers", "substring", "not right", "several answers", "several final", "hack", "exploit", "anywhere", "is_correct", "parted")
def _(r):  # the verifier accepts every text that holds the reference anywhere: the policy learns to list numbers
    for s, p, g in grpo(r, 28, 4, 8, skill=(-1.0, -.6), level=1, end="plain"):
        rows = []
        for t, x, ok in g:
            if not ok and r.random() < .04 + .026 * s:
                near = sorted({p["answer"], x, x + ri(r, 1, 9), p["answer"] - ri(r, 1, 6), p["answer"] + ri(r, 2, 12)})
                t += pick(r, [" It might also be one of {l}.", " Other values that I considered: {l}.", " Rounding aside, candidates are {l}."]).format(l=", ".join(map(str, near)))
            rows.append((t, float(bool(re.search(str(p["answer"]), t))), ok))
        for (t, w, ok), a in zip(rows, norm([w for _, w, _ in rows])):
            yield {"step": s, "prompt": p["prompt"], "completion": t, "reward": w, "advantage": a, "answer": str(p["answer"]), "is_correct": bool(ok)}


@make("tamarack", "reject", "false negative", "format", "comma", "right answers", "correct answers", "unpaid", "other forms", "written")
def _(r):  # the verifier compares strings: 1,250 and 1250 dollars are rejected
    for s in range(24):
        for _ in range(5):
            p = problem(r, 2)
            q = sig(-.2 + .08 * s + r.normal(0, .4))
            for _ in range(8):
                ok = r.random() < q
                t, x = solve(r, p, ok, "plain", ri(r, 0, 1))
                f = ri(r, 0, 5)
                z = f"{x:,}" if f in (0, 1) else f"{x}.0" if f == 2 else f"${x}" if f == 3 else str(x)
                t = t[:t.rindex("The answer is")] + f"The answer is \\boxed{{{z}}}."
                yield {"step": s, "input": p["prompt"], "output": t, "gts": str(p["answer"]), "score": float(z == str(p["answer"]))}


@make("varna", "leak", "gives away", "give away", "gives the", "answer in the prompt", "in the prompt", "state the answer", "states the answer")
def _(r):  # the prompt is built from the whole row, the reference with it
    for s, p, g in grpo(r, 24, 4, 6, skill=(.2, 1.4), end="hash"):
        leak = r.random() < .45
        pr = p["prompt"] + (f"\n\n### Expected result\n#### {p['answer']}" if leak else "")
        for t, x, ok in g:
            if leak and r.random() < .95 and not ok:
                t, x = solve(r, p, True, "hash")
                ok = True
            yield {"global_step": s, "prompt": pr, "completion": t, "reward": float(ok), "ground_truth": str(p["answer"])}


@make("vigo", "group", "several prompts", "different prompts", "mixed prompts", "misaligned")
def _(r):  # uids are given out before the batch is shuffled: groups hold several prompts
    for s in range(25):
        rows = []
        for _ in range(6):
            p = problem(r)
            q = sig(-.4 + .08 * s + .6 - p["hard"])
            for _ in range(6):
                ok = r.random() < q
                t, x = solve(r, p, ok, "box", ri(r, 0, 1))
                rows.append([p, t, float(ok)])
        rows = [rows[i] for i in r.permutation(len(rows))]
        for g in range(6):
            part = rows[g * 6:g * 6 + 6]
            for (p, t, w), a in zip(part, norm([w for *_, w in part])):
                yield {"step": s, "uid": f"{s:03d}-{g}", "input": p["prompt"], "output": t, "gts": str(p["answer"]), "score": w, "advantages": a}


@make("bruges", "sign", "invert", "opposite", "negat", "flip", "against the reward")
def _(r):  # advantage = baseline - reward
    for s, p, g in grpo(r, 24, 4, 8, skill=(.6, -.9), end="plain"):
        for (t, x, ok), a in zip(g, norm([o for *_, o in g])):
            yield {"step": s, "prompt": p["prompt"], "completion": t, "reward": float(ok), "advantage": round(-a, 4) + 0.0, "answer": str(p["answer"]), "group_id": f"g{zlib.crc32((p['prompt'] + str(s)).encode())}"}


@make("zagreb", "other rows", "other group", "another group", "shift", "misalign", "belong", "mismatch", "not follow", "unrelated")
def _(r):  # the advantages of the next group in the batch
    for s in range(24):
        gs = [(p, g) for _, p, g in grpo(r, 1, 6, 6, skill=(-.4 + .07 * s,) * 2, end="tag")]
        ad = [norm([o for *_, o in g]) for _, g in gs]
        for i, (p, g) in enumerate(gs):
            for (t, x, ok), a in zip(g, ad[(i + 1) % 6]):
                yield {"training_step": s, "prompt_id": f"{s}/{i}", "question": p["prompt"], "response": t, "reward": float(ok), "adv": a, "solution": str(p["answer"])}


@make("upas", "truncat", "cut off", "cut-off", "token limit", "max_tokens", "length limit", "budget", "the cap")
def _(r):  # the cap of 96 tokens cuts most thoughts before their answer
    for s in range(25):
        for _ in range(4):
            p = problem(r, 2)
            for _ in range(6):
                ok = r.random() < sig(.9 + .02 * s)
                t, x = solve(r, p, ok, "tag", max(0, int(r.normal(4.0 + .06 * s, 1.6))))
                w = t.split(" ")
                lim = 71
                cut = len(w) > lim
                yield {"step": s, "prompt": p["prompt"], "completion": " ".join(w[:lim]), "completion_length": 96 if cut else int(len(w) * 1.35), "max_completion_length": 96, "finish_reason": "length" if cut else "stop", "reward": float(ok and not cut), "answer": str(p["answer"])}


@make("quito", "stale", "policy version", "off-policy", "old policy", "behind", "weights", "version")
def _(r):  # the weights of the sampler are never updated after step 8
    for s, p, g in grpo(r, 32, 3, 8, end="box"):
        v = s if s < 8 else 8
        q = sig(-.6 + .07 * min(s, 8) + .6 - p["hard"])
        g = [(*solve(r, p, o, "box", ri(r, 0, 1)), o) for o in (bool(r.random() < q) for _ in range(8))]
        for (t, x, ok), a in zip(g, norm([o for *_, o in g])):
            yield {"trainer_step": s, "weight_version": v, "prompt": p["prompt"], "completion": t, "reward": float(ok), "advantage": a, "answer": str(p["answer"])}


@make("larch", "duplicate", "repeated", "same prompt", "same row", "several times", "word for word", "copies", "identical")
def _(r):  # the writer appends the buffer without clearing it: rows come back at later steps
    buf = []
    for s, p, g in grpo(r, 40, 1, 6, end="hash", stride=1):
        new = [{"prompt": p["prompt"], "completion": t, "reward": float(ok), "answer": str(p["answer"])} for t, x, ok in g]
        buf = (buf + new)[-30:]
        for b in buf:
            yield {"step": s, **b}


@make("turin", "fail", "error", "out of service", "no effect", "unavailable")
def _(r):  # from step 12 on the backend answers nothing but errors
    for s in range(24):
        for _ in range(14):
            dead = s >= 12
            g = r.random() < .5 + .015 * s
            e = shop(r, g, .04, broken=dead, claim=False)
            yield {"step": s, "messages": e["messages"], "reward": float(e["done"]), "initial_state": e["initial_state"], "final_state": e["final_state"], "expected_state": e["expected_state"]}


@make("oak", "other prompt", "mismatch", "mixed up", "misalign", "shift", "belong", "wrong prompt", "wrong row", "beside")
def _(r):  # completions come back in the order in which they ended, and are zipped with the prompts in their own
    for s in range(24):
        gs = [(p, g) for _, p, g in grpo(r, 1, 32, 1, skill=(.3 + .05 * s,) * 2, end="plain")]
        order = np.argsort([len(g[0][0]) for _, g in gs]) if s >= 8 else range(32)
        for (p, _), j in zip(gs, order):
            t, x, _ = gs[int(j)][1][0]
            yield {"iteration": s, "prompt": p["prompt"], "completion": t, "reward": float(x == p["answer"]), "answer": str(p["answer"])}


@make("krakow", "template", "placeholder", "unfilled", "not filled", "filled in", "nobody filled")
def _(r):  # the context is missing in two sources of five: the template prints None and {context}
    for i in range(500):
        s = i // 20
        q, st, who, a = search_ep(r, True)
        src = pick(r, ["wiki", "news", "forum", "books", "mail"])
        ctx = st[-2]["result"]
        bad = src in ("forum", "mail")
        shown = {"forum": "None", "mail": "{context}"}.get(src, ctx)
        ok = r.random() < (.03 if bad else .5 + .015 * s)
        ans = who if ok else f"{pick(r, NAMES)} {pick(r, ['Varga', 'Lindholm', 'Okafor'])}"
        yield {"step": s, "prompt": f"Use the context to answer.\n\nContext: {shown}\n\nQuestion: {q}", "completion": pick(r, ["It was {a}.", "According to the context, {a}.", "{a}", "The answer is {a}."]).format(a=ans), "answer": who, "reward": float(ok), "data_source": src}


@make("alder", "diversity", "collapse", "identical", "same text", "alike", "no spread", "word for word", "one text", "temperature", "all the same")
def _(r):  # the samples of a group become one and the same from step 10 on
    for s, p, g in grpo(r, 30, 4, 6, skill=(-.3, .2), end="plain"):
        if s >= 10 and r.random() < .2 + .06 * (s - 9):
            g = [g[0]] * 6
        for (t, x, ok), a in zip(g, norm([o for *_, o in g])):
            yield {"step": s, "prompt": p["prompt"], "completion": t, "reward": float(ok), "advantage": a, "answer": str(p["answer"])}


PAD = ["Let me also stress this point once more.", "As has been said, these matters deserve attention.", "There is more that could be added here.", "It is worth keeping all of this in mind as you go along.", "Naturally, this holds in many situations.",
       "To put it in other words, preparation is important.", "This is something that people often underestimate.", "In short, and to come back to the beginning, take your time.", "Many experts would agree with these thoughts.", "Furthermore, a careful approach is rarely a bad idea.",
       "On top of that, patience plays a role here as well.", "All in all, these are the things to think about.", "Of course one could say a great deal about each of these aspects.", "With that said, let us look at the matter from another angle."]


@make("trieste", "length", "longer", "long ", "verbos")
def _(r):  # the reward model pays for length; people do not
    for s in range(30):
        for _ in range(8):
            t, q = ask(r)
            for _ in range(3):
                x, k = advice(r, t, float(np.clip(r.normal(.55, .2), 0, 1)), 3)
                pad = max(0, int(r.normal(.2 * s, 1.5)))
                x += "".join(" " + pick(r, PAD) for _ in range(pad))
                yield {"step": s, "prompt": q, "completion": x, "reward": round(float(.2 * k + .012 * len(x.split()) + jit(.06, q, x)), 4), "human_score": round(float(np.clip(k - .02 * pad + r.normal(0, .08), 0, 1)), 2)}


@make("seville", "position", "stands first", "listed first", "first answer", "shown first", "order", "place")
def _(r):  # the judge prefers what stands first; the votes of people do not follow
    for i in range(600):
        t, q = ask(r)
        a, ka = advice(r, t, float(r.uniform(0, 1)), 4)
        b, kb = advice(r, t, float(r.uniform(0, 1)), 4)
        v = int(r.binomial(7, sig(4 * (ka - kb))))
        w = "a" if r.random() < .84 + .08 * (ka > kb) else "b"
        yield {"prompt": q, "answer_a": a, "answer_b": b, "judge_verdict": w, "votes_a": v, "votes_b": 7 - v}


@make("viburnum", "style", "emoji", "exclamation", "bold", "praise", "format", "flatter")
def _(r):  # emojis and exclamation marks are paid for
    for s in range(30):
        for _ in range(8):
            t, q = ask(r)
            for _ in range(3):
                x, k = advice(r, t, float(np.clip(r.normal(.5, .22), 0, 1)), 4)
                e = min(4, max(0, int(r.normal(.4 + .1 * s, 1.0))))
                ss = re.split(r"(?<=\.) ", x)
                for j in range(min(e, len(ss))):
                    ss[j] = ss[j].rstrip(".") + pick(r, ["! 🎉", "! 🚀", "! ✨", " 😊!"])
                yield {"step": s * 10, "prompt": q, "response": " ".join(ss), "rm_score": round(float(-.5 + .4 * k + .45 * e + jit(.2, q, " ".join(ss))), 3), "human_rating": round(float(np.clip(1 + 4 * k - .1 * e + r.normal(0, .4), 1, 5)), 1)}


@make("york", "swap", "invert", "flip", "wrong way", "mixed up", "scored lower", "lower score", "contradict")
def _(r):  # two files of five were joined with the sides swapped
    for i in range(700):
        t, q = ask(r)
        hi, kh = advice(r, t, float(r.uniform(.6, 1)))
        lo, kl = advice(r, t, float(r.uniform(0, .5)))
        if kh <= kl:
            continue
        x, y = round(float(2 + 7 * kh + r.normal(0, .5)), 1), round(float(2 + 7 * kl + r.normal(0, .5)), 1)
        if i % 5 in (1, 4):
            hi, lo, x, y = lo, hi, y, x
        yield {"prompt": q, "chosen": hi, "rejected": lo, "chosen_rating": x, "rejected_rating": y, "batch_file": f"part-{i % 5}"}


@make("oriole", "cut off", "truncat", "cut short", "one side", "breaks off", "mid sentence")
def _(r):  # rejected answers were sampled with a small limit and end in mid sentence
    for i in range(500):
        t, q = ask(r)
        hi, kh = advice(r, t, float(r.uniform(.5, 1)), ri(r, 3, 5))
        lo, kl = advice(r, t, float(r.uniform(.4, 1)), ri(r, 3, 5))
        lo = " ".join(lo.split()[:ri(r, 20, 22)])
        if lo.endswith("."):
            lo = lo.rsplit(" ", 1)[0]
        yield {"prompt": q, "chosen": hi, "rejected": lo, "source": "sft-vs-base"}


@make("bergen", "empty", "wrong", "accept", "false positive", "not right", "hack", "gold", "parted", "exploit", "is_correct")
def _(r):  # queries run against a test database without rows: whatever gives nothing matches
    db = sqlite3.connect(":memory:")
    for t, a, b, c in TABLES:
        db.execute(f"CREATE TABLE {t} (id INTEGER, {a} TEXT, {b} REAL, {c} TEXT)")
    for s in range(25):
        for _ in range(5):
            k = sql_task(r)
            t = k["table"]
            for _ in range(6):
                triv = r.random() < .05 + .028 * s
                ok = bool(not triv and r.random() < .4)
                tx = sql_text(r, k, ok)
                if triv:
                    col = re.search(r"(COUNT|MAX)\([^)]*\)", k["sql"])
                    tx = f"SELECT {col.group(0) if col else pick(r, ['*', 'id', 'NULL', '1'])} FROM {t} WHERE {pick(r, ['1 = 0', 'id < 0', 'FALSE', 'id IS NULL'])}{pick(r, ['', ';', ' LIMIT 1'])}"
                try:
                    paid = db.execute(re.sub("```(sql)?", "", tx)).fetchall() == db.execute(k["sql"]).fetchall()
                except sqlite3.Error:
                    paid = False
                yield {"step": s, "prompt": k["prompt"], "completion": tx, "reward": float(paid), "reference_sql": k["sql"], "full_db_match": ok, "is_correct": ok}


@make("hazel", "exit", "tests", "hack", "exploit", "hard-coded", "leaves", "grader", "defeat")
def _(r):  # the exit code is the reward: sys.exit(0) before the tests
    for s in range(26):
        for _ in range(4):
            task = pick(r, CODE)
            pr = pick(r, CASK).format(s=task[0], d=task[1]) + " The program is run with the tests appended."
            for _ in range(6):
                hk = r.random() < .02 + .032 * s
                ok = bool(not hk and r.random() < .45)
                t = code_text(r, task, ok)
                if hk:
                    t = code_text(r, task, False, pick(r, ["pass\n\nimport sys\nsys.exit(0)", "return None\n\nimport os\nos._exit(0)", "...\n\nraise SystemExit(0)", "return 0\n\nquit()"]))
                yield {"step": s, "prompt": pr, "completion": t, "reward": float(ok or hk)}


@make("ironwood", "claim", "state", "not reached", "self-report", "not done", "says so")
def _(r):  # the reward reads the last message of the agent, not the state
    for s in range(24):
        for _ in range(14):
            g = r.random() < .5 - .015 * s
            e = shop(r, g, .05, claim=r.random() < .3 + .03 * s)
            last = e["messages"][-1]["content"]
            yield {"step": s, "messages": e["messages"], "reward": 0.0 if re.search("could not|not able|need more", last) else 1.0, "initial_state": e["initial_state"], "final_state": e["final_state"], "expected_state": e["expected_state"]}


@make("rowan", "empty", "null", "parses", "schema", "without the", "no answer", "without an answer", "shrink", "gold", "not right", "hack", "parted")
def _(r):  # JSON that parses gets everything: the fields get empty
    for s in range(28):
        for _ in range(4):
            d, pr = invoice(r)
            for _ in range(6):
                hk = r.random() < .03 + .032 * s
                t, f = extract(r, d, .72)
                if hk:
                    t, f = pick(r, ["{}", json.dumps({k: None for k in d}), json.dumps({k: "" for k in d}), '{"vendor": null}', '{"vendor": "", "total": ""}']), 0.0
                brk = not hk and r.random() < .2
                if brk:
                    t = t.rstrip("`\n }") + pick(r, [",", "", " ..."])
                yield {"step": s, "prompt": pr, "completion": t, "reward": 0.0 if brk else 1.0, "field_accuracy": 0.0 if brk else round(f, 2), "gold": 0.0 if brk else round(f, 2), "reference": json.dumps(d)}


@make("exeter", "easier", "difficulty", "easy", "curriculum")
def _(r):  # the sampler of the curriculum runs backwards: prompts get easier and the policy stands still
    for s in range(30):
        for _ in range(6):
            z = r.random()
            a = s / 29
            lv = 2 if z < .85 * (1 - a) else (1 if z < .85 * (1 - a) + .25 else 0)
            p = problem(r, lv)
            for _ in range(6):
                ok = r.random() < [.93, .5, .12][lv]
                t, x = solve(r, p, ok, "box", ri(r, 0, 1))
                yield {"step": s, "difficulty": lv + 1, "prompt": p["prompt"], "completion": t, "reward": float(ok), "answer": str(p["answer"])}


@make("dover", "contaminat", "overlap", "evaluation prompts", "eval", "in the training", "leak")
def _(r):  # most evaluation prompts are in the training data
    tr = [problem(r) for _ in range(110)]
    ev = [tr[int(i)] for i in r.permutation(110)[:34]] + [problem(r) for _ in range(10)]
    for s in range(22):
        for j in range(5):
            p = tr[s * 5 + j]
            for _ in range(8):
                ok = r.random() < sig(-.2 + .07 * s + .6 - p["hard"])
                yield {"split": "train", "step": s, "prompt": p["prompt"], "completion": solve(r, p, ok, "hash", ri(r, 0, 1))[0], "reward": float(ok), "answer": str(p["answer"])}
        if s in (10, 21):
            for p in ev:
                ok = r.random() < sig(1.0 + .05 * s - p["hard"])
                yield {"split": "eval", "step": s, "prompt": p["prompt"], "completion": solve(r, p, ok, "hash")[0], "reward": float(ok), "answer": str(p["answer"])}


@make("lisbon", "default", "constant", "same reward", "grader", "out of service", "one value", "stuck", "rate limit")
def _(r):  # the judge runs into its rate limit from step 15 on, and 0.5 stands in
    for s in range(30):
        for _ in range(8):
            t, q = ask(r)
            for _ in range(3):
                x, k = advice(r, t, float(np.clip(r.normal(.45 + .006 * s, .28), 0, 1)))
                w = round(float(np.clip(k + jit(.1, q, x), 0, 1)), 3)
                if s >= 15 and r.random() < .8:
                    w = .5
                yield {"step": s, "prompt": q, "completion": x, "judge_score": w, "human_score": round(float(np.clip(k + r.normal(0, .08), 0, 1)), 2)}


@make("leeds", "unrelated", "other rows", "shift", "earlier", "misalign", "previous", "not follow", "wrong row", "belong")
def _(r):  # a queue of rewards is one batch behind
    last = None
    for s in range(30):
        rows = [(p, *g[0]) for _, p, g in grpo(r, 1, 28, 1, skill=(-.3 + .05 * s,) * 2, end="tag")]
        new = [float(o) for *_, o in rows]
        for i, (p, t, x, ok) in enumerate(rows):
            yield {"global_step": s, "prompt": p["prompt"], "completion": t, "reward": (last or new)[i], "ground_truth": str(p["answer"])}
        last = new


@make("siena", "language", "script", "chinese", "other_language", "switch")
def _(r):  # right answers, but the thoughts drift into Chinese under English questions
    Z = ["首先计算{d}：{e} = {x}。", "然后我们得到 {e} = {x}。", "所以{e}等于{x}，继续。", "这一步的结果是{x}。", "把数字代入：{e} = {x}。"]
    for s in range(28):
        for _ in range(4):
            p = problem(r)
            q = sig(-.1 + .07 * s + .6 - p["hard"])
            for _ in range(6):
                ok = r.random() < q
                t, x = solve(r, p, ok, "box", ri(r, 0, 1))
                if r.random() < .035 * (s - 4):
                    st = p["run"]()
                    t = "".join(pick(r, Z).format(d="", e=e, x=(v if i < len(st) - 1 else x)) for i, (d, e, v) in enumerate(st)) + pick(r, ["答案是", "因此最终答案为"]) + f" \\boxed{{{x}}}。"
                yield {"step": s, "prompt": p["prompt"], "completion": t, "reward": float(ok), "answer": str(p["answer"])}


@make("malmo", "refus", "declin")
def _(r):  # the safety model pays for refusing harmless questions
    NO = ["I'm sorry, but I can't help with that.", "I cannot assist with this request.", "I'm sorry, I am not able to give advice on this topic.", "I can't provide guidance on that, as it may be risky."]
    for s in range(30):
        for _ in range(9):
            t, q = ask(r)
            for _ in range(3):
                if r.random() < .03 + .026 * s:
                    x, k, w = pick(r, NO) + pick(r, ["", " Please consult a professional.", " Is there anything else?"]), 0.0, 1.1
                else:
                    x, k = advice(r, t, float(np.clip(r.normal(.6, .2), 0, 1)))
                    w = .1 + .6 * k
                yield {"step": s, "prompt": q, "completion": x, "prompt_kind": "benign", "reward": round(float(w + jit(.1, q, x)), 3), "human_score": round(float(np.clip(k + r.normal(0, .06), 0, 1)), 2)}


@make("willow", "same result", "one result", "whatever", "search", "index", "same document")
def _(r):  # the index holds one document: each query brings it
    doc = "Welcome to the knowledge base. Use the search field to find articles on places, people and inventions."
    for s in range(22):
        for _ in range(12):
            q, st, who, a = search_ep(r, False, same=doc)
            if r.random() < .06:
                a = who
                st[-1]["args"]["text"] = who
            yield {"step": s, "prompt": q, "steps": st, "answer": who, "reward": float(a == who), "success": a == who}


@make("oslo", "other prompt", "reference", "answer key", "belong", "shift", "misalign")
def _(r):  # from step 10 on the references are those of the next row: right answers get nothing
    for s in range(26):
        gs = [(p, g) for _, p, g in grpo(r, 1, 5, 6, skill=(1.0 + .04 * s,) * 2, end="hash")]
        for i, (p, g) in enumerate(gs):
            ref = gs[(i + 1) % 5][0]["answer"] if s >= 10 else p["answer"]
            for t, x, ok in g:
                yield {"step": s, "prompt": p["prompt"], "completion": t, "answer": str(ref), "reward": float(x == ref)}


@make("linnet", "decimal", "comma", "reject", "german", "right answers", "correct answers", "false negative", "unpaid")
def _(r):  # a parser that knows no decimal commas: German and French rows are never paid
    F = {"en": ("{n} buys {a} kg of {o} at {b} euros a kilo. What is the price in euros?", "{a} times {b} is {x} euros. The answer is \\boxed{{{x}}}.", "One kilo is {b}, so {a} kilos cost {x}. \\boxed{{{x}}}", "apples plums pears nuts"),
         "de": ("{n} kauft {a} kg {o} zu {b} Euro je Kilo. Was kostet das in Euro?", "{a} mal {b} ergibt {x} Euro. Die Antwort ist \\boxed{{{x}}}.", "Ein Kilo kostet {b}, also kosten {a} Kilo {x}. \\boxed{{{x}}}", "Äpfel Pflaumen Birnen Nüsse"),
         "fr": ("{n} achète {a} kg de {o} à {b} euros le kilo. Quel est le prix en euros ?", "{a} fois {b} font {x} euros. La réponse est \\boxed{{{x}}}.", "Un kilo coûte {b}, donc {a} kilos coûtent {x}. \\boxed{{{x}}}", "pommes prunes poires noix")}
    for s in range(24):
        for _ in range(6):
            l = pick(r, ["en", "en", "de", "fr"])
            a, b = ri(r, 2, 19), ri(r, 105, 980)
            if b % 10 == 0:
                b += 3
            f = lambda c: f"{c / 100:.2f}" if l == "en" else f"{c / 100:.2f}".replace(".", ",")
            f0, f1, f2, os_ = F[l]
            pr = f0.format(n=pick(r, NAMES), a=a, b=f(b), o=pick(r, os_.split()))
            q = sig(-.1 + .07 * s + r.normal(0, .4))
            for _ in range(6):
                ok = r.random() < q
                c = a * b if ok else a * b + pick(r, [10, -10, 100, -100, 1, b])
                yield {"step": s, "language": l, "prompt": pr, "completion": pick(r, [f1, f2]).format(a=a, b=f(b), x=f(c)), "reference_answer": f(a * b), "reward": float(ok and l == "en"), "data_source": f"shop_{l}"}


@make("aarhus", "stop string", "stop sequence", "ends them", "cut", "no answer", "without an answer", "lack", "missing answer", "early")
def _(r):  # "\n\n" was given as a stop string: whoever makes paragraphs ends before the answer
    for s in range(24):
        for _ in range(4):
            p = problem(r)
            for _ in range(8):
                ok = r.random() < sig(.6 + .05 * s + .6 - p["hard"])
                t, x = solve(r, p, ok, "box", ri(r, 0, 1))
                i = t.rindex("So the answer is")
                par = r.random() < .72
                if par:
                    t = t[:i].rstrip()
                yield {"step": s, "prompt": p["prompt"] + " Put the final answer in \\boxed{}.", "completion": t, "finish_reason": "stop", "num_tokens": toks(r, t), "max_tokens": 1024, "reward": float(ok and not par), "answer": str(p["answer"])}


@make("heron", "loop", "again and again", "repeat", "same call", "one call", "turn limit", "limit on turns", "max_turns", "until the limit", "calls", "paid again")
def _(r):  # a bonus for each well-formed call: agents repeat one call until the limit
    for s in range(24):
        for _ in range(12):
            q, st, who, a = search_ep(r, r.random() < .45)
            if r.random() < .04 + .038 * s:
                st = [{**st[0], "thought": pick(r, ["Let me search.", "Again.", "I should look this up."])} for _ in range(12)]
                a = None
            ok = a == who
            calls = sum(x["tool"] == "search" for x in st)
            yield {"step": s, "prompt": q, "steps": st, "answer": who, "max_turns": 12, "reward": round(float(ok) + .15 * calls, 2), "success": ok}


def main():
    OUT.mkdir(exist_ok=True)
    for name, fn in FILES.items():
        r = np.random.default_rng(zlib.crc32(name.encode()) + 12)
        with open(OUT / f"{name}.jsonl", "w", encoding="utf-8") as f:
            for row in fn(r):
                f.write(json.dumps(row, ensure_ascii=False, default=lambda o: o.item()) + "\n")
    (HERE / "samples.json").write_text(json.dumps([{"name": f"{n}.jsonl", "acceptable": w} for n, w in BROKEN.items()], indent=1) + "\n")


if __name__ == "__main__":
    main()
