"""Tests of reading apt's sources, in both of their formats."""

import pathlib
import tempfile
import unittest

import debian


class Stanzas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        saved = debian.APT
        self.addCleanup(setattr, debian, "APT", saved)
        debian.APT = pathlib.Path(folder.name)
        (debian.APT / "sources.list.d").mkdir()

    def test_deb822(self):
        (debian.APT / "sources.list.d" / "debian.sources").write_text(
            "Types: deb\n# a comment: here\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\n"
            "Components: main\nSigned-By: /k.gpg\n\nTypes: deb-src\nURIs: http://mirror.example/src\nSuites: bookworm\n"
        )
        self.assertEqual(
            [("http://mirror.example/debian", ["bookworm", "bookworm-updates"], "/k.gpg")], list(debian.stanzas())
        )

    def test_one_line(self):
        (debian.APT / "sources.list").write_text(
            "# deb http://old.example bookworm main\n"
            "deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm contrib main\n"
            "deb http://other.example/debian bookworm stable\n"
            "deb http://mirror.example/security bookworm-security main\n"
        )
        self.assertEqual(
            [
                ("http://mirror.example/debian", ["bookworm"], "/k.gpg"),
                ("http://mirror.example/security", ["bookworm-security"], ""),
            ],
            list(debian.stanzas()),
        )

    def test_no_sources(self):
        self.assertEqual([], list(debian.stanzas()))


if __name__ == "__main__":
    unittest.main()
