package certified

import "bayescpace/bcpace/internal/kept"

// Keep is bcpace.PolicyAbilities.Keep: the vectors of the lower bound.
func (p vectorPolicy) Keep() (kind string, data any, err error) {
	list := kept.ClassesOf(p.e.model, p.e.StateIndex)
	for _, set := range p.e.best {
		list.Next()
		for i := range set.Len() {
			list.Add(int(p.e.action[set.Action(i)]), set.Vector(i))
		}
	}
	return kept.ByClass, list, nil
}
