"""What nbgrader's configuration (notebooks/assignments) takes from here."""

import re

from nbgrader import preprocessors
from nbgrader.api import MissingEntry
from traitlets import default

from pages import IMAGES, OfflineExporter


def _offline(header):
    """Takes out the script that would fetch formulas' typesetting from the network."""
    return re.sub(r"<!-- Loading mathjax macro -->.*?(?=<style>)", "", header, count=1, flags=re.DOTALL)


def _named(body):
    """Names the tests of the summary, which calls each of them "Test cell"."""
    return re.sub(r'<a href="#(test-)?([^"]*)">Test cell</a>', lambda m: f'<a href="#{m[1] or ""}{m[2]}">{m[2].replace("-", " ")}</a>', body)


class FeedbackExporter(OfflineExporter):
    """Exports a graded notebook by nbgrader's own template, for a page that needs no network."""

    @default("raw_template")
    def _raw_template_default(self):
        return """
{%- extends 'index.html.j2' -%}
{%- block header -%}{{ super() | offline }}{%- endblock -%}
{%- block body -%}{{ super() | named }}{%- endblock -%}
""" + IMAGES

    def default_filters(self):
        yield from super().default_filters()
        yield ("offline", _offline)
        yield ("named", _named)


class OverwriteCells(preprocessors.OverwriteCells):
    """Puts back what students were not to change, and warns of what they have changed.

    nbgrader's own warns of every cell with hidden tests as well: it expects them in the
    notebook that is handed in, from which the release has left them out.
    """

    def preprocess_cell(self, cell, resources, cell_index):
        try:
            source = self.gradebook.find_source_cell(cell.metadata["nbgrader"]["grade_id"], self.notebook_id, self.assignment_id)
        except (KeyError, MissingEntry):
            return super().preprocess_cell(cell, resources, cell_index)
        released = cell.copy()
        released.source = source.source
        preprocessors.ClearHiddenTests(parent=self)._remove_hidden_test_region(released)
        if cell.source == released.source:
            cell.source = source.source
        return super().preprocess_cell(cell, resources, cell_index)
