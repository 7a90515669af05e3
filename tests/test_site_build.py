"""What stops the building of static pages, what is the same in two of them, and the command."""

import argparse
from html import escape

import pytest
from nbformat import v4
from support.site import quietly_built, small_book

from umlbook.book import site as command
from umlbook.book.site.build import SiteError, build
from umlbook.book.site.checks import contents, external_loads, link_problems
from umlbook.book.site.references import with_equation_links

# ------------------------------------------------------------------------ faults are found


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<a href="gone.html">far</a>', "'far' leads to gone.html, which does not exist"),
        ('<a href="#eq-9.9">by (9.9)</a>', "'by (9.9)' leads to #eq-9.9, but that page has no"),
        ('<a href="two.html#b">b</a>', "'b' leads to two.html#b, but that page has no such place"),
        ('<a href="../out.txt">up</a>', "'up' leads to ../out.txt, which does not exist"),
        ('<img src="none.png">', "'none.png' leads to none.png, which does not exist"),
    ],
)
def test_a_broken_link_is_named_with_page_cell_and_text(tmp_path, html, said):
    (tmp_path / "out.txt").touch()  # outside of the site
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "two.html").write_text('<p id="a"><a href="one.html#here">well</a>')
    (folder / "one.html").write_text(f'<p id="here"><span data-cell="7"></span>{html}</p>')
    (problem,) = link_problems(folder, contents(folder))
    assert problem.startswith("one.html, cell 7: ") and said in problem


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", '<script src="https://cdn.invalid/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//cdn.invalid/x.css">'),
        ("a.html", '<img src="http://cdn.invalid/x.png">'),
        ("a.html", '<p style="background: url(https://cdn.invalid/x.png)">'),
        ("a.css", "@import 'https://cdn.invalid/x.css';"),
        ("a.css", "@font-face { src: url(http://cdn.invalid/x.woff) }"),
        ("a.js", 'import("https://cdn.invalid/x.mjs")'),
        ("a.js", 'import x from "https://cdn.invalid/x.mjs"'),
    ],
)
def test_a_file_from_another_machine_is_found_and_an_ordinary_link_is_not(tmp_path, name, content):
    (tmp_path / "b.html").write_text('<a href="https://example.org/">out</a>')
    assert external_loads(tmp_path, contents(tmp_path)) == []
    (tmp_path / name).write_text(content)
    (problem,) = external_loads(tmp_path, contents(tmp_path))
    assert problem.startswith(f"{name}: loads ") and "cdn.invalid/x." in problem


def test_a_reference_is_a_link_in_text_alone():
    known = {"1.2": "one"}
    quiet = (
        '<code>(1.2)</code><div class="math">\\[(1.2)\\]</div><a href="#x">(1.2)</a><h2>(1.2)</h2>'
    )
    assert with_equation_links(quiet, "one", known) == (quiet, [])
    nested, problems = with_equation_links("<p>see&nbsp;(1.2)<br/></p>", "exercises/one", known)
    assert nested == (
        '<p>see&nbsp;<a class="equation" href="../one.html#eq-1.2">(1.2)</a><br/></p>'
    )
    assert problems == []
    measured = '<div class="output"><p>A mean of (3.7)</p></div>'
    assert with_equation_links(measured, "one", known) == (measured, [])


def test_a_link_to_a_missing_notebook_stops_the_build(tmp_path):
    book = small_book(tmp_path, v4.new_markdown_cell("See [the next](02-two.ipynb)."))
    with pytest.raises(SiteError, match=r"01-one, cell 2: \[the next\].*02-two.ipynb, which does"):
        build(book, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_reference_to_no_equation_and_a_link_to_no_place_stop_the_build(tmp_path):
    text = "By (1.1) and by (1.7); see [there](#nowhere)."
    book = small_book(tmp_path, v4.new_markdown_cell("## Two"), v4.new_markdown_cell(text))
    with pytest.raises(SiteError) as caught:
        quietly_built(book, tmp_path / "out")
    reference, link = str(caught.value).splitlines()
    assert reference == "01-one, cell 3: (1.7) is no equation of the book"
    assert link.startswith("01-one, cell 3: ") and "nowhere" in link
    assert not (tmp_path / "out").exists()


def test_the_same_notebooks_give_the_same_bytes_and_old_pages_go(tmp_path):
    formula = r"\begin{aligned} a &< b \\ c & \end{aligned} \tag{1.2}"
    text = f"Of (1.1):\n\n$${formula}$$\n\n% no comment"
    stepped = v4.new_code_cell(
        "watch", outputs=[v4.new_output("execute_result", {
            "text/plain": "Halving: 2 states\nstep  x\n   0  1\n   1  2", "text/html": "<table>"})]
    )  # fmt: skip
    book = small_book(tmp_path, v4.new_markdown_cell(text), stepped)
    out = tmp_path / "out"
    made = []
    for _ in range(2):
        (warning,) = quietly_built(book, out)
        assert "cell 3: a stepper without stored frames" in warning and "refresh" in warning
        made.append({path: path.read_bytes() for path in out.rglob("*") if path.is_file()})
        (out / "old.html").touch()
    assert made[0] == made[1]
    html = (out / "01-one.html").read_text(encoding="utf-8")
    written = escape(formula.replace(r" \tag{1.2}", ""))
    number = '<span class="number"><a class="equation" href="#eq-1.2">(1.2)</a></span>'
    shown = f'<div class="numbered" id="eq-1.2"><div class="math">\\[{written}\\]</div>{number}'
    assert shown in html
    assert "% no comment" in html


# ------------------------------------------------------------------------------ the command


def ran(*words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(word) for word in words]))


def test_a_missing_extra_is_named_with_the_command_that_installs_it(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "furo" else name)
    assert ran() == 1
    said = capsys.readouterr().err
    assert "furo not installed" in said and 'pip install -e ".[site]"' in said


def test_outside_of_a_checkout_it_says_what_is_wanted(monkeypatch, capsys):
    monkeypatch.setattr(command, "checkout_notebooks", lambda: None)
    assert ran() == 1
    assert "not a copy of the repository" in capsys.readouterr().err


def test_a_folder_with_other_files_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("mine")
    assert ran("--out", tmp_path) == 1
    assert "not a site made by this command" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert ran("--out", tmp_path / "thesis.tex") == 1
    assert "is a file" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said_before_the_work(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert ran("--out", tmp_path / "file" / "site") == 1
    said = capsys.readouterr().err
    assert "cannot write" in said and "--out" in said
