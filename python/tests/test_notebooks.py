"""The notebooks run from top to bottom and say how long they take."""

import pathlib
import re
import unittest

import nbclient
import nbformat

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[1] / "notebooks"


class Notebooks(unittest.TestCase):
    def test_notebooks_run(self):
        paths = sorted(NOTEBOOKS.glob("*.ipynb"))
        self.assertEqual(len(paths), 3)
        for path in paths:
            with self.subTest(notebook=path.name):
                notebook = nbformat.read(path, as_version=4)
                self.assertRegex(notebook.cells[0].source, r"takes about \d+ (s|min) on one core")
                code = [cell for cell in notebook.cells if cell.cell_type == "code"]
                self.assertFalse(any(cell.outputs for cell in code), "clear the outputs before a commit")
                nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
                printed = "".join(output.get("text", "") for output in code[-1].outputs)
                self.assertTrue(re.fullmatch(r"\d+ s\n", printed), printed)


if __name__ == "__main__":
    unittest.main()
