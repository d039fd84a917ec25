package problem

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/explicit"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
)

// IsExplicit says that the name of a file is that of a model of package explicit, which does not say what is asked of it.
func IsExplicit(file string) bool {
	parts := strings.Split(strings.ToLower(filepath.Base(file)), ".")
	return slices.Contains(parts, "drn") || slices.Contains(parts, "umb")
}

// ReadModel reads a model file: of package pomdpfile, without a property, or of package explicit, of which the property is asked.
func ReadModel(ctx context.Context, file, property string) (*pomdp.Model, error) {
	if !IsExplicit(file) {
		if property != "" {
			return nil, bcpace.In(file).Bad("the property", property, "none: the file says what is asked; a .drn or .umb file does not")
		}
		return pomdpfile.ReadFile(ctx, file)
	}
	m, p, err := readExplicit(ctx, file, property)
	if err != nil {
		return nil, err
	}
	return m.POMDP(ctx, p)
}

// readExplicit reads a model of package explicit, and its property.
func readExplicit(ctx context.Context, file, property string) (m *explicit.Model, p explicit.Property, err error) {
	if !IsExplicit(file) {
		return nil, p, bcpace.In(file).Bad("the model", "one that Storm does not read", "a .drn file, by whose numbers of observations Storm's controllers act")
	}
	if m, err = explicit.ReadFile(ctx, file); err != nil {
		return nil, p, err
	}
	if property == "" {
		return nil, p, bcpace.In(file).Bad("the property", "none", "one, as the file does not say what is asked: "+m.Suggest())
	}
	p, err = explicit.ParseProperty(property)
	return m, p, err
}
