package envs

import "bayescpace/bcpace"

// parameters are those of an environment E, in the order of Spec.Params: the one record from
// which follow the defaults, what Spec and List say, and how New reads values.
type parameters[E any] []parameter[E]

// parameter is a field of E with what ParamInfo says of it.
type parameter[E any] struct {
	key, want, doc string
	field[E]
}

// filled returns e with the defaults of the fields that stand for them.
func (ps parameters[E]) filled(e E) E {
	for _, p := range ps {
		p.fill(&e)
	}
	return e
}

// of returns Spec.Params of e.
func (ps parameters[E]) of(e E) []bcpace.Param {
	e = ps.filled(e)
	list := make([]bcpace.Param, len(ps))
	for i, p := range ps {
		list[i] = bcpace.Param{Key: p.key, Value: p.text(&e)}
	}
	return list
}

// newEntry returns the entry of an environment, whose Info has no Params yet.
func newEntry[E, M any](info Info, ps parameters[E], model func(E) (M, error)) entry[M] {
	var zero E
	for i, p := range ps.of(zero) {
		info.Params = append(info.Params, ParamInfo{p.Key, p.Value, ps[i].want, ps[i].doc})
	}
	return entry[M]{info, func(v *Values) (M, error) {
		var e E
		for _, p := range ps {
			if !p.read(&e, v.Text(p.key)) {
				v.fail(p.key)
			}
		}
		return model(e)
	}}
}

// entryOf is newEntry for an environment of New.
func entryOf[E any, M bcpace.Model](info Info, ps parameters[E], model func(E) (M, error)) entry[bcpace.Model] {
	return newEntry(info, ps, func(e E) (bcpace.Model, error) {
		m, err := model(e)
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}
