"""Pages of notebooks that need no network: exports, and what nbgrader gives back."""

import base64
import html
import pathlib
import re
import urllib.parse

from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters import markdown_mistune as md
from traitlets import default

# The converter does not escape what it takes over from the formula as text,
# so these go through it as characters that mean nothing.
_hidden = {ord("<"): "\ue000", ord(">"): "\ue001", ord('"'): "\ue002"}
_shown = {0xE000: "&lt;", 0xE001: "&gt;", 0xE002: "&quot;"}


def _mathml(latex, display):
    inner = re.sub(r"\\(?:text\w*|mbox|hbox)\s*\{[^{}]*\}", lambda m: m[0].translate(_hidden), latex.strip())
    inner = inner.replace("<", r"\lt ").replace(">", r"\gt ").translate(_hidden)
    try:
        return convert(inner, display=display).translate(_shown)
    except Exception:  # a formula beyond the converter is shown as it was written
        return f"<code>{html.escape(latex)}</code>"


class _Renderer(md.IPythonRenderer):
    """Renders formulas as MathML, which browsers show without a script."""

    def block_math(self, body):
        return _mathml(body, "block")

    def inline_math(self, body):
        return _mathml(body, "inline")

    def latex_environment(self, name, body):
        return _mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


def markdown2html(source, escape=False):
    """Renders markdown; with escape, of a text that may come from anywhere."""
    return md.MarkdownWithMath(renderer=_Renderer(escape=escape, allow_harmful_protocols=not escape)).render(source)


_to_page = re.compile(r'<a href="(?:\./)?(?:([\w.-]+)\.ipynb|live/([\w.-]+)\.html)(#[^"]*)?"[^>]*>(.*?)</a>', re.DOTALL)


def linked(page, names):
    """Makes links to notebooks lead to their pages, and keeps links to live pages.

    names are the notebooks that have a page beside this one, and "live" where there are live
    pages. Of a link to any other, the words stay, and what they are about.
    """

    def link(m):
        notebook, live, place, words = m[1], m[2], m[3] or "", m[4]
        if notebook in names:
            return f'<a href="{notebook}.html{place}">{words}</a>'
        if live and "live" in names:
            return m[0]
        what = notebook or "a page that <code>go run ./notebooks live</code> makes"
        return words if what in words else f"{words} ({what})"

    return _to_page.sub(link, page)


def bound(page, title, names):
    """Binds a page into the site: a line with the page before it and after it and the contents.

    title is that of the page, and names are as for linked, in the order of the book, with
    "index" where there is a page of contents.
    """
    chapters = [name for name in names if name not in ("live", "index")]
    at = chapters.index(title) if title in chapters else -1
    links = []

    def lead(name, rel, words):
        links.append(f'<a rel="{rel}" href="{urllib.parse.quote(name)}.html">{html.escape(words)}</a>')

    if at > 0:
        lead(chapters[at - 1], "prev", "← " + chapters[at - 1])
    if "index" in names:
        lead("index", "contents", "contents")
    if 0 <= at < len(chapters) - 1:
        lead(chapters[at + 1], "next", chapters[at + 1] + " →")
    if not links:
        return page
    line = '<nav class="book" aria-label="the book">' + " ".join(links) + "</nav>"
    page = re.sub(r"(<body\b[^>]*>)", lambda m: m[1] + line, page, count=1)
    return page.replace("</body>", line + "</body>")


def _image_base64(data, mime):
    if mime == "image/svg+xml":
        return base64.b64encode(data.encode()).decode()
    return "".join(data.split())


# Images have what the kernel says of them in words as their description.
IMAGES = """
{%- macro image(output, mime, extra_class) -%}
<div class="jp-RenderedImage jp-OutputArea-output {{ extra_class }}">
<img src="data:{{ mime }};base64,{{ output.data[mime] | image_base64(mime) }}"
{%- set width = output | get_metadata('width', mime) -%}
{%- if width is not none %} width="{{ width | escape_html }}"{% endif -%}
{%- set height = output | get_metadata('height', mime) -%}
{%- if height is not none %} height="{{ height | escape_html }}"{% endif %}
{%- if 'text/plain' in output.data %} alt="{{ output.data['text/plain'] | e }}"{% endif %}>
</div>
{%- endmacro -%}
{%- block data_png scoped -%}{{ image(output, 'image/png', extra_class) }}{%- endblock -%}
{%- block data_jpg scoped -%}{{ image(output, 'image/jpeg', extra_class) }}{%- endblock -%}
{%- block data_svg scoped -%}{{ image(output, 'image/svg+xml', extra_class) }}{%- endblock -%}
"""


class OfflineExporter(HTMLExporter):
    """Exports with formulas as MathML. A subclass has a template."""

    def default_filters(self):
        yield from super().default_filters()
        yield ("markdown2html", markdown2html)
        yield ("image_base64", _image_base64)


class PageExporter(OfflineExporter):
    """Exports a notebook as one page, with buttons that save its figures."""

    @default("raw_template")
    def _raw_template_default(self):
        script = pathlib.Path(__file__).with_name("figures.js").read_text(encoding="utf-8")
        return """
{%- extends 'lab/index.html.j2' -%}
{#- Nothing is loaded from the network: formulas are MathML, diagrams and widgets are not used. -#}
{%- block html_head_js_requirejs -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block html_head_css -%}
{{ super() }}
<style>
nav.book { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1.5rem; padding: 0.6rem 1.5rem; font: 0.95rem/1.5 system-ui, sans-serif; }
nav.book a { color: var(--jp-content-link-color, #00589c); }
@media print { nav.book { display: none; } }
@media screen and (prefers-color-scheme: dark) {
  :root, body {
    color-scheme: dark;
    --jp-layout-color0: #17181a; --jp-layout-color1: #17181a; --jp-layout-color2: #2b2e32; --jp-layout-color3: #3a3d41;
    --jp-cell-editor-background: #222427; --jp-cell-editor-border-color: #3a3d41; --jp-border-color0: #4a4d51; --jp-border-color1: #4a4d51; --jp-border-color2: #3a3d41; --jp-border-color3: #2b2e32;
    --jp-ui-font-color0: #fff; --jp-ui-font-color1: #e6e6e6; --jp-ui-font-color2: #b0b0b0; --jp-content-font-color0: #fff; --jp-content-font-color1: #e6e6e6; --jp-content-font-color2: #b0b0b0; --jp-content-font-color3: #8c8c8c;
    --jp-content-link-color: #7cc0f5; --jp-rendermime-table-row-background: #222427; --jp-rendermime-table-row-hover-background: #2b2e32; --jp-rendermime-error-background: #4a2320; --jp-inverse-layout-color3: #8c8c8c;
    --jp-mirror-editor-keyword-color: #8fc7a0; --jp-mirror-editor-string-color: #f0a48f; --jp-mirror-editor-number-color: #9fd39f; --jp-mirror-editor-comment-color: #93b5b8; --jp-mirror-editor-operator-color: #d5a6f0; --jp-mirror-editor-builtin-color: #8fc7a0; --jp-mirror-editor-variable-color: #e6e6e6; --jp-mirror-editor-def-color: #8ab8f0; --jp-mirror-editor-punctuation-color: #b9c7d8; --jp-mirror-editor-property-color: #8ab8f0;
  }
  body { background: #17181a; }
  .highlight, .highlight pre { color: #e6e6e6; }
  .jp-RenderedImage img { background: #fff; border-radius: 4px; }
}
</style>
{%- endblock -%}
{%- block body_footer -%}
<script>{% raw %}""" + script + """{% endraw %}
document.querySelectorAll('.jp-RenderedImage img[src^="data:image/png"]').forEach(addSaving);
</script>
{{ super() }}
{%- endblock -%}
""" + IMAGES
