//go:build unix

package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// cells remembers what the cells so far have declared, as the kernel does: a
// declaration stays until another one of the same name takes its place.
type cells struct {
	units    []unit
	imports  map[string]string // import specs by the name that they have in code
	packages map[string]string // those that need no import, as the kernel adds it
}

// unit is a declaration that comes and goes as a whole.
type unit struct {
	names []string // what it declares; a method is T.Name
	text  string
}

// bare is a line without the mark that lets editors of Go take a command for a comment.
func bare(line string) string { return strings.TrimPrefix(line, "//gonb:") }

// otherCell are first words of cells that are not Go.
var otherCell = map[string]bool{"%%writefile": true, "%%script": true, "%%bash": true, "%%sh": true, "%%gx": true}

// command tells whether a line is for the kernel, and not Go.
func command(line string) (string, bool) {
	line = bare(line)
	return line, len(line) > 1 && (line[0] == '%' || line[0] == '!')
}

// goCode is a cell as Go, line by line: lines for the kernel are empty, and the one
// that begins the main function opens it. The function is closed by a line at the
// end. It returns false for a cell that is not Go.
func goCode(cell string) (string, bool) {
	lines := strings.Split(cell, "\n")
	if words := strings.Fields(bare(lines[0])); len(words) > 0 && otherCell[words[0]] {
		return "", false
	}
	open, continued := false, false
	for i, line := range lines {
		text, is := command(line)
		if !is && !continued {
			continue
		}
		lines[i] = ""
		continued = strings.HasSuffix(text, `\`)
		if word, _, _ := strings.Cut(text, " "); is && !open && (word == "%%" || word == "%main") {
			lines[i], open = "func main() {", true
		}
	}
	if open {
		lines = append(lines, "}")
	}
	return strings.Join(lines, "\n"), true
}

// cellsHeader is the line that stands before the lines of a cell in a file.
const cellsHeader = "package main"

// parseCells reads as much of a cell as is Go, behind the header. The file is nil for a cell
// that is not Go.
func parseCells(cell string) (file *ast.File, text string) {
	code, ok := goCode(cell)
	if !ok {
		return nil, ""
	}
	text = cellsHeader + "\n" + code
	// Half of a cell has errors and yet declarations.
	file, _ = parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution|parser.ParseComments)
	return file, text
}

// add remembers the declarations of a cell that was compiled.
func (c *cells) add(cell string) {
	for line := range strings.Lines(cell) {
		if text, is := command(strings.TrimSpace(line)); is {
			switch words := strings.Fields(text); words[0] {
			case "%reset":
				if len(words) == 1 {
					c.units, c.imports = nil, nil
				}
			case "%rm", "%remove":
				c.forget(words[1:])
			}
		}
	}
	file, text := parseCells(cell)
	if file == nil {
		return
	}
	if c.imports == nil {
		c.imports = make(map[string]string)
	}
	maps.Copy(c.imports, imports(file))
	for _, u := range units(file, text) {
		c.forget(u.names)
		if !slices.Equal(u.names, []string{"main"}) {
			c.units = append(c.units, u)
		}
	}
}

// forget drops what any of the names is declared with.
func (c *cells) forget(names []string) {
	c.units = slices.DeleteFunc(c.units, func(u unit) bool {
		return slices.ContainsFunc(u.names, func(n string) bool { return n != "_" && slices.Contains(names, n) })
	})
	for _, n := range names {
		delete(c.imports, n)
	}
}

// files are the cell and what it is compiled with: its lines follow the first line
// of the first file, and what the other cells declared is in the second one.
func (c *cells) files(cell string) (current, before string, ok bool) {
	file, text := parseCells(cell)
	if file == nil {
		return "", "", false
	}
	code := strings.TrimPrefix(text, cellsHeader+"\n")
	others := cells{units: slices.Clone(c.units), imports: make(map[string]string)}
	maps.Copy(others.imports, c.imports)
	for _, u := range units(file, text) {
		others.forget(u.names)
	}
	all := importLine(others.imports)
	own := imports(file)
	for name := range own {
		delete(others.imports, name)
	}
	for _, m := range selector.FindAllStringSubmatch(code, -1) {
		if path, known := c.packages[m[1]]; known && !others.declares(m[1]) && own[m[1]] == "" {
			others.imports[m[1]] = path
		}
	}
	var b strings.Builder
	b.WriteString(cellsHeader + all + "\n")
	for _, u := range others.units {
		b.WriteString("\n" + u.text + "\n")
	}
	return cellsHeader + importLine(others.imports) + "\n" + code + "\n", b.String(), true
}

// selector is a name with something behind it that could be a package.
var selector = regexp.MustCompile(`\b([A-Za-z_]\w*)\.`)

// declares tells whether a name stands for something already.
func (c *cells) declares(name string) bool {
	return c.imports[name] != "" || slices.ContainsFunc(c.units, func(u unit) bool { return slices.Contains(u.names, name) })
}

// importLine imports without a line of its own.
func importLine(specs map[string]string) string {
	if len(specs) == 0 {
		return ""
	}
	return "; import (" + strings.Join(slices.Sorted(maps.Values(specs)), "; ") + ")"
}

// version is the end of an import path that is no name.
var version = regexp.MustCompile(`/v[0-9]+$`)

// imports are the import specs of a file by their names.
func imports(file *ast.File) map[string]string {
	specs := make(map[string]string)
	for _, s := range file.Imports {
		name, spec := path.Base(version.ReplaceAllString(strings.Trim(s.Path.Value, "\"`"), "")), s.Path.Value
		if s.Name != nil {
			name, spec = s.Name.Name, s.Name.Name+" "+spec
		}
		if name == "_" || name == "." {
			name = spec
		}
		specs[name] = spec
	}
	return specs
}

// units are the declarations of a file whose text is given.
func units(file *ast.File, text string) (all []unit) {
	add := func(keyword string, node ast.Node, doc *ast.CommentGroup) {
		source := func(n ast.Node) string {
			return text[min(int(n.Pos()-file.FileStart), len(text)):min(int(n.End()-file.FileStart), len(text))]
		}
		u := unit{declared(node), keyword + source(node)}
		if doc != nil { // help shows it
			u.text = source(doc) + "\n" + u.text
		}
		all = append(all, u)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add("", d, d.Doc)
		case *ast.GenDecl:
			switch {
			case d.Tok == token.IMPORT:
			case d.Tok == token.CONST, !d.Lparen.IsValid(): // constants may count from each other
				add("", d, d.Doc)
			default:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						add("var ", s, s.Doc)
					case *ast.TypeSpec:
						add("type ", s, s.Doc)
					}
				}
			}
		}
	}
	return all
}

// declared are the names that a declaration declares; a method is T.Name.
func declared(node ast.Node) (names []string) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			name := n.Name.Name
			if n.Recv != nil && len(n.Recv.List) > 0 {
				receiver, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(n.Recv.List[0].Type), "*"), "[")
				name = receiver + "." + name
			}
			names = append(names, name)
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names = append(names, id.Name)
			}
		default:
			return true
		}
		return false
	})
	return names
}
