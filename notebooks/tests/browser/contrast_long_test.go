//go:build unix && long

package browser

import (
	"fmt"
	"strings"
)

// contrasts finds, for every text in what a selector finds, how it stands out
// from its ground, and returns those texts that do so too little: less than 4.5
// to 1, the ratio that the Web Content Accessibility Guidelines ask for (2.2,
// 1.4.3). %s is the selector.
const contrasts = `(() => {
	const colour = s => { const n = s.match(/[\d.]+/g).map(Number); return s.startsWith('color(') ? [255 * n[0], 255 * n[1], 255 * n[2], n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
	const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const light = c => { const l = c.slice(0, 3).map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
	const low = [];
	let texts = 0;
	for (const root of document.querySelectorAll(%s)) for (const e of [root, ...root.querySelectorAll('*')]) {
		const said = [...e.childNodes].filter(n => n.nodeType == 3).map(n => n.data.trim()).join('');
		if (!said || !e.getClientRects().length || e.closest('math, style, script')) continue;
		const ink = colour(getComputedStyle(e).color), grounds = [];
		for (let p = e; p; p = p.parentElement) {
			ink[3] *= Number(getComputedStyle(p).opacity);
			grounds.push(colour(getComputedStyle(p).backgroundColor));
		}
		const ground = grounds.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]);
		const pair = [light(over(ink, ground)), light(ground)].sort((a, b) => b - a);
		const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
		texts++;
		if (ratio < 4.5) low.push(ratio.toFixed(2) + ': ' + said.slice(0, 40) + ' (' + getComputedStyle(e).color + ' on ' + ground.map(Math.round) + ')');
	}
	return {texts, low: [...new Set(low)]};
})()`

// CheckContrasts wants every text that a selector finds to be readable, as contrasts has it.
func (p *Page) CheckContrasts(what, selector string) {
	p.T.Helper()
	var seen struct {
		Texts int
		Low   []string
	}
	p.Eval(fmt.Sprintf(contrasts, quoteJS(selector)), &seen)
	if seen.Texts == 0 || len(seen.Low) > 0 {
		p.T.Errorf("%s: of %d texts these are hard to read:\n%s", what, seen.Texts, strings.Join(seen.Low, "\n"))
	}
}
