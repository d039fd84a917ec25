// Package cells executes the code cells of a notebook without a kernel. GoNB compiles and
// links a program for every cell; here all cells of a notebook are one program, which is
// linked once and then runs once for each cell, as a process of its own. What a cell prints
// and displays comes out as the kernel would hand it to Jupyter.
//
// A cell may hold imports and declarations and, below a line %%, statements. Everything else
// that GoNB knows (magics, shell commands, a name declared anew in a later cell) needs the
// kernel and is refused here.
package cells

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/imports"
)

// CellError tells of a cell that needs the kernel, or of one that does not compile.
type CellError struct {
	Cell int // code cells counted from 1
	Text string
}

func (e *CellError) Error() string { return fmt.Sprintf("cell %d: %s", e.Cell, e.Text) }

// body is the line below which statements stand.
const body = "%%"

// function is the name of the function that holds the statements of a cell.
func function(cell int) string { return fmt.Sprintf("gonbCell%d", cell) }

// fileName is the name of the file of a cell, which the compiler's messages begin with.
func fileName(cell int) string { return fmt.Sprintf("cell%02d.go", cell) }

// program is the Go package of a notebook: a file for each cell and the one with main.
type program map[string]string // contents by file name

// compose makes the program of a notebook from the sources of its code cells.
func compose(sources []string) (program, *CellError) {
	p := make(program)
	var known, names []string // of the cells so far: import specs, as in an import declaration, and what they declare
	var calls, inits strings.Builder
	for i, source := range sources {
		cell := i + 1
		file, statements, err := wrap(cell, source)
		var d declarations
		if err == nil {
			d, err = cutImports(cell, file)
		}
		var used string
		if err == nil {
			known = append(known, d.specs...)
			slices.Sort(known)
			known = slices.Compact(known)
			used, err = usedImports(cell, known, names, d.text)
		}
		if err != nil {
			return nil, &CellError{cell, err.Error()}
		}
		names = append(names, d.names...)
		for _, name := range d.inits {
			fmt.Fprintf(&inits, "\tif cell >= %d {\n\t\t%s()\n\t}\n", cell, name)
		}
		// The imports stand on one line, so that line 1 of the cell is line 2 of the file.
		p[fileName(cell)] = "package main; " + used + "\n" + d.text
		if statements {
			fmt.Fprintf(&calls, "\tcase %d:\n\t\t%s()\n", cell, function(cell))
		}
	}
	p["main.go"] = fmt.Sprintf(mainFile, cellVariable, inits.String(), calls.String())
	return p, nil
}

// mainFile begins what a cell is to find, and executes it.
//
//go:embed main.txt
var mainFile string

// initialiser begins the names of functions that GoNB calls at the start of each program.
const initialiser = "init_"

// wrap turns a cell into declarations: its statements become a function. Every line stays
// where it is.
func wrap(cell int, source string) (file string, statements bool, err error) {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		switch {
		case line != "" && strings.TrimSpace(line) == body:
			if statements {
				return "", false, errors.New("a second line %%")
			}
			lines[i], statements = "func "+function(cell)+"() {", true
		case strings.HasPrefix(line, "%"), strings.HasPrefix(line, "!"):
			return "", false, fmt.Errorf("the line %q needs the kernel: only go run ./notebooks run executes it", line)
		}
	}
	file = strings.Join(lines, "\n") + "\n"
	if statements {
		file += "}\n"
	}
	return file, statements, nil
}

// declarations are what a cell declares.
type declarations struct {
	text  string   // its file, with blanks in place of imports
	specs []string // its imports
	names []string // of its functions, types, variables and constants, without methods
	inits []string // its initialisers
}

// cutImports takes the imports out of the file of a cell, and returns what the cell declares.
func cutImports(cell int, file string) (cut declarations, err error) {
	const head = "package main;"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, fileName(cell), head+file, parser.SkipObjectResolution)
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		err = fmt.Errorf("cell %d, line %d: %s", cell, list[0].Pos.Line, list[0].Msg)
	}
	if err != nil {
		return declarations{}, err
	}
	text := []byte(file)
	cut.specs = specsOf(f)
	for _, d := range f.Decls {
		cut.names = append(cut.names, namesOf(d)...)
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, initialiser) {
			cut.inits = append(cut.inits, f.Name.Name)
		}
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		for i := fset.Position(d.Pos()).Offset; i < fset.Position(d.End()).Offset; i++ {
			if text[i-len(head)] != '\n' {
				text[i-len(head)] = ' '
			}
		}
	}
	cut.text = string(text)
	return cut, nil
}

// namesOf are the names that a declaration gives to functions, types, variables or constants.
func namesOf(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// specsOf are the imports of a file as they stand in an import declaration.
func specsOf(f *ast.File) (specs []string) {
	for _, s := range f.Imports {
		spec := strconv.Quote(strings.Trim(s.Path.Value, "\"`"))
		if s.Name != nil {
			spec = s.Name.Name + " " + spec
		}
		specs = append(specs, spec)
	}
	return specs
}

// usedImports returns an import declaration of those known specs that a file uses, and of
// the packages of the standard library that it uses without an import. GoNB asks the same
// program. What earlier cells have declared stands in the file by name: for a name that it
// cannot find, the program looks through all modules of this machine.
func usedImports(cell int, known, declared []string, file string) (string, error) {
	text := "package main\n\nimport (\n" + strings.Join(known, "\n") + "\n)\n" + file
	if len(declared) > 0 {
		text += "var " + strings.Join(declared, ", ") + " int\n"
	}
	out, err := imports.Process(fileName(cell), []byte(text), nil)
	if err != nil {
		return "", err
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", out, parser.ImportsOnly)
	if err != nil {
		return "", err
	}
	if len(f.Imports) == 0 {
		return "", nil
	}
	return "import (" + strings.Join(specsOf(f), "; ") + ")", nil
}

// Imports returns the paths of the packages that code cells import, sorted. A cell that does not
// begin with Go has none.
func Imports(sources []string) []string {
	var paths []string
	for _, source := range sources {
		file, _ := parser.ParseFile(token.NewFileSet(), "", "package main;"+source, parser.ImportsOnly)
		if file == nil {
			continue
		}
		for _, s := range file.Imports {
			paths = append(paths, strings.Trim(s.Path.Value, "\"`"))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
