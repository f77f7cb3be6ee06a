"""Tests of `dlc_text`; that it prints every text of the test suite back is a test of `test/dlc_text.rs`.

    python3 -m unittest discover -s tools/python
"""
import os
import random
import subprocess
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import dlc_text

TEXT = r'''#map = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "d.func"() <{function_type = (i64) -> i64, sym_name = "f"}> ({
  ^bb0(%x: i64 loc("f.py":1:2), %t: !d.t<[1,"a>"]>):
    %zero = "d.constant"() <{value = 0}> : () -> i64 loc("f.py":2:3)
    %s = "d.add"(%x, %zero) {note, "odd key" = [1 : i32, "a, \"b\""]} : (i64, i64) -> i64
    %r:2 = "d.pair"(%s, %t) : (i64, !d.t<[1,"a>"]>) -> (i64, (i64) -> f32)
    "d.branch"(%r, %r#1) [^bb1, ^other] : (i64, (i64) -> f32) -> ()
  ^bb1:
    %c = "d.call"(%r#1) : ((i64) -> f32) -> ((i64) -> f32)
    "d.return"(%s) : (i64) -> () loc(fused<"cse">["f.py":1:2, "g"("h":3:4)])
  ^other(%q: i64):
    %i = "d.if"(%later) ({
      %i = "d.add"(%q, %q) : (i64, i64) -> i64
    }, {
    }) {set = affine_set<(d0)[s0] : (d0 >= 0, s0 - d0 == 0)>} : (i1) -> i64
    %later = "d.flag"() : () -> i1
  }) : () -> () loc(unknown)
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      name: "0x040000000000803F"
    }
  }
#-}
'''


def fold(module):
    for op in module.walk("d.add"):
        if (zero := op.operands[1].op) and zero.name == "d.constant" and zero.value("value") == 0:
            op.replace(op.operands[0])


class Texts(unittest.TestCase):
    def test_round_trip(self):
        self.assertEqual(str(dlc_text.parse(TEXT)), TEXT)
        self.assertEqual(str(dlc_text.parse("\n  " + TEXT.replace(") : (", ") // note\n\t:("))), TEXT)

    def test_what_is_read(self):
        module = dlc_text.parse(TEXT)
        names = [op.name for op in module.walk()]
        self.assertEqual(names[:4], ["builtin.module", "d.func", "d.constant", "d.add"])
        self.assertEqual((len(names), names[-1]), (11, "d.flag"))
        func, add, pair, branch = (module.walk(f"d.{name}")[0] for name in ("func", "add", "pair", "branch"))
        self.assertEqual(func["sym_name"], '"f"')
        self.assertEqual(func.value("sym_name"), "f")
        self.assertEqual((func.parent.name, func.parent.parent), ("builtin.module", None))
        self.assertEqual(add.value("odd key"), [1, 'a, "b"'])
        self.assertIn("note", add)
        self.assertIsNone(add.value("note", "none"))
        self.assertEqual(add.value("no note", "none"), "none")
        entry, _, other = func.regions[0].blocks
        self.assertEqual([arg.type for arg in entry.args], ["i64", '!d.t<[1,"a>"]>'])
        self.assertIs(add.operands[0], entry.args[0])
        self.assertEqual(entry.args[0].loc, '"f.py":1:2')
        self.assertEqual([result.type for result in pair.results], ["i64", "(i64) -> f32"])
        self.assertEqual(pair.results[0].users, [branch])
        self.assertEqual([block.label for block in branch.successors], ["bb1", "other"])
        self.assertIs(module.walk("d.if")[0].operands[0], module.walk("d.flag")[0].result)
        self.assertIs(module.walk("d.add")[1].operands[1], other.args[0])
        self.assertEqual(module.walk("d.return")[0].loc, 'fused<"cse">["f.py":1:2, "g"("h":3:4)]')

    def test_changes(self):
        module = dlc_text.parse(TEXT)
        fold(module)
        self.assertEqual(len(module.walk("d.add")), 1)
        self.assertIn('"d.pair"(%x, %t)', str(module))
        call = module.walk("d.call")[0]
        value = dlc_text.Op("d.constant", results=["i64"], properties={"value": dlc_text.write(7)}, loc="unknown")
        value.insert_before(call)
        twice = dlc_text.Op("d.twice", [value.result], [dlc_text.Value("i64", "x"), "i64"]).insert_after(value)
        lines = str(module).splitlines()
        at = lines.index('    %v0 = "d.constant"() <{value = 7}> : () -> i64 loc(unknown)')
        # `%x` is taken there, and a name is found for what has none.
        self.assertEqual(lines[at + 1], '    %x_0, %v1 = "d.twice"(%v0) : (i64) -> (i64, i64)')
        with self.assertRaisesRegex(ValueError, "d.constant is erased, and d.twice uses its result"):
            value.erase()
        with self.assertRaisesRegex(ValueError, "d.twice stands in a block already"):
            call.block.append(twice)
        with self.assertRaisesRegex(ValueError, "d.twice has 2 results, and 1 values replace them"):
            twice.replace(value.result)
        with self.assertRaisesRegex(TypeError, "an operand of d.twice is no Value: 'x'"):
            twice.operands = ["x"]
        twice.erase()
        value.erase()
        self.assertEqual(module.walk("d.twice"), [])
        module.walk("d.flag")[0].remove()
        with self.assertRaisesRegex(ValueError, "is used, and is not visible there"):
            str(module)

    def test_regions_and_blocks(self):
        body = dlc_text.Block(["i64"])
        loop = dlc_text.Op("d.loop", regions=[dlc_text.Region([body, dlc_text.Block()])])
        jump = body.append(dlc_text.Op("d.jump", body.args, successors=[loop.regions[0].blocks[1]]))
        module = dlc_text.Module()
        module.body.append(loop)
        text = '"d.loop"() ({\n^bb0(%v0: i64):\n  "d.jump"(%v0) [^bb1] : (i64) -> ()\n^bb1:\n}) : () -> ()\n'
        self.assertEqual(str(module), text)
        self.assertIs(jump.parent, loop)
        self.assertEqual(str(dlc_text.parse(text)), text)


class Attributes(unittest.TestCase):
    def test_both_ways(self):
        both = {
            "7": 7, "-3": -3, "true": True, "false": False, "unit": None, '"a\\"b\\\\\\n\\00"': 'a"b\\\n\0', "1.5": 1.5,
            "[1, [], \"x, y\"]": [1, [], "x, y"],
            '{a = {b = 2}, "odd key", c = [true]}': {"a": {"b": 2}, "odd key": None, "c": [True]},
        }
        for text, value in both.items():
            self.assertEqual(dlc_text.read(text), value, text)
            self.assertIs(type(dlc_text.read(text)), type(value), text)
            self.assertEqual(dlc_text.write(value), text)

    def test_one_way(self):
        reads = {
            "7 : i32": 7, "0x1F : index": 31, "1.000000e+00 : f16": 1.0, '"\\C3\\A9"': "é",
            # Text stays text.
            "i32": "i32", "@f::@g": "@f::@g", "dense<[1, 2]> : tensor<2xi8>": "dense<[1, 2]> : tensor<2xi8>",
            '"a" : !d.t<"b">': '"a" : !d.t<"b">', "0x7FC00000 : f32": "0x7FC00000 : f32",
        }
        for text, value in reads.items():
            self.assertEqual(dlc_text.read(text), value, text)
        self.assertEqual(dlc_text.write(1e30), "1.0e+30")
        self.assertEqual(dlc_text.write((1, "é")), '[1, "é"]')
        for value in (float("inf"), float("nan")):
            with self.assertRaises(ValueError):
                dlc_text.write(value)
        with self.assertRaises(TypeError):
            dlc_text.write(object())


class Errors(unittest.TestCase):
    def refused(self, text, line, column, message):
        with self.assertRaises(dlc_text.TextError) as caught:
            dlc_text.parse(text)
        self.assertEqual((caught.exception.line, caught.exception.column), (line, column), str(caught.exception))
        self.assertIn(message, caught.exception.message)

    def test_places(self):
        self.refused("sample.func @f", 1, 1, "expected an op in generic form")
        self.refused('"d.op"(%a', 1, 10, "expected ')', found the end of the text")
        self.refused('"d.op"() : () -> ()\n"d.op"(%a) : (i64) -> ()', 2, 8, "%a is not defined")
        self.refused('%a = "d.op"() : () -> i64\n%a = "d.op"() : () -> i64', 2, 1, "%a is defined twice")
        self.refused('%a:2 = "d.op"() : () -> i64', 1, 25, "1 types of 2 results")
        self.refused('%a:70000 = "d.op"() : () -> i64', 1, 1, "70000 results")
        self.refused('%a#1 = "d.op"() : () -> i64', 1, 1, "named without '#'")
        self.refused('"d.op"() : (i64) -> ()', 1, 12, "1 types of 0 operands")
        self.refused('"d.op"() [^a] : () -> ()', 1, 11, "there is no block ^a")
        self.refused('"d.op"() ({\n  "d.br"() [^a] : () -> ()\n}) : () -> ()', 2, 13, "there is no block ^a")
        self.refused('"d.op"() ({\n^a:\n^a:\n}) : () -> ()', 3, 1, "the block ^a is there twice")
        self.refused('"d.op"() {a = 1, a} : () -> ()', 1, 18, "'a' is there twice")
        self.refused('"d.op"() {a = [1, 2} : () -> ()', 1, 20, "expected another bracket")
        self.refused('"d.op"() {a = ((1', 1, 16, "'(' is not closed")
        self.refused('"d.op"() {a = } : () -> ()', 1, 15, "expected something")
        self.refused('"d.op"() : () -> ;', 1, 18, "unknown text ';'")
        self.refused('"d.op', 1, 1, "a string that does not end")

    def test_depth(self):
        opened, closed = '"d.op"() ({\n', "}) : () -> ()\n"
        text = "".join("  " * n + opened for n in range(256)) + "  " * 256 + '"d.op"() : () -> ()\n'
        text += "".join("  " * n + closed for n in reversed(range(256)))
        self.assertEqual(str(dlc_text.parse(text)), text)
        self.refused(opened * 1000 + closed * 1000, 257, 11, "regions are nested more than 256 deep")
        brackets = '"d.op"() {a = ' + "[" * 1000 + "]" * 1000 + "} : () -> ()"
        self.refused(brackets, 1, 15 + 256, "brackets are nested more than 256 deep")
        self.assertEqual(str(dlc_text.read("[" * 250 + "]" * 250)), "[" * 250 + "]" * 250)
        with self.assertRaises(dlc_text.TextError):
            dlc_text.read("[" * 1000 + "]" * 1000)

    def test_damage_is_a_text_error_or_nothing(self):
        drawn = random.Random(1)
        for _ in range(1500):
            start, length = drawn.randrange(len(TEXT)), drawn.randrange(1, 4)
            text = TEXT[:start] + drawn.choice(["", *'%"^(<{-#0x:', "%x", "->"]) + TEXT[start + length :]
            try:
                printed = str(dlc_text.parse(text))
                self.assertEqual(str(dlc_text.parse(printed)), printed)
            except dlc_text.TextError as error:
                self.assertTrue(0 < error.line <= text.count("\n") + 1 and error.column > 0)


class Passes(unittest.TestCase):
    PASS = 'import dlc_text\nassert dlc_text.options() == "o"\n' \
        'def go(module):\n    dlc_text.remark(f"{len(module.walk())} ops", "passed")\ndlc_text.run(go)\n'

    def go(self, text):
        environment = {**os.environ, "PYTHONPATH": FOLDER, "DLC_OPTIONS": "o"}
        command = [sys.executable, "-c", self.PASS]
        return subprocess.run(command, input=text.encode(), env=environment, capture_output=True)

    def test_run(self):
        done = self.go(TEXT.replace("f.py", "é.py"))
        self.assertEqual(done.stdout.decode(), TEXT.replace("f.py", "é.py"))
        self.assertEqual((done.stderr.decode(), done.returncode), ("passed: 11 ops\n", 0))
        done = self.go("module {}")
        self.assertEqual(done.stdout, b"")
        self.assertIn("the input is no generic text: 1:1: expected an op", done.stderr.decode())
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
